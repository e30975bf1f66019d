"""The betting states of historical shoes, as arrays to price and as settled games."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

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

Places: TypeAlias = NDArray[np.intp]

RESULTS = {result: place for place, result in enumerate(Result)}
"""Each result as a number."""
_POINTS = bytes(POINTS) + bytes(256 - len(POINTS))


class Betting(NamedTuple):
    """States in which betting rounds were open, one an entry, in the order of shoes, games and rounds."""

    shoes: Sequence[ShoeRecord]
    shoe: Places
    """Which of the shoes."""
    game: Places
    round: Places
    gone: Places
    """Cards that had left the shoe."""
    results: NDArray[np.uint8]
    """Shape (states, bets): how the game ended, in the numbers of ``RESULTS``."""
    payouts: NDArray[np.float64]
    """Shape (states, bets): what a won bet pays by how it was won; not a number where it pays the odds it was struck
    at."""


def betting_states(game: GameType, shoes: Iterable[ShoeRecord]) -> tuple[Betting, States]:
    """Every betting state of every game that is enough to be priced.

    Returns:
        The states, and the same as arrays; where suits or ranks are not known, one card stands for several.
    """
    known = [*shoes]
    empty = ShoeRecord("", game.decks, next(iter(STANDS_FOR)), b"", ())
    parts = [_of_shoe(game, shoe) for shoe in [empty, *known]]  # the first gives the arrays of no shoes their shapes
    shoe = np.repeat(np.arange(len(parts)) - 1, [len(each.gone) for each in parts])
    number, order, gone, results, payouts, left, dealt, lengths = map(np.concatenate, zip(*parts, strict=True))
    return Betting(known, shoe, number, order, gone, results, payouts), States(left, dealt, lengths)


class _OfShoe(NamedTuple):
    """The states of one shoe."""

    game: Places
    round: Places
    gone: Places
    results: NDArray[np.uint8]
    payouts: NDArray[np.float64]
    left: NDArray[np.uint8]
    dealt: NDArray[np.uint8]
    lengths: NDArray[np.uint8]


def _of_shoe(game: GameType, shoe: ShoeRecord) -> _OfShoe:
    coups = [coup for coup in shoe.coups if coup.usable]
    lengths = np.array([len(coup.places) for coup in coups], np.intp)
    places, cards = np.zeros((2, len(coups), FULL_COUP), np.intp)
    there = np.arange(FULL_COUP) < lengths[:, None]
    places[there] = flat = np.fromiter(chain.from_iterable(coup.places for coup in coups), np.intp)
    cards[there] = STANDS_FOR[shoe.precision][np.frombuffer(shoe.cards, np.uint8)[flat]]
    dealt = cards.astype(np.uint8)
    begins = np.array([each.cards for each in game.rounds], np.intp)
    coup, number = np.nonzero(lengths[:, None] > begins)
    gone = places[coup, begins[number]]
    left = _left(shoe)[gone]
    enough = shoe.decks * len(CARDS) - gone >= FULL_COUP - begins[number]
    can = enough & (left >= 0).all(axis=1)
    coup, number, gone = coup[can], number[can], gone[can]
    texts = dealt.tobytes()
    starts = range(0, len(texts), FULL_COUP)
    settled = [
        settle(game, texts[start : start + length], void=each.void)
        for each, start, length in zip(coups, starts, lengths.tolist(), strict=True)
    ]
    shape = (len(coups), len(game.bets))
    results = np.frombuffer(b"".join(each.results for each in settled), np.uint8).reshape(shape)
    payouts = np.frombuffer(b"".join(each.payouts for each in settled), np.float64).reshape(shape)
    games = np.array([each.number for each in coups], np.intp)
    return _OfShoe(
        games[coup],
        number + 1,
        gone,
        results[coup],
        payouts[coup],
        left[can].astype(np.uint8),
        dealt[coup],
        begins[number].astype(np.uint8),
    )


def _left(shoe: ShoeRecord) -> NDArray[np.int16]:
    """What is left of each card, seen or not, once so many are gone: a row for each number of them.

    Cards that nobody could read count as not gone, being as likely as any other. Below 0 where more of one are gone
    than there can have been.
    """
    gone = np.zeros((len(shoe.cards) + 1, 52), np.int16)
    cards = np.frombuffer(shoe.cards, np.uint8)
    seen = np.flatnonzero(cards != UNREAD)
    gone[seen + 1, STANDS_FOR[shoe.precision][cards[seen]]] = 1
    return loaded(shoe.decks, shoe.precision) - np.cumsum(gone, axis=0, dtype=np.int16)


class Settled(NamedTuple):
    """How the bets of a game ended, in catalogue order, in the bytes of arrays: those of many games are joined."""

    results: bytes
    """In the numbers of ``RESULTS``."""
    payouts: bytes
    """What a won bet pays by how it was won, as doubles; not a number where it pays the odds it was struck at."""


def settle(game: GameType, cards: bytes, *, void: bool) -> Settled:
    """How every bet ends with these cards; undecided where a bet is open after the last of them."""
    if void:
        return _void(len(game.bets))
    if len(cards) < 4:
        seen = read_coup(cards, game.drawing)
        return _settled(game, endings(seen, game.drawing) | openings(seen))
    points = cards.translate(_POINTS)
    alike = _alike(cards[0], cards[2]), _alike(cards[1], cards[3])
    return _settler(game)((points[0] + points[2]) % 10, (points[1] + points[3]) % 10, points[4:], alike)


@lru_cache(maxsize=16)
def _settler(game: GameType) -> Callable[[int, int, bytes, tuple[int, int]], Settled]:
    """Settles games by all that matters of their cards: totals of two cards, points of the others, pairs."""

    @lru_cache(maxsize=65_536)
    def settled(player: int, banker: int, thirds: bytes, alike: tuple[int, int]) -> Settled:
        return _settled(game, _endings(game.drawing, player, banker, thirds) | _openings(*alike))

    return settled


def _settled(game: GameType, cells: frozenset[int]) -> Settled:
    won = ([row for row in bet.winning_rows if row.pays is not None and row.cells & cells] for bet in game.bets)
    payouts = np.array([float(rows[0].pays or 0) if len(rows) == 1 else np.nan for rows in won])
    return Settled(bytes(RESULTS[each] for each in game.results(cells)), payouts.tobytes())


@lru_cache(maxsize=64)
def _void(bets: int) -> Settled:
    return Settled(bytes([RESULTS[Result.VOID]] * bets), np.full(bets, np.nan).tobytes())


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
