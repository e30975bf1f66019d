"""Earlier games, packed: a game is a kilobyte of objects but a hundred bytes of numbers, and a table keeps many."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pricing.domain.bets import Result
from pricing.domain.game import GameType
from pricing.table.events import CancelReason, VoidReason
from pricing.table.games import Cancellation, Game, GamePhase, Outcome, OutcomeKind, reference_of
from pricing.table.rounds import BettingRound, RoundPhase

KEPT_GAMES = 100
"""Earlier games that can still be voided or settled anew; more than a shoe of eight decks has."""

# The places in these are what is packed.
_GAME_PHASES, _ROUND_PHASES, _OUTCOME_KINDS = tuple(GamePhase), tuple(RoundPhase), tuple(OutcomeKind)
_CANCEL_REASONS, _OUTCOME_REASONS = tuple(CancelReason), ("", *VoidReason)


class Past(NamedTuple):
    """The games before the last one, oldest first, numbered without a gap."""

    packed: tuple[bytes, ...] = ()
    kinds: tuple[GameType, ...] = ()
    """Game types that they went by."""

    def add(self, game: Game) -> "Past":
        """One more game, the newest; the shoes that its prices were made from are let go, as is the oldest game."""
        kinds = self.kinds if game.game_type in self.kinds else (*self.kinds, game.game_type)
        packed = pack(game, kinds.index(game.game_type))
        return Past((*self.packed, packed)[-KEPT_GAMES:], kinds)

    def get(self, table: str, back: int) -> Game | None:
        """The game so many before the running or last one, if it is kept."""
        return unpack(table, self.packed[-back], self.kinds) if 0 < back <= len(self.packed) else None

    def set(self, game: Game, back: int) -> "Past":
        """With another state of the game so many before the running or last one."""
        packed = list(self.packed)
        packed[-back] = pack(game, self.kinds.index(game.game_type))
        return self._replace(packed=tuple(packed))


def pack(game: Game, kind: int) -> bytes:
    """A game as bytes: whole numbers, seven bits a byte, the low ones first."""
    return bytes(_bytes(_numbers(game, kind)))


def unpack(table: str, packed: bytes, kinds: tuple[GameType, ...]) -> Game:
    """The game that was packed."""
    take = _read(packed).__next__
    number, shoe, kind, phase, disputed, open_time, cards = (take() for _ in range(7))
    dealt = bytes(take() for _ in range(cards))

    def time() -> int | None:
        return _unsigned_back(since - 1) + open_time if (since := take()) else None

    rounds = tuple(BettingRound(each, _ROUND_PHASES[take()], time(), time()) for each in range(1, take() + 1))
    outcomes = tuple(
        Outcome(_OUTCOME_KINDS[take()], take(), tuple(Result(take()) for _ in range(take())), _OUTCOME_REASONS[take()])
        for _ in range(take())
    )
    bets = (None, *(bet.id for bet in kinds[kind].bets))
    cancellations = tuple(
        Cancellation(take(), bets[take()], time(), time(), _CANCEL_REASONS[take()], take()) for _ in range(take())
    )
    return Game(
        reference=reference_of(table, open_time, number),
        number=number,
        shoe=shoe,
        game_type=kinds[kind],
        dealt=dealt,
        rounds=rounds,
        phase=_GAME_PHASES[phase],
        open_time=open_time,
        outcomes=outcomes,
        cancellations=cancellations,
        disputed=bool(disputed),
    )


def _numbers(game: Game, kind: int) -> Iterator[int]:
    """A game as whole numbers from 0; lists begin with their length."""

    def time(value: int | None) -> int:
        return 0 if value is None else 1 + _unsigned(value - game.open_time)

    phase = _GAME_PHASES.index(game.phase)
    yield from (game.number, game.shoe, kind, phase, game.disputed, game.open_time, len(game.dealt), *game.dealt)
    yield len(game.rounds)
    for each in game.rounds:
        yield from (_ROUND_PHASES.index(each.phase), time(each.open_time), time(each.close_time))
    yield len(game.outcomes)
    for outcome in game.outcomes:
        yield from (_OUTCOME_KINDS.index(outcome.kind), outcome.position, len(outcome.results), *outcome.results)
        yield _OUTCOME_REASONS.index(outcome.reason)
    bets = (None, *(bet.id for bet in game.game_type.bets))
    yield len(game.cancellations)
    for cut in game.cancellations:
        yield from (cut.round, bets.index(cut.bet), time(cut.from_time), time(cut.to_time))
        yield from (_CANCEL_REASONS.index(cut.reason), cut.position)


def _unsigned(value: int) -> int:
    """Whole numbers as those from 0: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    return 2 * value if value >= 0 else -2 * value - 1


def _unsigned_back(value: int) -> int:
    return -((value + 1) // 2) if value % 2 else value // 2


def _bytes(numbers: Iterable[int]) -> Iterator[int]:
    for number in numbers:
        while number > 0x7F:
            yield number & 0x7F | 0x80
            number >>= 7  # noqa: PLW2901 - what is left of it
        yield number


def _read(packed: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in packed:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0
