"""The feed: hears of every event, makes its image, and has it sent to everybody who watches the table."""

import logging
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.clock import Clock
from pricing.service.feed.batches import Batches
from pricing.service.feed.beats import Beats, Sequences
from pricing.service.feed.line import Line, published
from pricing.service.feed.pacer import Pacer
from pricing.service.feed.pending import Pending
from pricing.service.feed.published import HEARTBEAT, Published, framed
from pricing.service.feed.subscriber import Subscriber
from pricing.service.feed.wish import Wish
from pricing.service.floor.checkpoints import WEEK
from pricing.service.floor.floor import Floor
from pricing.service.images.changes import last_must_see
from pricing.service.messages.times import time_message
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.settings import Settings
from pricing.table.state import Entry, Table

_logger = logging.getLogger(__name__)

_LATE = 1.0
"""Seconds that an image or a commit may wait before the feed says that it is delayed."""


class Feed:
    """Everybody who watches, and the newest image of each table that anybody has watched."""

    def __init__(self, floor: Floor, clock: Clock, metrics: FeedMetrics, settings: Settings) -> None:
        """Have nobody yet.

        Args:
            floor: The tables. It is to tell ``told`` what happens at them.
            clock: Says when.
            metrics: What is counted.
            settings: Bounds and paces.
        """
        self.metrics = metrics
        self.pacer = Pacer(settings.feed_batch, settings.feed_pause)
        self.beats = Beats()
        self.write_timeout = settings.write_timeout
        self.most_must_see = settings.feed_must_see
        self._floor = floor
        self._clock = clock
        self._sequences = Sequences(floor.epoch)
        self._lines: dict[str, Line] = {}
        self._subscribers: dict[Subscriber, None] = {}
        self._watchers: dict[str, dict[Subscriber, None]] = {}
        """By table; under an empty name those who watch all."""
        self._batches = Batches()
        metrics.watch(lambda: len(self._subscribers), self.oldest_pending)

    @property
    def epoch(self) -> str:
        """Of the sequences."""
        return self._floor.epoch

    def now(self) -> int:
        """Microseconds since 1970 UTC."""
        return self._clock.now()

    def told(self, before: Table | None, entry: Entry, after: Table) -> None:
        """Make and send the image of an event that was written down."""
        try:
            if line := self._lines.get(after.name):
                self._send(line.add(before, entry, after, self._floor.outage.since))
            elif self._watchers.get(""):
                self._send(self._begun(after).newest)
        except Exception:  # the table goes on; its watchers see the gap
            _logger.exception("an image was not made")

    def told_of_outage(self) -> None:
        """Send the newest image of each table again, as nothing can be written down, or can again."""
        for line in self._lines.values():
            line.newest = line.newest.under(self._floor.outage.since)
            self._send(line.newest.again())

    @contextmanager
    def subscribe(self, wish: Wish) -> Iterator[Subscriber]:
        """Have somebody watch for as long as the block lasts.

        Raises:
            UnknownTable: A table that there is not.
        """
        for name in wish.tables:
            self._floor.table(name)
        subscriber = Subscriber(self, wish)
        self._subscribers[subscriber] = None
        names = wish.tables or ("",)
        for name in names:
            self._watchers.setdefault(name, {})[subscriber] = None
        try:
            yield subscriber
        finally:
            del self._subscribers[subscriber]
            for name in names:
                del self._watchers[name][subscriber]
                if not self._watchers[name]:
                    del self._watchers[name]

    def newest(self, name: str) -> Published:
        """The newest image of a table.

        Raises:
            UnknownTable: No such table.
        """
        return self._line(name).newest

    def newest_of(self, wish: Wish) -> Iterator[Published]:
        """The newest image of each table that somebody wants to watch, by name."""
        names = sorted(wish.tables) if wish.tables else [table.name for table in self._floor.tables()]
        return (self._line(name).newest for name in names)

    def missed(self, name: str, after: int, last: Published) -> AsyncGenerator[Sequence[Published], None]:
        """The must-see images of a table between a sequence and an image, in batches."""
        oldest = self._floor.checkpoints.oldest(name)
        if oldest and last_must_see(oldest) <= after:
            after = max(after, oldest.position)
        return self._line(name).missed(after, last)

    def forgotten(self, name: str, after: int) -> bool:
        """Whether a must-see image after a sequence is known to be too old, without reading the journal."""
        oldest = self._floor.checkpoints.oldest(name)
        return oldest is not None and self.too_old(oldest) and last_must_see(oldest) > after

    def too_old(self, table: Table) -> bool:
        """Whether a table stood like that so long ago that those who missed it begin anew."""
        return self.now() - table.time > WEEK

    def heartbeat(self, wish: Wish, known: Mapping[str, int], pending: Pending) -> bytes:
        """What says that the service is alive, to one who knows of these sequences and for whom these images wait."""
        if wish.plain:
            shared = self._sequences.shared(wish.tables, lambda: self._newest(wish))
        else:
            shared = self._sequences.own(known.items())
        own = pb.Heartbeat(server_time=time_message(self.now()), state=self._state(pending))
        return framed(HEARTBEAT, shared, own.SerializeToString())

    def oldest_pending(self) -> float:
        """Seconds for which the image has waited that waits longest; from any thread."""
        since = [oldest for each in list(self._subscribers) if (oldest := each.oldest) is not None]
        return monotonic() - min(since) if since else 0.0

    def _newest(self, wish: Wish) -> Iterator[tuple[str, int]]:
        return ((image.name, image.sequence) for image in self.newest_of(wish))

    def _state(self, pending: Pending) -> "pb.FeedState.ValueType":
        if self._floor.outage.since is not None:
            return pb.FEED_STATE_DOWN
        oldest = pending.oldest
        waits = oldest is not None and monotonic() - oldest > _LATE
        return pb.FEED_STATE_DELAYED if waits or self._floor.append_waits > _LATE else pb.FEED_STATE_UP

    def _send(self, image: Published) -> None:
        self._sequences.changed()
        for name in (image.name, ""):
            for subscriber in self._watchers.get(name, ()):
                subscriber.offer(image)

    def _line(self, name: str) -> Line:
        return self._lines.get(name) or self._begun(self._floor.table(name))

    def _begun(self, table: Table) -> Line:
        before, entry = self._floor.last_event(table.name)
        newest = published(before, entry, table, self.epoch, self._floor.outage.since, last_must_see(table))
        line = self._lines[table.name] = Line(newest, self._floor.history, self._batches)
        return line
