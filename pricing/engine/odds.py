"""From exact ways to what is offered, in integers: odds that a margin model makes, and fixed payouts."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from pricing.domain.bets import Row
from pricing.domain.books import Margin
from pricing.domain.ladder import Ladder
from pricing.engine.margins import MODELS

Offer: TypeAlias = tuple[str | None, float]
"""What is offered for a bet: its decimal odds, None where its tiers tell several payouts; and what one unit staked
returns on average: one division of whole numbers, so correctly rounded."""


class MadeOdds:
    """The highest odds on the ladder that the margin model and the cap on the expected return allow."""

    def __init__(self, margin: Margin, ladder: Ladder, max_return: Fraction) -> None:
        """Keep the model, and the margin and the cap as ratios."""
        self._model = MODELS[margin.model]
        self._n, self._d = margin.margin.as_integer_ratio()
        self._most, self._of = max_return.as_integer_ratio()
        self._ladder = ladder
        self._unit = ladder.unit

    def offer(self, ways: Sequence[int], push: int, total: int) -> Offer | None:
        """Make the odds.

        Args:
            ways: Ways in which the bet wins, of its one winning row.
            push: Ways in which the stake comes back.
            total: All ways.

        Returns:
            The offer; None where the odds are below the ladder, or the model has none.
        """
        win, unit = ways[0], self._unit
        price = self._ladder.floor(self._model(win, total - push - win, unit, self._n, self._d))
        if price is None:
            return None
        paid, staked = win * price + push * unit, total * unit
        if paid * self._of > staked * self._most:
            price = self._ladder.floor((staked * self._most - push * unit * self._of) // (win * self._of))
            if price is None:
                return None
            paid = win * price + push * unit
        return self._ladder.text(price), paid / staked


class FixedPayouts:
    """Payouts as they stand in the game type."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Turn the payouts of the winning rows into whole numbers of one unit."""
        pays = [row.pays for row in rows if row.pays is not None]
        self.unit = 10 ** max(0, *(-int(each.as_tuple().exponent) for each in pays))
        """Payouts are multiples of 1 / unit."""
        self.payouts = [int(each * self.unit) for each in pays]
        """Of each winning row, in units."""
        self.odds = rows[0].odds if len(rows) == 1 else None
        """Decimal odds; None where there are several payouts."""

    def offer(self, ways: Sequence[int], push: int, total: int) -> Offer:
        """Say what the payouts are worth.

        Args:
            ways: Ways of each winning row.
            push: Ways in which the stake comes back.
            total: All ways.
        """
        return self.odds, (self._paid(ways) + push * self.unit) / (total * self.unit)

    def gain(self, ways: Sequence[int], push: int, total: int) -> Fraction:
        """What one unit staked wins on average, exactly: above 0 the bettor has the edge."""
        return Fraction(self._paid(ways) + push * self.unit, total * self.unit) - 1

    def _paid(self, ways: Sequence[int]) -> int:
        return sum(way * payout for way, payout in zip(ways, self.payouts, strict=True))
