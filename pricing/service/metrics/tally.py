"""What is counted of tables as their events are published: games, results, holds, and wins against their chances."""

from collections import deque
from collections.abc import Iterator
from threading import Lock
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from pricing.domain.bets import Result
from pricing.domain.cells import winner
from pricing.domain.coup import Side
from pricing.service.images.changes import games_named
from pricing.service.images.offered import round_quote
from pricing.service.telemetry.metric_table import counter, family
from pricing.service.telemetry.scraping import give_way
from pricing.table.events import HoldOwner
from pricing.table.holds import Hold, HoldReason
from pricing.table.state import Entry, Game, GamePhase, OutcomeKind, Table

_UNREAD: Final = 10_000
"""Most confirmed games that wait for somebody to look; of more, the oldest are in no win and in no chance."""
_WINNERS: Final = ("player", "banker", "tie")
_OUTCOMES: Final = {GamePhase.CONFIRMED: "confirmed", GamePhase.VOID: "void"}


def hold_labels(hold: Hold) -> tuple[str, str]:
    """Owner and reason of a hold, as labels: what people write is no label.

    >>> hold_labels(Hold(HoldOwner.TRADER, "odd odds", 0)), hold_labels(Hold(HoldOwner.SYSTEM, "SOURCE_GAP", 0))
    (('trader', 'OTHER'), ('system', 'SOURCE_GAP'))
    """
    return hold.owner.lower(), hold.reason if hold.owner is HoldOwner.SYSTEM else "OTHER"


class Tally:
    """Counts what an event brings about; what needs more than counting is left for whoever scrapes."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Declare the counters; what can be known of their labels is listed from the start, at 0."""
        games, results = counter("games_total", registry), counter("results_total", registry)
        self._games = {phase: games.labels(name) for phase, name in _OUTCOMES.items()}
        self._results = {winner: results.labels(winner) for winner in _WINNERS}
        self._holds = counter("holds_placed_total", registry)
        for labels in [("studio", "OTHER"), ("trader", "OTHER"), *(("system", each) for each in HoldReason)]:
            self._holds.labels(*labels)
        self._unread: deque[tuple[Table, Game]] = deque(maxlen=_UNREAD)
        registry.register(Chances(self._unread))

    def told(self, before: Table | None, entry: Entry, after: Table) -> None:
        """An event was written down; see Told."""
        if before is None:
            return
        if after.holds is not before.holds:
            for hold in after.holds:
                if hold.bet is None and hold not in before.holds:
                    self._holds.labels(*hold_labels(hold)).inc()
        for game in games_named(entry, after):
            if game.phase in self._games and game is not before.game and not _was_over(before, game):
                self._over(game, after)

    def _over(self, game: Game, table: Table) -> None:
        """A game was confirmed or became void."""
        self._games[game.phase].inc()
        if game.phase is GamePhase.CONFIRMED:
            self._results[winner(game.coup.total(Side.PLAYER), game.coup.total(Side.BANKER))].inc()
            if not table.test:
                self._unread.append((table, game))


def _was_over(before: Table, game: Game) -> bool:
    """Whether the game was in this phase before the event."""
    old = before.find_game(game.reference)
    return old is not None and old.phase is game.phase


class Chances(Collector):
    """Wins of each bet, their sum of chances and its variance: of games that were confirmed, read at a scrape."""

    def __init__(self, unread: "deque[tuple[Table, Game]]") -> None:
        """Read these games, and forget them."""
        self._unread = unread
        self._looking = Lock()
        self._sums: dict[str, list[float]] = {}
        """By bet: wins, expected wins, variance."""

    def describe(self) -> Iterator[Family]:
        """The families, empty."""
        return iter(self._families())

    def collect(self) -> Iterator[Family]:
        """The sums up to now."""
        families = self._families()
        with self._looking:
            while self._unread:
                give_way()
                self._add(*self._unread.popleft())
            for bet, sums in self._sums.items():
                for each, value in zip(families, sums, strict=True):
                    each.add_sample(f"{each.name}_total", {"bet": bet}, value)
        return iter(families)

    def _families(self) -> list[Family]:
        return [family(name) for name in ("bet_wins_total", "bet_expected_wins_total", "bet_wins_variance_total")]

    def _add(self, table: Table, game: Game) -> None:
        offer = round_quote(table, game, game.rounds[0], held=False)
        if offer is None or game.outcomes[-1].kind is not OutcomeKind.SETTLED:
            return
        for bet, result in zip(offer.bets, game.results, strict=True):
            chance = bet.win_probability
            sums = self._sums.setdefault(bet.bet, [0.0, 0.0, 0.0])
            for place, value in enumerate((result is Result.WON, chance, chance * (1 - chance))):
                sums[place] += value
