"""The ways a coup can end, numbered: 400 endings (totals and numbers of cards) and 16 openings (pairs).

Every bet is a set of cells, so that all prices come from one joint distribution and agree by construction.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from pricing.domain.cards import POINTS
from pricing.domain.coup import Coup, Side, next_side
from pricing.domain.drawing import DrawingRules


def winner(player_total: int, banker_total: int) -> str:
    """The side with the higher total, or tie (rules 2).

    >>> winner(9, 8), winner(3, 3)
    ('player', 'tie')
    """
    if player_total == banker_total:
        return "tie"
    return "player" if player_total > banker_total else "banker"


class Ending(NamedTuple):
    """How a coup ends in points and numbers of cards."""

    player_total: int
    banker_total: int
    player_cards: int
    banker_cards: int

    @property
    def winner(self) -> str:
        """The side with the higher total, or tie."""
        return winner(self.player_total, self.banker_total)

    @property
    def cards(self) -> int:
        """Cards dealt in the coup, 4 to 6."""
        return self.player_cards + self.banker_cards


class Opening(NamedTuple):
    """What the first two cards of each side are: the same rank, and of the same suit too."""

    player_pair: bool
    banker_pair: bool
    player_perfect: bool
    banker_perfect: bool


ENDINGS = tuple(Ending(*cell) for cell in product(range(10), range(10), (2, 3), (2, 3)))
"""The endings; the place in this list is the cell's number, in the kernel too."""
OPENINGS = tuple(Opening(*cell) for cell in product((False, True), repeat=4))
"""The openings; their numbers follow those of the endings."""
CELLS: tuple[Ending | Opening, ...] = (*ENDINGS, *OPENINGS)
"""All cells by number."""
ENDING_CELLS = frozenset(range(len(ENDINGS)))
"""The numbers of the endings."""
OPENING_CELLS = frozenset(range(len(ENDINGS), len(CELLS)))
"""The numbers of the openings."""

_ENDING_NUMBER: dict[tuple[int, int, int, int], int] = {cell: number for number, cell in enumerate(ENDINGS)}
_OPENING_NUMBER: dict[tuple[bool, bool, bool, bool], int] = {
    cell: number for number, cell in enumerate(OPENINGS, len(ENDINGS))
}


def possible_cells(rules: DrawingRules) -> frozenset[int]:
    """The cells in which some coup ends."""
    nothing_dealt = Coup(b"", (), Side.PLAYER)
    return endings(nothing_dealt, rules) | openings(nothing_dealt)


def endings(coup: Coup, rules: DrawingRules) -> frozenset[int]:
    """The endings that the coup can still have, whatever the shoe holds."""
    return _endings(_points(coup.hand(Side.PLAYER)), _points(coup.hand(Side.BANKER)), rules)


def openings(coup: Coup) -> frozenset[int]:
    """The openings that the coup can still have, whatever the shoe holds."""
    pairs = product(_pairs(coup.hand(Side.PLAYER)), _pairs(coup.hand(Side.BANKER)))
    return frozenset(
        _OPENING_NUMBER[player_pair, banker_pair, player_perfect, banker_perfect]
        for (player_pair, player_perfect), (banker_pair, banker_perfect) in pairs
    )


def _pairs(hand: bytes) -> tuple[tuple[bool, bool], ...]:
    """What the first two cards of a hand can be: (pair, perfect)."""
    if len(hand) < 2:
        return ((False, False), (True, False), (True, True))
    first, second = hand[:2]
    return ((first // 4 == second // 4, first == second),)


def _points(hand: bytes) -> tuple[int, ...]:
    """What the cards of a hand count, of the first two only the total."""
    points = [POINTS[card] for card in hand]
    return tuple(points) if len(points) < 2 else ((points[0] + points[1]) % 10, 0, *points[2:])


@lru_cache(maxsize=16_384)
def _endings(player: tuple[int, ...], banker: tuple[int, ...], rules: DrawingRules) -> frozenset[int]:
    """The endings that some further cards lead to from these hands, by what the cards count."""
    following: list[tuple[tuple[int, ...], tuple[int, ...]]]
    if len(player) < 2 or len(banker) < 2:
        following = [((p, 0), (b, 0)) for p in _totals(player) for b in _totals(banker)]
    elif (side := next_side(player, banker, rules)) is None:
        return frozenset({_ENDING_NUMBER[sum(player) % 10, sum(banker) % 10, len(player), len(banker)]})
    elif side is Side.PLAYER:
        following = [((*player, point), banker) for point in range(10)]
    else:
        following = [(player, (*banker, point)) for point in range(10)]
    return frozenset().union(*(_endings(*hands, rules) for hands in following))


def _totals(hand: tuple[int, ...]) -> Sequence[int]:
    """The totals that the first two cards of a hand can have."""
    return range(10) if len(hand) < 2 else hand[:1]
