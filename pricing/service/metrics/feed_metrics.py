"""What the feed counts."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry

from pricing.service.telemetry.metric_table import counter, gauge


class FeedMetrics:
    """The metrics of the odds feed."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Declare them."""
        self.images = counter("feed_images_total", registry)
        self.conflated = counter("feed_conflated_total", registry)
        self.evictions = counter("feed_evictions_total", registry)
        self._subscribers = gauge("feed_subscribers", registry)
        self._oldest = gauge("feed_oldest_pending_seconds", registry)

    def watch(self, subscribers: Callable[[], float], oldest: Callable[[], float]) -> None:
        """Ask these whenever somebody looks."""
        self._subscribers.set_function(subscribers)
        self._oldest.set_function(oldest)
