"""What can be priced from cards of which only the ranks, or only the points, are known.

A count of the kernel's 52 cards may be any split that agrees on what is known: bets that look no closer are counted
exactly. So all cards that cannot be told apart stand for one of them.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing.domain.bets import Bet
from pricing.domain.cards import CARDS, POINTS, RANKS
from pricing.domain.cells import CELLS, ENDING_CELLS, Opening
from pricing.domain.game import GameType
from pricing.replay.shoes import Precision

_FIRST_OF_POINTS: Final = [POINTS.index(points) for points in range(10)]

STANDS_FOR: Final = {
    Precision.CARDS: np.arange(52, dtype=np.uint8),
    Precision.RANKS: np.arange(52, dtype=np.uint8) // 4 * 4,
    Precision.POINTS: np.array([_FIRST_OF_POINTS[points] for points in POINTS], np.uint8),
}
"""For each card, the card that stands for all that cannot be told from it."""

TEXTS: Final = {
    Precision.CARDS: CARDS,
    Precision.RANKS: tuple(RANKS[card // 4] for card in range(52)),
    Precision.POINTS: tuple(str(points) for points in POINTS),
}
"""What is known of each card, as text."""


def loaded(decks: int, precision: Precision) -> NDArray[np.int16]:
    """How many of each card a full shoe holds, all in those that stand for others."""
    return (np.bincount(STANDS_FOR[precision], minlength=52) * decks).astype(np.int16)


@lru_cache(maxsize=256)
def priceable(game: GameType, precision: Precision) -> tuple[bool, ...]:
    """Whether each bet can be priced, in catalogue order.

    >>> from pricing.games import load_games
    >>> bets = load_games()["bet-on-baccarat"]
    >>> [bet.id for bet, can in zip(bets.bets, priceable(bets, Precision.RANKS)) if not can]
    ['perfect-pair']
    """
    return tuple(precision <= _coarsest(bet, game.possible_cells) for bet in game.bets)


def _coarsest(bet: Bet, possible: frozenset[int]) -> Precision:
    """The least that must be known of the cards to tell how a bet ends."""
    if all(row.cells <= ENDING_CELLS for row in bet.rows):
        return Precision.POINTS
    openings = possible - ENDING_CELLS
    by_ranks = (_of_same_ranks(row.cells & openings, openings) == row.cells & openings for row in bet.rows)
    return Precision.RANKS if all(by_ranks) else Precision.CARDS


def _of_same_ranks(cells: frozenset[int], openings: frozenset[int]) -> frozenset[int]:
    """The openings that ranks alone cannot tell from some of these."""
    pairs = {_pairs(cell) for cell in cells}
    return frozenset(cell for cell in openings if _pairs(cell) in pairs)


def _pairs(cell: int) -> tuple[bool, bool]:
    opening = CELLS[cell]
    assert isinstance(opening, Opening)
    return opening.player_pair, opening.banker_pair
