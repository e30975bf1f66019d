"""What a coup's dealt cards say by themselves, whatever the shoe holds."""

from functools import lru_cache
from typing import NamedTuple

from pricing.domain.bets import Result
from pricing.domain.cells import endings, openings
from pricing.domain.coup import Coup, Side, read_coup
from pricing.domain.game import GameType


class Situation(NamedTuple):
    """A coup as far as it is dealt, read by the rules of a game type."""

    coup: Coup
    player_total: int
    banker_total: int
    betting_round: int
    """From 1; 0 when none is open with so many cards on the table."""
    results: tuple[Result, ...]
    """Of each bet, in catalogue order."""


@lru_cache(maxsize=16_384)
def situation(game: GameType, dealt: bytes) -> Situation:
    """Read the dealt cards by the rules of a game type.

    Raises:
        InvalidCoup: More cards than the coup takes.
    """
    coup = read_coup(dealt, game.drawing)
    results = _results(game, endings(coup, game.drawing), openings(coup))
    return Situation(coup, coup.total(Side.PLAYER), coup.total(Side.BANKER), game.betting_round(len(dealt)), results)


@lru_cache(maxsize=16_384)
def _results(game: GameType, endings: frozenset[int], openings: frozenset[int]) -> tuple[Result, ...]:
    """How the bets end when the coup can end in these cells only; kept, as many coups come to the same."""
    return game.results(endings | openings)
