"""The named ladders."""

from fractions import Fraction

from pricing.domain.ladders import LADDERS


def test_betfair_has_its_350_prices() -> None:
    """As Betfair counts them."""
    ladder = LADDERS["betfair"]
    prices = {price for value in range(100, 100_001) if (price := ladder.floor(value))}
    assert len(prices) == 350
    assert all(ladder.floor(price) == price for price in prices)
    assert [ladder.text(price) for price in sorted(prices)[98:102]] == ["1.99", "2.00", "2.02", "2.04"]


def test_two_decimals_are_every_hundredth() -> None:
    ladder = LADDERS["two-decimal"]
    assert all(ladder.floor(price) == price for price in range(101, 100_001))
    assert Fraction(ladder.text(101)) == Fraction("1.01")
