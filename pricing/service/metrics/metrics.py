"""What the server counts. Names and labels are those of go-grpc-prometheus, so that its dashboards and alerts work."""

import platform
from collections.abc import Callable, Mapping
from functools import partial

import grpc
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from pricing import __version__
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.metrics.tally import Tally
from pricing.service.telemetry.metric_table import counter, gauge, histogram
from pricing.service.telemetry.quoting import QUOTE_SECONDS
from pricing.service.telemetry.traces import Moments, Traced, untraced
from pricing.store.rows import NewRow
from pricing.table.codec import KINDS
from pricing.table.state import TablePhase


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
        self.started = counter("grpc_server_started_total", registry)
        self.handled = counter("grpc_server_handled_total", registry)
        self.seconds = histogram("grpc_server_handling_seconds", registry)
        self.received = counter("grpc_server_msg_received_total", registry)
        self.sent = counter("grpc_server_msg_sent_total", registry)
        self.in_flight = gauge("grpc_server_in_flight_calls", registry)
        self.errors = counter("errors_total", registry)
        build = gauge("build_info", registry)
        build.labels(__version__, grpc.__version__, platform.python_version()).set(1)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)

        registry.register(QUOTE_SECONDS)
        self.tables = TableMetrics(registry)
        """Of live tables."""
        self.tally = Tally(registry)
        """Of their games."""
        self.feed = FeedMetrics(registry)
        """Of the odds feed."""

    def watch_certificate(self, expiry: Callable[[], float]) -> None:
        """Ask this for when the server's certificate expires, in seconds since 1970 UTC."""
        gauge("tls_certificate_expiry_timestamp_seconds", self.registry).set_function(expiry)

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
        events = counter("events_total", registry)
        self._events = {
            kind: [events.labels(kind, outcome) for outcome in ("taken", "refused", "repeated")] for kind in KINDS
        }
        self._append = histogram("journal_append_seconds", registry)
        self._publish = histogram("event_publish_seconds", registry)
        self.journal_fault = gauge("journal_fault", registry)
        self.journal_waits = gauge("journal_waits_seconds", registry)
        self._tables = gauge("tables", registry)
        self.traced: Traced = untraced
        """Is told of each event that was published."""

    def count_tables(self, states: Callable[[], Mapping[TablePhase, int]]) -> None:
        """Ask this for the tables of each state whenever somebody looks."""
        for phase in TablePhase:
            self._tables.labels(phase.lower()).set_function(partial(_of_phase, states, phase))

    def recorded(self, kind: str, seconds: float, *, refused: bool) -> None:
        """An event was written down."""
        self._events[kind][refused].inc()
        self._append.observe(seconds)

    def published(self, row: NewRow, moments: Moments) -> None:
        """The image of an event was handed to those who watch."""
        self._publish.observe(moments.published - moments.received)
        self.traced(row, moments)

    def repeated(self, kind: str) -> None:
        """An event had been written down before."""
        self._events[kind][2].inc()


def _of_phase(states: Callable[[], Mapping[TablePhase, int]], phase: TablePhase) -> float:
    return states().get(phase, 0)
