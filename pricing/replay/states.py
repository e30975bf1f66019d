"""The betting states of historical shoes, as arrays to price and as settled games."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pricing.domain.bets import Result
from pricing.domain.cards import CARDS, POINTS
from pricing.domain.cells import endings, openings
from pricing.domain.coup import FULL_COUP, Coup, Side, read_coup
from pricing.domain.drawing import DrawingRules
from pricing.domain.game import GameType
from pricing.engine.many import States
from pricing.replay.precision import STANDS_FOR, loaded
from pricing.replay.shoes import UNREAD, ShoeRecord
from pricing.replay.shoes import Coup as PlayedCoup


class Settled(NamedTuple):
    """How the bets of a game ended, in catalogue order."""

    results: tuple[Result, ...]
    payouts: tuple[float, ...]
    """What a won bet pays by how it was won; not a number where it pays the odds it was struck at."""


class Betting(NamedTuple):
    """A state in which a betting round was open."""

    shoe: ShoeRecord
    game: int
    round: int
    dealt: bytes
    """The cards on the table, as they were recorded."""
    gone: int
    """Cards that had left the shoe."""
    settled: Settled


def betting_states(game: GameType, shoes: Iterable[ShoeRecord]) -> tuple[list[Betting], States]:
    """Every betting state of every game that is enough to be priced.

    Returns:
        The states, and the same as arrays; where suits or ranks are not known, one card stands for several.
    """
    found: list[Betting] = []
    remaining: list[NDArray[np.uint8]] = [np.empty((0, 52), np.uint8)]
    for shoe in shoes:
        states = [each for coup in shoe.coups if coup.usable for each in _of_coup(game, shoe, coup)]
        left = _left(shoe)[[each.gone for each in states]]
        can = _drawable(shoe, states) & (left >= 0).all(axis=1)
        found += [each for each, can in zip(states, can, strict=True) if can]
        remaining.append(left[can].astype(np.uint8))
    lengths = np.array([len(each.dealt) for each in found], np.uint8)
    dealt = np.zeros((len(found), FULL_COUP), np.uint8)
    for row, each in zip(dealt, found, strict=True):
        row[: len(each.dealt)] = STANDS_FOR[each.shoe.precision][[*each.dealt]]
    return found, States(np.concatenate(remaining), dealt, lengths)


def _of_coup(game: GameType, shoe: ShoeRecord, coup: PlayedCoup) -> Sequence[Betting]:
    cards = shoe.dealt(coup)
    settled = settle(game, cards, void=coup.void)
    return [
        Betting(shoe, coup.number, number, cards[: each.cards], coup.places[each.cards], settled)
        for number, each in enumerate(game.rounds, 1)
        if each.cards < len(cards)
    ]


def _left(shoe: ShoeRecord) -> NDArray[np.int16]:
    """What is left of each card, seen or not, once so many are gone: a row for each number of them.

    Cards that nobody could read count as not gone, being as likely as any other. Below 0 where more of one are gone
    than there can have been.
    """
    gone = np.zeros((len(shoe.cards) + 1, 52), np.int16)
    seen = [(place, card) for place, card in enumerate(shoe.cards, 1) if card != UNREAD]
    places, cards = np.array(seen, np.intp).reshape(-1, 2).T
    gone[places, STANDS_FOR[shoe.precision][cards]] = 1
    return loaded(shoe.decks, shoe.precision) - np.cumsum(gone, axis=0, dtype=np.int16)


def _drawable(shoe: ShoeRecord, states: Sequence[Betting]) -> NDArray[np.bool_]:
    """Whether the shoe is certain to have enough cards for the coup to end."""
    cards = shoe.decks * len(CARDS)
    return np.array([cards - each.gone >= FULL_COUP - len(each.dealt) for each in states], np.bool_)


def settle(game: GameType, cards: bytes, *, void: bool) -> Settled:
    """How every bet ends with these cards; undecided where a bet is open after the last of them."""
    if void:
        return _void(game)
    if len(cards) < 4:
        seen = read_coup(cards, game.drawing)
        return _settled(game, endings(seen, game.drawing), openings(seen))
    player, banker = (POINTS[cards[side]] + POINTS[cards[side + 2]] for side in (0, 1))
    ending = _endings(game.drawing, player % 10, banker % 10, bytes(POINTS[card] for card in cards[4:]))
    return _settled(game, ending, _openings(_alike(cards[0], cards[2]), _alike(cards[1], cards[3])))


@lru_cache(maxsize=16_384)
def _settled(game: GameType, endings: frozenset[int], openings: frozenset[int]) -> Settled:
    cells = endings | openings
    won = ([row for row in bet.winning_rows if row.pays is not None and row.cells & cells] for bet in game.bets)
    payouts = tuple(float(rows[0].pays or 0) if len(rows) == 1 else np.nan for rows in won)
    return Settled(game.results(cells), payouts)


@lru_cache(maxsize=256)
def _void(game: GameType) -> Settled:
    return Settled((Result.VOID,) * len(game.bets), (np.nan,) * len(game.bets))


@lru_cache(maxsize=16_384)
def _endings(rules: DrawingRules, player: int, banker: int, thirds: bytes) -> frozenset[int]:
    """The endings of all coups whose first two cards come to these totals, as of one of them."""
    cards = [POINTS.index(points) for points in (player, banker, 0, 0, *thirds)]
    return endings(read_coup(bytes(cards), rules), rules)


@lru_cache
def _openings(player: int, banker: int) -> frozenset[int]:
    """The openings of all coups whose first two cards are so alike, as of one of them."""
    second = (4, 1, 0)
    sides = (Side.PLAYER, Side.BANKER) * 2
    return openings(Coup(bytes([0, 0, second[player], second[banker]]), sides, None))


def _alike(first: int, second: int) -> int:
    """0 for cards of two ranks, 1 for two of one rank, 2 for one suit too."""
    return (first // 4 == second // 4) + (first == second)
