"""What is a whole number and what is not."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from pricing.domain.errors import InvalidShoe
from pricing.domain.numbers import whole, wholes

WHOLE = [0, 1, 12, np.int64(12), np.uint8(3), np.array(5)]
NOT_WHOLE = [
    True,
    False,
    np.True_,
    1.0,
    np.float64(1),
    float("nan"),
    float("inf"),
    Decimal(1),
    Fraction(1),
    1j,
    None,
    "1",
    b"1",
    [1],
    (1,),
    np.array([1]),
    np.array([[1]]),
    np.datetime64("2026-01-01"),
    int,
    object(),
]
OUT_OF_RANGE = [-1, 13, 255, 256, -256, 2**63, -(2**63), 2**64 + 1, 10**5_000, np.int64(-1), np.int8(-128)]


@pytest.mark.parametrize("value", WHOLE, ids=repr)
def test_whole_numbers(value: object) -> None:
    number = whole(value, range(13), "field", InvalidShoe)
    assert type(number) is int
    assert number == value
    assert wholes([value] * 3, 12, "field", InvalidShoe) == bytes([number] * 3)


@pytest.mark.parametrize("value", NOT_WHOLE + OUT_OF_RANGE, ids=lambda value: type(value).__name__)
def test_others_are_refused_by_field(value: object) -> None:
    with pytest.raises(InvalidShoe, match=r"^field: got .*; allowed: a whole number, 0 to 12$") as caught:
        whole(value, range(13), "field", InvalidShoe)
    assert caught.value.given is value
    with pytest.raises(InvalidShoe, match=r"^field\[1\]: got .*; allowed: a whole number, 0 to 12$") as caught:
        wholes([0, value, None], 12, "field", InvalidShoe)
    assert caught.value.given is value


def test_no_numbers() -> None:
    assert wholes([], 12, "field", InvalidShoe) == b""
