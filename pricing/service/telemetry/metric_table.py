"""Every metric of the server, as data: its name, kind, labels and meaning. What is not here cannot be counted."""

from enum import StrEnum, unique
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.metrics_core import Metric as Family

from pricing.service.telemetry.scraping import Samples

BUCKETS: Final = tuple(round(100e-6 * 2**power, 6) for power in range(14))
"""Of every histogram: from 100 microseconds to 0.8 seconds."""


@unique
class Kind(StrEnum):
    """A metric's type, as Prometheus calls it."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Metric(NamedTuple):
    """The description of one metric."""

    name: str
    """With the unit and, for a counter, `_total` at its end."""
    kind: Kind
    labels: tuple[str, ...]
    help: str


_METHOD: Final = ("grpc_type", "grpc_service", "grpc_method")
_PRICE: Final = ("table", "round", "bet")
_C, _G, _H = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM
_OWN: Final = "baccarat_pricing_"

_ROWS: Final = (
    Metric("grpc_server_started_total", _C, _METHOD, "Calls begun."),
    Metric("grpc_server_handled_total", _C, (*_METHOD, "grpc_code"), "Calls ended, by status code."),
    Metric("grpc_server_handling_seconds", _H, _METHOD, "From a call's beginning to its end."),
    Metric("grpc_server_msg_received_total", _C, _METHOD, "Messages received."),
    Metric("grpc_server_msg_sent_total", _C, _METHOD, "Messages sent."),
    Metric("grpc_server_in_flight_calls", _G, _METHOD, "Calls begun and not ended."),
    Metric(
        _OWN + "errors_total",
        _C,
        (*_METHOD[1:], "reason"),
        "Calls and messages of streams answered with an error, by its reason.",
    ),
    Metric(_OWN + "build_info", _G, ("version", "grpc", "python"), "1, with the versions that are running."),
    Metric(
        _OWN + "tls_certificate_expiry_timestamp_seconds",
        _G,
        (),
        "When the server's certificate expires; absent without TLS.",
    ),
    Metric(
        _OWN + "events_total",
        _C,
        ("kind", "outcome"),
        "Events of tables written down, by what became of them; repeated ones were there already. Burns, voids and "
        "cancellations are kinds.",
    ),
    Metric(_OWN + "journal_append_seconds", _H, (), "From an event's decision to its being durable."),
    Metric(
        _OWN + "event_publish_seconds",
        _H,
        (),
        "From an event's being lined up at its table to its image being handed to those who watch.",
    ),
    Metric(_OWN + "quote_seconds", _H, (), "Time of the kernel and the odds for one state of a coup."),
    Metric(_OWN + "journal_fault", _G, (), "1 while nothing can be written down, else 0."),
    Metric(_OWN + "journal_waits_seconds", _G, (), "For how long the journal has answered nothing."),
    Metric(_OWN + "tables", _G, ("state",), "Tables, by state."),
    Metric(_OWN + "feed_images_total", _C, (), "Images sent to subscribers."),
    Metric(
        _OWN + "feed_conflated_total", _C, (), "Images that a newer one of their table replaced before they were sent."
    ),
    Metric(_OWN + "feed_evictions_total", _C, (), "Subscribers ended as they read too slowly."),
    Metric(_OWN + "feed_subscribers", _G, (), "Callers who watch."),
    Metric(_OWN + "feed_oldest_pending_seconds", _G, (), "How long the image has waited that waits longest."),
    Metric(_OWN + "games_total", _C, ("outcome",), "Games that were confirmed, and games that became void."),
    Metric(_OWN + "results_total", _C, ("winner",), "Confirmed games, by winner."),
    Metric(
        _OWN + "holds_placed_total",
        _C,
        ("owner", "reason"),
        "Holds placed on whole tables. The reason of a studio's or a trader's is OTHER.",
    ),
    Metric(
        _OWN + "bet_wins_total", _C, ("bet",), "Confirmed games at tables that are no test in which the bet was won."
    ),
    Metric(_OWN + "bet_expected_wins_total", _C, ("bet",), "Sum of the bet's chances in round 1 of the same games."),
    Metric(_OWN + "bet_wins_variance_total", _C, ("bet",), "Sum of chance times one less chance of the same games."),
    Metric(_OWN + "table_sequence", _G, ("table",), "Sequence of the table's image that the metrics of it are of."),
    Metric(_OWN + "table_last_event_timestamp_seconds", _G, ("table",), "When the table's last event was."),
    Metric(_OWN + "table_round", _G, ("table",), "The betting round that is open, 0 for none."),
    Metric(
        _OWN + "table_round_open_timestamp_seconds", _G, ("table",), "When that round opened; absent while none is."
    ),
    Metric(_OWN + "table_cards_remaining", _G, ("table",), "Cards that can still be dealt from the table's shoe."),
    Metric(_OWN + "table_holds", _G, ("table", "owner", "reason"), "1 for each hold on the whole table."),
    Metric(_OWN + "table_held_bets", _G, ("table",), "Bets that are held by themselves."),
    Metric(_OWN + "bet_chance_ratio", _G, _PRICE, "Chance that the bet wins, in the newest round of the table's game."),
    Metric(_OWN + "bet_odds", _G, _PRICE, "Decimal odds of the bet, while they are shown."),
    Metric(_OWN + "bet_return_ratio", _G, _PRICE, "What a unit on the bet returns on average at these odds."),
    Metric(_OWN + "bet_house_edge_ratio", _G, _PRICE, "What the house keeps of it: one less the return."),
    Metric(
        _OWN + "book_overround_ratio",
        _G,
        ("table", "round", "book"),
        "By how much the chances quoted in a two-way book sum to more than 1, while its odds are shown.",
    ),
    Metric(
        _OWN + "book_margin_ratio",
        _G,
        ("table", "round", "book"),
        "Margin that the odds of a book's first bet are made with, as the table's policy shifts it.",
    ),
    Metric(_OWN + "tables_round", _G, ("round",), "Tables with this betting round open, of all tables."),
    Metric(_OWN + "tables_holds", _G, ("owner", "reason"), "Tables with this hold, of all tables."),
    Metric(
        _OWN + "tables_last_event_timestamp_seconds",
        _G,
        ("bound",),
        "When the last event was: min and max over all tables.",
    ),
    Metric(
        _OWN + "tables_round_open_timestamp_seconds",
        _G,
        ("bound",),
        "When the open round opened: min and max over all tables with one.",
    ),
    Metric(_OWN + "tables_cards_remaining", _G, ("bound",), "Cards remaining: min and max over all tables."),
    Metric(_OWN + "tables_bet_chance_ratio", _G, ("bet", "bound"), "Chance of a bet: min and max over all tables."),
    Metric(_OWN + "tables_bet_odds", _G, ("bet", "bound"), "Odds of a bet: min and max over all tables."),
    Metric(_OWN + "tables_bet_return_ratio", _G, ("bet", "bound"), "Return of a bet: min and max over all tables."),
    Metric(
        _OWN + "tables_bet_house_edge_ratio", _G, ("bet", "bound"), "House edge of a bet: min and max over all tables."
    ),
    Metric(
        _OWN + "tables_book_overround_ratio", _G, ("book", "bound"), "Overround of a book: min and max over all tables."
    ),
)
METRICS: Final = {row.name: row for row in _ROWS}
"""Every metric by name; those of the process and of Python come from prometheus-client."""


def _row(name: str, kind: Kind) -> Metric:
    row = METRICS[name] if name in METRICS else METRICS[_OWN + name]
    if row.kind is not kind:
        raise TypeError(f"{row.name} is a {row.kind}")
    return row


def counter(name: str, registry: CollectorRegistry) -> Counter:
    """A counter of the table, by its name with or without the prefix of ours."""
    row = _row(name, _C)
    return Counter(row.name, row.help, row.labels, registry=registry)


def gauge(name: str, registry: CollectorRegistry) -> Gauge:
    """A gauge of the table."""
    row = _row(name, _G)
    return Gauge(row.name, row.help, row.labels, registry=registry)


def histogram(name: str, registry: CollectorRegistry | None) -> Histogram:
    """A histogram of the table; without a registry for one that is registered later."""
    row = _row(name, _H)
    return Histogram(row.name, row.help, row.labels, buckets=BUCKETS, registry=registry)


def family(name: str) -> Family:
    """A gauge or counter of the table, empty, for a collector that reads its values when somebody looks."""
    row = METRICS[_OWN + name]
    found = Family(row.name.removesuffix("_total"), row.help, row.kind)
    found.samples = Samples()
    return found


def markdown_table() -> str:
    """The metrics as they are listed for users, one row each."""
    rows = [
        f"| `{row.name}` | {row.kind} | {', '.join(f'`{each}`' for each in row.labels) or '–'} | {row.help} |"
        for row in _ROWS
    ]
    return "\n".join(["| Metric | Kind | Labels | |", "| --- | --- | --- | --- |", *rows])
