"""A table as it stands: frozen values, all derived from its events."""

import re
from enum import StrEnum, unique
from typing import NamedTuple

from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.table.entries import Entry, Refusal, Report
from pricing.table.events import NoticeKind
from pricing.table.games import Cancellation, Game, GamePhase, Outcome, OutcomeKind
from pricing.table.holds import Hold, HoldReason, Holds
from pricing.table.past import Past
from pricing.table.rounds import BettingRound, RoundPhase
from pricing.table.shoes import Destination, LastCard, ShoePhase, TableShoe

__all__ = [
    "BettingRound",
    "Cancellation",
    "Destination",
    "EarlyCard",
    "Entry",
    "Game",
    "GamePhase",
    "Hold",
    "HoldReason",
    "LastCard",
    "Outcome",
    "OutcomeKind",
    "Past",
    "Refusal",
    "Report",
    "RoundPhase",
    "ShoePhase",
    "Table",
    "TablePhase",
    "TableShoe",
]


@unique
class TablePhase(StrEnum):
    """Whether the table plays and may offer."""

    OPEN = "OPEN"
    HELD = "HELD"
    CLOSED = "CLOSED"


class EarlyCard(NamedTuple):
    """A card scanned while a round was open, until the studio says what became of it."""

    card: int
    round: int
    time: int
    """When it was seen: bets struck from then on do not stand if it was dealt."""


class Table(NamedTuple):
    """Everything about a table."""

    name: str
    game_type: GameType
    """That of the newest shoe; a game says its own."""
    test: bool
    windows_ms: tuple[int, ...]
    position: int = 0
    time: int = 0
    """Of the last event. It never goes back, whatever the clock does."""
    card_state: int = 0
    """Rises with every card, burn and correction; no price outlives it."""
    source_number: int | None = None
    closed: bool = False
    holds: Holds = ()
    policy: Policy = STANDING
    """What the traders have set."""
    shoe: TableShoe | None = None
    game: Game | None = None
    """The running or last game."""
    past: Past = Past()
    """The games before it, no more than can be corrected from memory."""
    early: EarlyCard | None = None
    notice: tuple[NoticeKind, str] | None = None

    @property
    def phase(self) -> TablePhase:
        """OPEN, HELD or CLOSED."""
        if self.closed:
            return TablePhase.CLOSED
        return TablePhase.HELD if self.held else TablePhase.OPEN

    @property
    def held(self) -> bool:
        """Whether anything holds the whole table; a hold on one bet does not."""
        return any(hold.bet is None for hold in self.holds)

    @property
    def held_bets(self) -> frozenset[str]:
        """The bets that are held by themselves."""
        return frozenset(hold.bet for hold in self.holds if hold.bet is not None)

    @property
    def running(self) -> Game | None:
        """The game whose coup is being dealt."""
        return self.game if self.game and self.game.phase is GamePhase.OPEN else None

    @property
    def offering(self) -> BettingRound | None:
        """The round in which bets are taken: open, on a shoe that can be priced, at a table without a hold."""
        game, shoe = self.running, self.shoe
        if self.closed or self.held or game is None or shoe is None or not shoe.can_finish(len(game.dealt)):
            return None
        return game.open_round

    def need_shoe(self) -> TableShoe:
        """The shoe of a table that must have one, as the event at hand was checked against it."""
        if self.shoe is None:
            raise LookupError(f"{self.name} has no shoe at position {self.position}")
        return self.shoe

    def need_game(self, reference: str = "") -> Game:
        """A game that the table must have, by reference; the running or last one by an empty one."""
        game = self.find_game(reference)
        if game is None:
            raise LookupError(f"{self.name} has no game {reference} at position {self.position}")
        return game

    def find_game(self, reference: str) -> Game | None:
        """A game by reference; the running or last one by an empty one."""
        if self.game is None or reference in ("", self.game.reference):
            return self.game
        number = reference.rpartition("-")[2]
        if not re.fullmatch(r"[0-9]{6,18}", number):
            return None
        game = self.past.get(self.name, self.game.number - int(number))
        return game if game and game.reference == reference else None

    def with_game(self, game: Game) -> "Table":
        """With another state of one of its games."""
        back = self.need_game().number - game.number
        return self._replace(past=self.past.set(game, back)) if back else self._replace(game=game)
