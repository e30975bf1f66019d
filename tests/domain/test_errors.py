"""Errors say in one short line what is wrong, whatever was given."""

import pickle

import numpy as np
import pytest

from pricing.domain import errors
from pricing.domain.errors import InvalidShoe, PricingError


class _NoText:
    def __repr__(self) -> str:
        raise RuntimeError


class _Lines:
    def __repr__(self) -> str:
        return "a\nb\n" * 1_000


deep: list[object] = []
for _ in range(10_000):
    deep = [deep]


@pytest.mark.parametrize(
    "given",
    [
        10**10_000,
        -(10**10_000),
        [10**10_000],
        {"key": 10**10_000},
        "text " * 1_000_000,
        b"\0" * 1_000_000,
        np.zeros((100, 100)),
        deep,
        _NoText(),
        _Lines(),
        "line\nline",
        None,
        float("nan"),
        "\ud800",
    ],
    ids=lambda given: type(given).__name__,
)
def test_any_value_is_shown_in_one_short_line(given: object) -> None:
    text = str(InvalidShoe("decks", given, "1 to 12"))
    assert text.startswith("decks: got ")
    assert text.endswith("; allowed: 1 to 12")
    assert len(text) < 250
    assert len(text.splitlines()) == 1


def test_short_values_are_shown_whole() -> None:
    assert str(InvalidShoe("decks", 13, "1 to 12")) == "decks: got 13; allowed: 1 to 12"
    assert InvalidShoe("decks", "six", "1 to 12").description == "got 'six'; allowed: 1 to 12"


def test_each_kind_has_a_reason_of_its_own() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, PricingError)]
    reasons = [kind.reason for kind in kinds]
    assert len(kinds) > 5
    assert len(set(reasons)) == len(reasons)
    assert all(reason.replace("_", "").isupper() for reason in reasons)


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(InvalidShoe("decks", 13, "1 to 12")))
    assert isinstance(error, InvalidShoe)
    assert (error.field, error.given, error.allowed) == ("decks", 13, "1 to 12")
