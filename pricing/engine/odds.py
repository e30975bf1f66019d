"""From exact ways to what is offered, in integers: odds that the policy makes, and fixed payouts."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from pricing.domain.bets import Bet, Row
from pricing.domain.ladder import Ladder

Offer: TypeAlias = tuple[str | None, float]
"""What is offered for a bet: its decimal odds, None where its tiers tell several payouts; and what one unit staked
returns on average, correctly rounded."""


class TargetReturn:
    """Odds at which a stake returns at most 1 - margin of what it would at fair odds: the highest on the ladder."""

    def __init__(self, margin: Fraction, ladder: Ladder) -> None:
        """Keep what is given back of a fair price, as a ratio."""
        self._given, self._of = (1 - margin).as_integer_ratio()
        self._ladder = ladder

    def offer(self, ways: Sequence[int], push: int, total: int) -> Offer | None:
        """Make the odds: (total - push) * (1 - margin) / win, rounded down to the ladder, at most its top.

        Args:
            ways: Ways in which the bet wins, of its one winning row.
            push: Ways in which the stake comes back.
            total: All ways.

        Returns:
            The offer; None where the odds are below the ladder.
        """
        win = ways[0]
        price = self._ladder.floor((total - push) * self._given, win * self._of)
        if price is None:
            return None
        return self._ladder.text(price), _expected_return(win * price, self._ladder.unit, push, total)


class FixedPayouts:
    """Payouts as they stand in the game type."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Turn the payouts of the winning rows into whole numbers of one unit."""
        pays = [row.pays for row in rows if row.pays is not None]
        self._unit = 10 ** max(0, *(-int(each.as_tuple().exponent) for each in pays))
        self._payouts = [int(each * self._unit) for each in pays]
        self._odds = rows[0].odds if len(rows) == 1 else None

    def offer(self, ways: Sequence[int], push: int, total: int) -> Offer:
        """Say what the payouts are worth.

        Args:
            ways: Ways of each winning row.
            push: Ways in which the stake comes back.
            total: All ways.
        """
        paid = sum(way * payout for way, payout in zip(ways, self._payouts, strict=True))
        return self._odds, _expected_return(paid, self._unit, push, total)


PricingPolicy: TypeAlias = TargetReturn | FixedPayouts


def pricing_policy(bet: Bet, ladder: Ladder) -> PricingPolicy:
    """How a bet is offered."""
    return FixedPayouts(bet.winning_rows) if bet.margin is None else TargetReturn(bet.margin, ladder)


def _expected_return(paid: int, unit: int, push: int, total: int) -> float:
    """The mean return of one unit, of what all winning ways pay in 1 / unit. One division, so correctly rounded."""
    return (paid + push * unit) / (total * unit)
