"""One game: its rounds open with its cards, it is settled, confirmed, cancelled in part, void."""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum, unique
from functools import lru_cache
from typing import NamedTuple

from pricing.domain.bets import Result
from pricing.domain.cells import endings, openings, winner
from pricing.domain.coup import Coup, Side, read_coup
from pricing.domain.game import GameType
from pricing.table import rounds
from pricing.table.entries import Entry
from pricing.table.events import CancelReason, ResultAnnounced, VoidReason
from pricing.table.rounds import BettingRound, RoundPhase, Rounds
from pricing.table.shoes import TableShoe


@unique
class GamePhase(StrEnum):
    """A game's life."""

    OPEN = "OPEN"
    ENDED = "ENDED"
    CONFIRMED = "CONFIRMED"
    VOID = "VOID"


OVER = frozenset({GamePhase.CONFIRMED, GamePhase.VOID})
"""Phases of a game after which the next may be opened."""


@unique
class OutcomeKind(StrEnum):
    """What was said of a game's bets."""

    SETTLED = "SETTLED"
    ROLLED_BACK = "ROLLED_BACK"
    VOIDED = "VOIDED"


class Outcome(NamedTuple):
    """One statement on a game's bets; later ones replace earlier ones, none is taken away."""

    kind: OutcomeKind
    position: int
    results: tuple[Result, ...]
    """Of each bet in catalogue order; empty for a roll-back."""
    reason: str


class Cancellation(NamedTuple):
    """Bets of a round that are cancelled."""

    round: int
    bet: str | None
    """None for every bet."""
    from_time: int | None
    to_time: int | None
    """Bets struck from the one time to before the other; None where the span is open."""
    reason: CancelReason
    position: int

    @property
    def whole(self) -> bool:
        """Whether the round has no bet left."""
        return self.bet is None and self.from_time is None and self.to_time is None


class Game(NamedTuple):
    """One coup with its betting rounds."""

    reference: str
    """Unique, and sorted by time."""
    number: int
    shoe: int
    game_type: GameType
    dealt: bytes
    rounds: Rounds
    phase: GamePhase
    open_time: int
    outcomes: tuple[Outcome, ...] = ()
    cancellations: tuple[Cancellation, ...] = ()
    disputed: bool = False
    """Whether the dealer has announced another result than the cards give."""

    @property
    def coup(self) -> Coup:
        """The cards, read by the rules."""
        return _coup(self.game_type, self.dealt)

    @property
    def open_round(self) -> BettingRound | None:
        """The betting round that is open."""
        return next((each for each in self.rounds if each.phase is RoundPhase.OPEN), None)

    @property
    def results(self) -> tuple[Result, ...]:
        """The standing result of each bet; empty while there is none."""
        return self.outcomes[-1].results if self.outcomes else ()


@lru_cache(maxsize=1_024)
def _coup(kind: GameType, dealt: bytes) -> Coup:
    """Kept, as deciding, applying and showing all read the same cards."""
    return read_coup(dealt, kind.drawing)


def reference_of(table: str, open_time: int, number: int) -> str:
    """The reference of a game, from what never changes of it.

    >>> reference_of("t1", 1_767_225_600_000_000, 7)
    't1-20260101T000000-000007'
    """
    return f"{table}-{datetime.fromtimestamp(open_time // 1_000_000, UTC):%Y%m%dT%H%M%S}-{number:06d}"


def announce(table: str, number: int, shoe: TableShoe, windows_ms: tuple[int, ...], time: int) -> Game:
    """A game without cards: its first round opens."""
    kind = shoe.game_type
    pending = rounds.pending(len(kind.rounds))
    game = Game(reference_of(table, time, number), number, shoe.number, kind, b"", pending, GamePhase.OPEN, time)
    return _open_round(game, shoe, windows_ms, time)


def advance(game: Game, shoe: TableShoe, windows_ms: tuple[int, ...], entry: Entry) -> Game:
    """Let a game go on from the cards that it now has: the next round opens, or it ends and is settled."""
    if not game.coup.complete:
        return _open_round(game, shoe, windows_ms, entry.recorded_time)
    closed = rounds.skip(rounds.close_open(game.rounds, entry.recorded_time))
    return settle(game._replace(rounds=closed, phase=GamePhase.ENDED), entry.position)


def settle(game: Game, position: int) -> Game:
    """State the results that the cards of a complete coup give."""
    results = game.game_type.results(endings(game.coup, game.game_type.drawing) | openings(game.coup))
    return _stated(game, Outcome(OutcomeKind.SETTLED, position, results, ""))


def roll_back(game: Game, position: int) -> Game:
    """Take back what was last said of a game's bets, if anything stands."""
    return _stated(game, Outcome(OutcomeKind.ROLLED_BACK, position, (), "")) if game.results else game


def agrees(game: Game, said: ResultAnnounced) -> bool:
    """Whether the dealer's announcement is what the cards give."""
    player, banker = game.coup.total(Side.PLAYER), game.coup.total(Side.BANKER)
    pairs = ((said.winner, winner(player, banker)), (said.player_total, player), (said.banker_total, banker))
    return all(theirs is None or theirs == ours for theirs, ours in pairs)


def void(game: Game, reason: VoidReason, entry: Entry) -> Game:
    """A game of which every bet is returned; what was said before is rolled back first."""
    ended = rounds.skip(rounds.cancel(game.rounds, entry.recorded_time))
    outcome = Outcome(OutcomeKind.VOIDED, entry.position, (Result.VOID,) * len(game.game_type.bets), reason)
    return _stated(roll_back(game, entry.position)._replace(rounds=ended, phase=GamePhase.VOID), outcome)


def redeal(game: Game, dealt: bytes, position: int) -> Game:
    """A game that goes on, or is settled anew, with other cards than were seen."""
    return roll_back(game, position)._replace(dealt=dealt, disputed=False)


def reopen(game: Game) -> Game:
    """A game whose last card was another: it may not have ended, and rounds not passed yet may begin after all."""
    passed = sum(each.cards < len(game.dealt) for each in game.game_type.rounds)
    return game._replace(phase=GamePhase.OPEN, rounds=rounds.revive(game.rounds, passed))


def cancel(game: Game, cancellations: Iterable[Cancellation], time: int) -> Game:
    """Cancel bets; a round of which all bets are cancelled is over."""
    for each in cancellations:
        game = game._replace(cancellations=(*game.cancellations, each))
        if each.whole:
            game = game._replace(rounds=rounds.cancel(game.rounds, time, each.round))
    return game


def _open_round(game: Game, shoe: TableShoe, windows_ms: tuple[int, ...], time: int) -> Game:
    """Open the round of so many cards, if there is one and the shoe can be priced; else it is skipped."""
    number = game.game_type.betting_round(len(game.dealt))
    if not number:
        return game
    if not shoe.can_finish(len(game.dealt)):
        return game._replace(rounds=rounds.skip(game.rounds, number))
    # A game type that was edited since the table was made may have more rounds: those have windows of its own.
    window_ms = windows_ms[number - 1] if number <= len(windows_ms) else game.game_type.rounds[number - 1].window_ms
    return game._replace(rounds=rounds.open_round(game.rounds, number, time, window_ms))


def _stated(game: Game, outcome: Outcome) -> Game:
    return game._replace(outcomes=(*game.outcomes, outcome), disputed=False)
