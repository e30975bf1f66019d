"""Prices are rounded down to the ladder, whatever its ranges."""

from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.domain.errors import InvalidGameType
from pricing.domain.ladder import Ladder, Step


def ladder(*ranges: tuple[str, str, str]) -> Ladder:
    return Ladder(tuple(Step(*map(Decimal, each)) for each in ranges))


PLAIN = ladder(("1.01", "0.01", "1000.00"))
EXCHANGE = ladder(
    ("1.01", "0.01", "2"), ("2", "0.02", "3"), ("3.05", "0.05", "4"), ("4.1", "0.1", "6"), ("6", "94", "100")
)
SHORT = ladder(("1.01", "0.01", "10.00"))
FINE = ladder(("1.001", "0.0005", "1.5"))


@cache
def prices(found: Ladder) -> list[Fraction]:
    """Every price, by addition."""
    every = set()
    for step in found.steps:
        price = step.first
        while price <= step.last:
            every.add(Fraction(price))
            price += step.step
    return sorted(every)


@pytest.mark.parametrize("found", [SHORT, EXCHANGE, FINE], ids=["short", "exchange", "fine"])
@given(data=st.data())
def test_floor_is_the_highest_price_not_above(found: Ladder, data: st.DataObject) -> None:
    every = prices(found)
    near = st.sampled_from(every).flatmap(
        lambda price: st.sampled_from([price, price + Fraction(1, 10**15), price - Fraction(1, 10**15)])
    )
    value = data.draw(near | st.fractions(0, 120))
    floor = found.floor(value.numerator * found.unit // value.denominator)
    place = bisect_right(every, value)
    assert (None if floor is None else Fraction(floor, found.unit)) == (every[place - 1] if place else None)


@pytest.mark.parametrize("found", [SHORT, EXCHANGE, FINE], ids=["short", "exchange", "fine"])
def test_text_is_the_price(found: Ladder) -> None:
    for price in prices(found):
        text = found.text(int(price * found.unit))
        assert Fraction(text) == price
        assert len(text.partition(".")[2]) == found.places >= 2


def test_ends_of_the_plain_ladder() -> None:
    assert PLAIN.floor(100) is None
    assert PLAIN.floor(101) == 101
    assert PLAIN.floor(99_999) == 99_999
    assert PLAIN.floor(100_000) == PLAIN.floor(10**30) == 100_000
    assert [PLAIN.text(price) for price in (101, 190, 1_000, 100_000)] == ["1.01", "1.90", "10.00", "1000.00"]


@pytest.mark.parametrize(
    ("ranges", "where"),
    [
        ([], "ladder"),
        ([("1.00", "0.01", "2.00")], r"ladder\[0\]"),
        ([("0.50", "0.01", "2.00")], r"ladder\[0\]"),
        ([("-2.00", "0.01", "2.00")], r"ladder\[0\]"),
        ([("1.01", "0", "2.00")], r"ladder\[0\]"),
        ([("1.01", "0.00", "1.01")], r"ladder\[0\]"),
        ([("1.01", "-0.01", "2.00")], r"ladder\[0\]"),
        ([("2.00", "0.01", "1.99")], r"ladder\[0\]"),
        ([("1.01", "0.02", "2.00")], r"ladder\[0\]"),
        ([("1.01", "0.01", "2.00"), ("2.04", "0.02", "3.00")], r"ladder\[1\]\.from"),
        ([("1.01", "0.01", "2.00"), ("1.99", "0.01", "3.00")], r"ladder\[1\]\.from"),
        ([("1.01", "0.01", "2.00"), ("1.01", "0.01", "2.00")], r"ladder\[1\]\.from"),
        ([("1.01", "0.01", "2.00"), ("2.00", "0", "3.00")], r"ladder\[1\]"),
    ],
)
def test_ranges_that_make_no_ladder(ranges: list[tuple[str, str, str]], where: str) -> None:
    with pytest.raises(InvalidGameType, match=rf"^{where}: got "):
        ladder(*ranges)
