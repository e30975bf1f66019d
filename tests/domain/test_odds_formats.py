"""Odds for display, against fractions."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.domain.odds_formats import FORMATS, american, fractional

PRICES = st.decimals(Decimal("1.01"), 1000, places=2).map(lambda price: f"{price:.2f}")


@given(PRICES)
def test_a_fraction_is_the_price_less_the_stake(odds: str) -> None:
    won, staked = map(int, fractional(odds).split("/"))
    assert Fraction(won, staked) + 1 == Fraction(odds)


@given(PRICES)
def test_american_odds_go_back_to_the_price(odds: str) -> None:
    value = Fraction(american(odds))
    back = 1 + (value / 100 if value > 0 else -100 / value)
    assert (value >= 100) == (Fraction(odds) >= 2)
    assert abs(back - Fraction(odds)) < Fraction(1, 10_000)


@pytest.mark.parametrize(
    ("odds", "fraction", "us"), [("1.50", "1/2", "-200"), ("2.00", "1/1", "+100"), ("3.25", "9/4", "+225")]
)
def test_by_hand(odds: str, fraction: str, us: str) -> None:
    assert [shown(odds) for shown in FORMATS.values()] == [odds, fraction, us]
