"""What stands at the tables, read from their newest states when somebody scrapes: no event does any work for it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from threading import Lock
from typing import Final, NamedTuple, SupportsFloat, TypeAlias

from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from pricing.engine.books import book_quotes
from pricing.service.images.offered import round_quote
from pricing.service.metrics.tally import hold_labels
from pricing.service.telemetry.metric_table import METRICS, family
from pricing.service.telemetry.scraping import give_way
from pricing.table.state import Table

Readings: TypeAlias = Mapping[str, Sequence[tuple[tuple[str, ...], float]]]
"""By metric: values with their labels after the table's name."""
_Found: TypeAlias = dict[str, list[tuple[tuple[str, ...], float]]]

_BOUNDS: Final = {
    "tables_last_event_timestamp_seconds": "table_last_event_timestamp_seconds",
    "tables_round_open_timestamp_seconds": "table_round_open_timestamp_seconds",
    "tables_cards_remaining": "table_cards_remaining",
    "tables_bet_chance_ratio": "bet_chance_ratio",
    "tables_bet_odds": "bet_odds",
    "tables_bet_return_ratio": "bet_return_ratio",
    "tables_bet_house_edge_ratio": "bet_house_edge_ratio",
    "tables_book_overround_ratio": "book_overround_ratio",
}
"""Metrics that are the minimum and maximum of another one over all tables."""
_COUNTS: Final = ("tables_round", "tables_holds")
"""Metrics that count tables."""


class _Known(NamedTuple):
    table: Table
    readings: Readings


class TableCollector(Collector):
    """The metrics of the first tables by name, and bounds and counts over all that are not closed."""

    def __init__(self, tables: Callable[[], Sequence[Table]], most: int) -> None:
        """Read these.

        Args:
            tables: Every table as it stands, by name; asked from any thread.
            most: Tables with metrics of their own.
        """
        self._tables = tables
        self._most = most
        self._known: dict[str, _Known] = {}
        self._looking = Lock()

    def describe(self) -> Iterator[Family]:
        """The families, empty."""
        return map(family, (*_OF_TABLE, *_BOUNDS, *_COUNTS))

    def collect(self) -> Iterator[Family]:
        """All that stands now: of one table everything is from one state of it."""
        with self._looking:
            self._known = {table.name: self._read(table) for table in self._tables() if not table.closed}
            seen = list(self._known.values())
        for found in chain(_families_of_tables(seen[: self._most]), _bounds(seen), _counts(seen)):
            give_way()  # what is next is made only then
            yield found

    def _read(self, table: Table) -> _Known:
        known = self._known.get(table.name)
        if known and known.table is table:
            return known
        give_way()
        return _Known(table, read_table(table))


def read_table(table: Table) -> Readings:
    """Every reading of one table."""
    offering = table.game.open_round if table.game else None
    opened = offering.open_time if offering else None
    return {
        "table_sequence": [((), table.position)],
        "table_last_event_timestamp_seconds": [((), table.time / 1e6)],
        "table_round": [((), offering.number if offering else 0)],
        "table_round_open_timestamp_seconds": [] if opened is None else [((), opened / 1e6)],
        "table_cards_remaining": [((), table.shoe.left)] if table.shoe else [],
        "table_holds": [
            (labels, 1) for labels in dict.fromkeys(hold_labels(each) for each in table.holds if not each.bet)
        ],
        "table_held_bets": [((), len(table.held_bets))],
        **_prices(table),
    }


_OF_BET: Final = ("bet_chance_ratio", "bet_odds", "bet_return_ratio", "bet_house_edge_ratio")
_OF_BOOK: Final = ("book_margin_ratio", "book_overround_ratio")


def _prices(table: Table) -> Readings:
    """Of the bets and books in the newest round that has opened."""
    found: _Found = {name: [] for name in (*_OF_BET, *_OF_BOOK)}
    game = table.game
    opened = [each for each in game.rounds if each.shoe] if game else []
    offer = round_quote(table, game, opened[-1], held=False) if game and opened else None
    if game is None or offer is None:
        return found
    number = str(opened[-1].number)
    for bet in offer.bets:
        odds, back = float(bet.odds) if bet.odds else None, bet.return_to_player
        values = (bet.win_probability, odds, back, None if back is None else 1 - back)
        _note(found, _OF_BET, values, (number, bet.bet))
    for book in book_quotes(game.game_type, offer, opened[-1].policy):
        _note(found, _OF_BOOK, (book.margin.margin, book.overround), (number, book.book))
    return found


def _note(
    found: _Found, names: tuple[str, ...], values: Iterable[SupportsFloat | None], labels: tuple[str, ...]
) -> None:
    for name, value in zip(names, values, strict=True):
        if value is not None:
            found[name].append((labels, float(value)))


_OF_TABLE: Final = (
    "table_sequence",
    "table_last_event_timestamp_seconds",
    "table_round",
    "table_round_open_timestamp_seconds",
    "table_cards_remaining",
    "table_holds",
    "table_held_bets",
    *_OF_BET,
    *_OF_BOOK,
)


def _families_of_tables(seen: Sequence[_Known]) -> Iterator[Family]:
    for name in _OF_TABLE:
        found = family(name)
        for table, readings in seen:
            for labels, value in readings[name]:
                _add(found, (table.name, *labels), value)
        yield found


def _bounds(seen: Sequence[_Known]) -> Iterator[Family]:
    for name, source in _BOUNDS.items():
        found = family(name)
        values: dict[tuple[str, ...], list[float]] = {}
        for _, readings in seen:
            for labels, value in readings[source]:
                values.setdefault(labels[1:], []).append(value)  # of all rounds
        for labels, several in values.items():
            for bound, value in (("min", min(several)), ("max", max(several))):
                _add(found, (*labels, bound), value)
        yield found


def _counts(seen: Sequence[_Known]) -> Iterator[Family]:
    opened = (value for _, readings in seen for _, value in readings["table_round"] if value)
    rounds: Counter[tuple[str, ...]] = Counter((f"{value:g}",) for value in opened)
    holds = Counter(labels for _, readings in seen for labels, _ in readings["table_holds"])
    for name, counted in zip(_COUNTS, (rounds, holds), strict=True):
        found = family(name)
        for labels, count in sorted(counted.items()):
            _add(found, labels, count)
        yield found


def _add(found: Family, values: Sequence[str], value: float) -> None:
    found.add_sample(found.name, dict(zip(METRICS[found.name].labels, values, strict=True)), value)
