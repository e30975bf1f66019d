"""Tables to tell little stories with: every event is decided, applied, kept, and can be told again from scratch."""

import json
from collections.abc import Mapping
from dataclasses import replace

from pricing.domain.cards import CARDS
from pricing.domain.coup import Side
from pricing.domain.game import GameType, Round, ShoeChange
from pricing.games import load_games
from pricing.table import events
from pricing.table.apply import apply, create
from pricing.table.codec import body_of, entry_of, outcome_of
from pricing.table.decide import decide
from pricing.table.state import Entry, Game, GamePhase, Report, Table, TableShoe

BET_ON_BACCARAT = load_games()["bet-on-baccarat"]
PUNTO_BANCO = load_games()["punto-banco"]
MANY_ROUNDS = replace(
    BET_ON_BACCARAT, name="many-rounds", rounds=tuple(map(Round, (0, 1, 2, 4, 5))), shoe_change=ShoeChange(40, 1)
)
"""A round at every stage but one, the last ones where a coup may be over; one more game after the end is announced."""
TYPES: Mapping[str, GameType] = {kind.name: kind for kind in (BET_ON_BACCARAT, PUNTO_BANCO, MANY_ROUNDS)}
"""By their names, which stand for the hashes of their texts."""
START = 1_767_225_600_000_000
"""2026 begins."""
SECOND = 1_000_000


def card(text: str) -> int:
    return CARDS.index(text)


def cards(texts: str) -> bytes:
    return bytes(map(card, texts.split()))


def through_json(entry: Entry, table: Table) -> Entry:
    """The entry as a journal gives it back."""
    report = entry.report
    body, outcome = json.loads(json.dumps([body_of(report), outcome_of(table, entry.refusal)]))
    return entry_of(entry.position, entry.recorded_time, report.event_id, report.actor, body, outcome)


class Play:
    """A table with a hand on it. Each event comes a second after the one before, from the studio if not said otherwise.

    What the table refuses fails the test unless it was said to be refused.
    """

    def __init__(self, kind: GameType = BET_ON_BACCARAT, *, windows_ms: tuple[int, ...] | None = None) -> None:
        windows_ms = (0,) * len(kind.rounds) if windows_ms is None else windows_ms
        first = Report("e1", events.TableCreated(kind.name, kind.name, True, windows_ms), "admin")
        self.entries = [Entry(1, START, first)]
        self.table = create("t1", self.entries[0], TYPES)
        self.now = START

    def __call__(
        self,
        event: events.Event,
        *,
        refused: str | None = None,
        studio: bool = True,
        number: int | None = None,
        seen_at: int | None = None,
    ) -> Table:
        self.now += SECOND
        position = self.table.position + 1
        report = Report(f"e{position}", event, "somebody", studio, seen_at, number)
        refusal = decide(self.table, report)
        assert (refusal and refusal.reason) == refused, refusal
        entry = Entry(position, self.now, report, refusal)
        self.table = apply(self.table, entry, TYPES)
        self.entries.append(entry)
        return self.table

    def shoe_loaded(self, decks: int = 6) -> None:
        self(events.ShoeLoaded(self.table.game_type.name, decks))

    def deal(self, texts: str) -> None:
        """Deal cards, each after the betting round is closed."""
        for each in cards(texts):
            if self.game.open_round:
                self(events.BettingClosed(None))
            self(events.CardDealt(each, None))

    def announce(self) -> None:
        """Announce what the cards give."""
        player, banker = self.game.coup.total(Side.PLAYER), self.game.coup.total(Side.BANKER)
        winner = "tie" if player == banker else "player" if player > banker else "banker"
        self(events.ResultAnnounced(winner, player, banker))

    def play_game(self, texts: str = "9S KD KH 2C") -> str:
        """A whole game; its reference."""
        self(events.GameOpened())
        self.deal(texts)
        self.announce()
        return self.game.reference

    def burn_down_to(self, left: int) -> None:
        """Burn known cards of all kinds until so many are left."""
        while self.shoe.left > left:
            self(events.CardBurned(self.shoe.counts.index(max(self.shoe.counts))))

    @property
    def game(self) -> Game:
        assert self.table.game
        return self.table.game

    @property
    def shoe(self) -> TableShoe:
        assert self.table.shoe
        return self.table.shoe

    @property
    def holds(self) -> list[str]:
        return [hold.reason for hold in self.table.holds]

    @property
    def rounds(self) -> list[str]:
        return [each.phase.value for each in self.game.rounds]

    @property
    def outcomes(self) -> list[str]:
        return [each.kind.value for each in self.game.outcomes]

    @property
    def results(self) -> dict[str, str]:
        return {bet.id: each.name for bet, each in zip(self.game.game_type.bets, self.game.results, strict=True)}

    @property
    def cancelled(self) -> list[tuple[int, str | None, int | None, int | None, str]]:
        return [(*each[:4], each.reason.value) for each in self.game.cancellations]

    @property
    def over(self) -> bool:
        return self.game.phase in (GamePhase.CONFIRMED, GamePhase.VOID)

    def told_again(self) -> Table:
        """The table, rebuilt from its journal."""
        table = create("t1", through_json(self.entries[0], self.table), TYPES)
        for entry in self.entries[1:]:
            table = apply(table, through_json(entry, self.table), TYPES)
        return table
