"""Exact chances of every bet of a game type. The one module that calls the kernel."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pricing.domain.game import GameType
from pricing.domain.shoe import DECKS, Shoe
from pricing.engine._kernel import CoupCounter, deplete


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """The exact chances of every bet in one state of a coup."""

    total_ways: int
    """Ordered completions of the coup to six cards, or 1 once it is complete: the denominator of every way."""
    bets: tuple[str, ...]
    """Ids of the bets, in catalogue order."""
    ways: NDArray[np.int64]
    """Shape (bets, 2): completions in which the bet wins, and in which the stake comes back. Read-only."""


class WayCounter:
    """Counts the ways of a game type's bets and rows in one call of the kernel.

    The groups it asks for are win and push of each bet, in catalogue order, then the winning rows of the bets that have
    more than one.
    """

    def __init__(self, game: GameType) -> None:
        """Fold the bets into groups of cells; cells that no coup ends in are left out."""
        possible = game.possible_cells
        ends = [cells for bet in game.bets for cells in (bet.won, bet.pushed)]
        tiers = [row.cells for bet in game.bets if len(bet.winning_rows) > 1 for row in bet.winning_rows]
        self._counter = CoupCounter(game.drawing.masks(), [sorted(cells & possible) for cells in (*ends, *tiers)])
        self._ends = len(ends)
        self.bets = tuple(bet.id for bet in game.bets)

    def count(self, remaining: bytes, dealt: bytes) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        """Count one state that is known to be legal.

        Args:
            remaining: Counts of the 52 cards still in the shoe.
            dealt: Cards of the coup in dealing order.

        Returns:
            The denominator, the ways of each bet (bets, 2), and the ways of each tier.
        """
        out = np.empty(self._counter.groups, np.int64)
        total = self._counter.count(remaining, dealt, out)
        return total, out[: self._ends].reshape(-1, 2), out[self._ends :]

    def count_many(
        self, remaining: NDArray[np.uint8], dealt: NDArray[np.uint8], lengths: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Count many states that are known to be legal, one a row, without the GIL.

        Args:
            remaining: Counts of the 52 cards still in each shoe.
            dealt: Cards of each coup in dealing order, in six columns.
            lengths: How many cards each coup has.

        Returns:
            What ``count`` gives, with the states as the first axis.
        """
        totals, out = np.empty(len(lengths), np.int64), np.empty((len(lengths), self._counter.groups), np.int64)
        self._counter.count_many(remaining, dealt, lengths, totals, out)
        return totals, out[:, : self._ends].reshape(len(lengths), self._ends // 2, 2), out[:, self._ends :]


@lru_cache(maxsize=256)
def way_counter(game: GameType) -> WayCounter:
    """The counter of a game type, made once."""
    return WayCounter(game)


def shoe_without(decks: int, removed: bytes, unseen_removed: int = 0) -> Shoe:
    """`Shoe.without`, counted by the kernel: some two hundred cards cost as much as half the odds otherwise.

    >>> shoe_without(6, bytes([0, 51])) == Shoe.without(6, bytes([0, 51]))
    True

    Raises:
        InvalidShoe: As `Shoe.without`.
    """
    left = deplete(decks, removed) if decks in DECKS else None
    if left is None or unseen_removed:
        return Shoe.without(decks, removed, unseen_removed)
    return Shoe(decks, left, holds_dealt=True)
