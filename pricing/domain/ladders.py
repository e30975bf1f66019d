"""Ladders by name."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from pricing.domain.ladder import Ladder, Step


def _ladder(*steps: tuple[str, str, str]) -> Ladder:
    return Ladder(tuple(Step(*map(Decimal, step)) for step in steps))


LADDERS: Mapping[str, Ladder] = MappingProxyType({
    "two-decimal": _ladder(("1.01", "0.01", "1000")),
    # Betfair's increments, docs.developer.betfair.com, "Betfair Price Increments".
    "betfair": _ladder(
        ("1.01", "0.01", "2"),
        ("2", "0.02", "3"),
        ("3", "0.05", "4"),
        ("4", "0.1", "6"),
        ("6", "0.2", "10"),
        ("10", "0.5", "20"),
        ("20", "1", "30"),
        ("30", "2", "50"),
        ("50", "5", "100"),
        ("100", "10", "1000"),
    ),
})  # fmt: skip
"""The ladders that a game type can name instead of listing steps."""
