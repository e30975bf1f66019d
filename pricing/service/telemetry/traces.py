"""Traces of events by OpenTelemetry, one an event: from its being received to its image being published."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pricing import __version__
from pricing.service.settings import OFF, InvalidSettings
from pricing.store.rows import NewRow

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_STAGES: Final = ("wait", "decide", "write", "publish")
"""What lies between the moments of an event, each a span."""
_PATIENCE: Final = 5
"""Seconds in which the collector must take spans, or they are dropped."""


class Moments(NamedTuple):
    """When an event was where, by perf_counter."""

    received: float
    """Lined up at its table."""
    taken: float
    """Its turn came."""
    decided: float
    written: float
    """Durable in the journal."""
    published: float
    """Its image was handed to those who watch."""


Traced: TypeAlias = Callable[[NewRow, Moments], object]
"""Takes an event that was published."""


def untraced(_row: NewRow, _moments: Moments) -> None:
    """Trace nothing."""


@contextmanager
def traced(endpoint: str) -> Iterator[Traced]:
    """Send a trace of each event, as long as the block lasts; at its end, what has not been sent.

    Sending is done on a thread of its own. Where the collector does not keep up or does not answer, spans are dropped.

    Args:
        endpoint: URL of a collector that takes OTLP over HTTP, or "off".

    Raises:
        InvalidSettings: The libraries for it are not installed.
    """
    if endpoint == OFF:
        yield untraced
        return
    provider = _provider(endpoint)
    tracer = provider.get_tracer("baccarat-pricing", __version__)
    try:
        yield lambda row, moments: _trace(tracer, row, moments)
    finally:
        provider.shutdown()


def _provider(endpoint: str) -> "TracerProvider":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        allowed = "off, unless it is installed with pip install 'baccarat-pricing[otel]'"
        raise InvalidSettings("traces", endpoint, allowed) from None
    resource = Resource.create({"service.name": "baccarat-pricing", "service.version": __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint, timeout=_PATIENCE)))
    return provider


def _trace(tracer: Any, row: NewRow, moments: Moments) -> None:
    """A span of the event, and in it one of each stage. What was reported is in the journal, not here."""
    from opentelemetry.context import Context
    from opentelemetry.trace import set_span_in_context

    ahead = time.time() - time.perf_counter()
    times = [int(1e9 * (ahead + moment)) for moment in moments]
    attributes = {"table": row.table, "kind": row.kind, "position": row.position}
    whole = tracer.start_span("event", Context(), attributes=attributes, start_time=times[0])
    inside = set_span_in_context(whole)
    for stage, (start, end) in zip(_STAGES, pairwise(times), strict=True):
        tracer.start_span(stage, inside, attributes=attributes, start_time=start).end(end)
    whole.end(times[-1])
