"""What the server counts. Names and labels are those of go-grpc-prometheus, so that its dashboards and alerts work."""

import platform
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import grpc
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from pricing import __version__
from pricing.service.feed.metrics import FeedMetrics
from pricing.table.codec import KINDS
from pricing.table.state import TablePhase

_BUCKETS: Final = tuple(round(100e-6 * 2**power, 6) for power in range(14))
"""From 100 microseconds to 0.8 seconds."""
_METHOD: Final = ("grpc_type", "grpc_service", "grpc_method")


def code_label(code: grpc.StatusCode) -> str:
    """A status code as Go writes it, which is what dashboards ask for.

    >>> code_label(grpc.StatusCode.INVALID_ARGUMENT), code_label(grpc.StatusCode.CANCELLED)
    ('InvalidArgument', 'Canceled')
    """
    if code is grpc.StatusCode.OK:
        return "OK"
    if code is grpc.StatusCode.CANCELLED:
        return "Canceled"
    return "".join(word.capitalize() for word in code.name.split("_"))


class ServerMetrics:
    """The metrics of one server, in a registry of their own."""

    def __init__(self) -> None:
        """Declare them."""
        registry = self.registry = CollectorRegistry()
        self.started = Counter("grpc_server_started_total", "Calls begun.", _METHOD, registry=registry)
        self.handled = Counter(
            "grpc_server_handled_total", "Calls ended, by status code.", (*_METHOD, "grpc_code"), registry=registry
        )
        self.seconds = Histogram(
            "grpc_server_handling_seconds",
            "From a call's beginning to its end.",
            _METHOD,
            buckets=_BUCKETS,
            registry=registry,
        )
        self.received = Counter("grpc_server_msg_received_total", "Messages received.", _METHOD, registry=registry)
        self.sent = Counter("grpc_server_msg_sent_total", "Messages sent.", _METHOD, registry=registry)
        self.in_flight = Gauge("grpc_server_in_flight_calls", "Calls begun and not ended.", _METHOD, registry=registry)
        self.errors = Counter(
            "baccarat_pricing_errors_total",
            "Calls and messages of streams answered with an error, by its reason.",
            ("grpc_service", "grpc_method", "reason"),
            registry=registry,
        )
        build = Gauge(
            "baccarat_pricing_build_info",
            "1, with the versions that are running.",
            ("version", "grpc", "python"),
            registry=registry,
        )
        build.labels(__version__, grpc.__version__, platform.python_version()).set(1)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)

        self.tables = TableMetrics(registry)
        """Of live tables."""
        self.feed = FeedMetrics(registry)
        """Of the odds feed."""

    def of_method(self, shape: str, service: str, method: str) -> "MethodMetrics":
        """The metrics of one method."""
        return MethodMetrics(self, shape, service, method)


class MethodMetrics:
    """The metrics of one method, looked up once."""

    __slots__ = ("_all", "_errors", "_handled", "_method", "in_flight", "received", "seconds", "sent", "started")

    def __init__(self, metrics: ServerMetrics, shape: str, service: str, method: str) -> None:
        """Bind them; those of every method there is are listed from the start, at 0."""
        self._all = metrics
        self._method = (shape, service, method)
        self._handled: dict[grpc.StatusCode, Counter] = {}
        self._errors: dict[str, Counter] = {}
        self.started = metrics.started.labels(*self._method)
        self.received = metrics.received.labels(*self._method)
        self.sent = metrics.sent.labels(*self._method)
        self.seconds = metrics.seconds.labels(*self._method)
        self.in_flight = metrics.in_flight.labels(*self._method)
        self.handled(grpc.StatusCode.OK)

    def handled(self, code: grpc.StatusCode) -> Counter:
        """Calls that ended with this code."""
        if code not in self._handled:
            self._handled[code] = self._all.handled.labels(*self._method, code_label(code))
        return self._handled[code]

    def errors(self, reason: str) -> Counter:
        """Calls, or messages of streams, answered with an error for this reason."""
        if reason not in self._errors:
            self._errors[reason] = self._all.errors.labels(*self._method[1:], reason)
        return self._errors[reason]


class TableMetrics:
    """The metrics of live tables."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Declare them and bind them; every kind of event is listed from the start, at 0."""
        events = Counter(
            "baccarat_pricing_events_total",
            "Events of tables written down, by what became of them; repeated ones were there already.",
            ("kind", "outcome"),
            registry=registry,
        )
        self._events = {
            kind: [events.labels(kind, outcome) for outcome in ("taken", "refused", "repeated")] for kind in KINDS
        }
        self._append = Histogram(
            "baccarat_pricing_journal_append_seconds",
            "From an event's decision to its being durable.",
            buckets=_BUCKETS,
            registry=registry,
        )
        self.journal_fault = Gauge(
            "baccarat_pricing_journal_fault", "1 while nothing can be written down, else 0.", registry=registry
        )
        self._tables = Gauge("baccarat_pricing_tables", "Tables, by state.", ("state",), registry=registry)

    def count_tables(self, states: Callable[[], Mapping[TablePhase, int]]) -> None:
        """Ask this for the tables of each state whenever somebody looks."""
        for phase in TablePhase:
            self._tables.labels(phase.lower()).set_function(partial(_of_phase, states, phase))

    def recorded(self, kind: str, seconds: float, *, refused: bool) -> None:
        """An event was written down."""
        self._events[kind][refused].inc()
        self._append.observe(seconds)

    def repeated(self, kind: str) -> None:
        """An event had been written down before."""
        self._events[kind][2].inc()


def _of_phase(states: Callable[[], Mapping[TablePhase, int]], phase: TablePhase) -> float:
    return states().get(phase, 0)
