"""What those who send to callers ask of the feed."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Protocol

from pricing.service.feed.beats import Beats
from pricing.service.feed.pacer import Pacer
from pricing.service.feed.pending import Pending
from pricing.service.feed.published import Published
from pricing.service.feed.wish import Wish
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.table.state import Table


class Source(Protocol):
    """The feed, as a subscriber sees it."""

    metrics: FeedMetrics
    pacer: Pacer
    beats: Beats
    write_timeout: float
    most_must_see: int

    @property
    def epoch(self) -> str:
        """Of the sequences."""

    def now(self) -> int:
        """Microseconds since 1970 UTC."""

    def newest_of(self, wish: Wish) -> Iterable[Published]:
        """The newest image of each table that is watched."""

    def missed(self, name: str, after: int, last: Published) -> AsyncGenerator[Sequence[Published], None]:
        """The must-see images of a table between a sequence and an image, in batches."""

    def forgotten(self, name: str, after: int) -> bool:
        """Whether a must-see image after a sequence is known to be too old, without reading the journal."""

    def too_old(self, table: Table) -> bool:
        """Whether who missed a table as it stood then begins anew."""

    def heartbeat(self, wish: Wish, known: Mapping[str, int], pending: Pending) -> bytes:
        """What says that the service is alive, to one who knows of these sequences and for whom these images wait."""
