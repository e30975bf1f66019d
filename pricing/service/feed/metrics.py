"""What the feed counts."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge


class FeedMetrics:
    """The metrics of the odds feed."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Declare them."""
        self.images = Counter("baccarat_pricing_feed_images_total", "Images sent to subscribers.", registry=registry)
        self.conflated = Counter(
            "baccarat_pricing_feed_conflated_total",
            "Images that a newer one of their table replaced before they were sent.",
            registry=registry,
        )
        self.evictions = Counter(
            "baccarat_pricing_feed_evictions_total", "Subscribers ended as they read too slowly.", registry=registry
        )
        self._subscribers = Gauge("baccarat_pricing_feed_subscribers", "Callers who watch.", registry=registry)
        self._oldest = Gauge(
            "baccarat_pricing_feed_oldest_pending_seconds",
            "How long the image has waited that waits longest.",
            registry=registry,
        )

    def watch(self, subscribers: Callable[[], float], oldest: Callable[[], float]) -> None:
        """Ask these whenever somebody looks."""
        self._subscribers.set_function(subscribers)
        self._oldest.set_function(oldest)
