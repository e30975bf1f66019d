"""Decimal odds in other notations, for display alone: bets are struck and paid at decimal odds."""

from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from types import MappingProxyType


def fractional(odds: str) -> str:
    """What is won for what is staked, in lowest terms.

    >>> fractional("1.90"), fractional("3.00")
    ('9/10', '2/1')
    """
    won = Fraction(odds) - 1
    return f"{won.numerator}/{won.denominator}"


def american(odds: str) -> str:
    """What 100 win, from even money on; below it, with a minus, what must be staked to win 100, to two decimals.

    >>> american("3.15"), american("2.00"), american("1.50"), american("1.90")
    ('+215', '+100', '-200', '-111.11')
    """
    won = Fraction(odds) - 1
    value = won * 100 if won >= 1 else -100 / won
    exact = Decimal(value.numerator) / value.denominator
    return f"{exact.quantize(Decimal('0.01'), ROUND_HALF_UP):+f}".removesuffix(".00")


FORMATS: Mapping[str, Callable[[str], str]] = MappingProxyType({
    "decimal": str,
    "fractional": fractional,
    "american": american,
})  # fmt: skip
"""How odds may be shown, by name."""
