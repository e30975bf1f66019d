"""One caller who watches: what waits for them, and what comes next."""

from collections.abc import AsyncIterator, Iterable
from typing import Protocol

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.feed.beats import Beats
from pricing.service.feed.delay import Delay
from pricing.service.feed.outlet import Outlet, Write
from pricing.service.feed.pacer import Pacer
from pricing.service.feed.pending import Pending
from pricing.service.feed.places import Places
from pricing.service.feed.published import Published
from pricing.service.feed.wish import Wish
from pricing.service.messages.times import time_message
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.table.state import Table


class Source(Protocol):
    """What a subscriber asks of the feed."""

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

    def missed(self, name: str, after: int, last: Published) -> AsyncIterator[Published]:
        """The must-see images of a table between a sequence and an image."""

    def forgotten(self, name: str, after: int) -> bool:
        """Whether a must-see image after a sequence is known to be too old, without reading the journal."""

    def too_old(self, table: Table) -> bool:
        """Whether who missed a table as it stood then begins anew."""

    def heartbeat(self, subscriber: "Subscriber") -> bytes:
        """What says that the service is alive."""


class Subscriber:
    """Sends to one caller. Made by ``Feed.subscribe``, which also forgets it."""

    def __init__(self, source: Source, wish: Wish) -> None:
        """Send nothing yet."""
        self.wish = wish
        self.pending = Pending()
        self.known: dict[str, int] = {}
        """The newest sequence of each table that may be told, for one whose wish is not plain."""
        self._source = source
        self._places = Places(wish)
        self._outlet = Outlet(source.pacer, source.metrics.evictions, lambda: self._places.resume(source.epoch))
        self._delay = Delay(wish.delay, self._take, self._ask)
        self._beat_due = False

    def offer(self, image: Published) -> None:
        """Have an image sent, now or when the delay is over."""
        self._delay.add(image)

    def beat(self) -> None:
        """A heartbeat is due."""
        self._outlet.check(self._source.write_timeout)
        self._beat_due = True
        self._ask()

    async def run(self, write: Write) -> None:
        """Send until the caller goes away.

        Raises:
            SlowConsumer: The caller reads too slowly.
            JournalError: What the caller missed cannot be read.
        """
        try:
            async with self._outlet.open(write):
                await self._begin()
                while True:
                    await self._turn(needed=False)
                    if self._beat_due:
                        await self._beat()
                    elif self.pending:
                        await self._send(self.pending.next())
        finally:
            self._delay.stop()
            self._source.beats.leave(self, self.wish.heartbeat)

    async def _begin(self) -> None:
        """Send what the caller missed and an image of each table."""
        first = list(self._source.newest_of(self.wish))
        plans = {image.name: self._places.begin(image) for image in first}
        self._source.beats.join(self, self.wish.heartbeat)
        for image in first:
            self.offer(image)
        if self.wish.delay:
            await self._sit_out()
        for image in first:
            name = image.name
            if (after := plans[name]) is not None:
                await self._make_up_for(image, after)
            while self.pending.has(name):
                await self._paced(self.pending.next(name))
        await self._outlet.write(
            pb.WatchTablesResponse(
                snapshot_complete=pb.SnapshotComplete(server_time=time_message(self._source.now()))
            ).SerializeToString()
        )

    async def _make_up_for(self, image: Published, after: int) -> None:
        """Send what the caller missed of a table."""
        if self._source.forgotten(image.name, after):
            self._places.too_old(image.name)
            return
        async for missed in self._source.missed(image.name, after, image):
            if self._source.too_old(missed.table):
                self._places.too_old(image.name)
                return
            await self._paced(missed, historical=True)

    async def _sit_out(self) -> None:
        """Let the delay go by before anything is told of the tables; only that the service is alive."""
        while not self.pending:
            await self._turn(needed=False)
            if self._beat_due:
                await self._beat()
            if not self._delay and not self.pending:
                return

    async def _paced(self, image: Published, *, historical: bool = False) -> None:
        await self._turn(needed=True)
        if self._beat_due:
            await self._beat()
        await self._send(image, historical=historical)

    async def _turn(self, *, needed: bool) -> None:
        turn = self._outlet.next_turn()
        if needed or self.pending or self._beat_due:
            self._ask()
        await turn

    def _ask(self) -> None:
        self._outlet.ask(urgent=self.pending.urgent)

    async def _send(self, image: Published, *, historical: bool = False) -> None:
        own = self._places.own(image.name, historical=historical)
        await self._outlet.write(image.frame(own, self._source.now()))
        self._places.sent(image)
        self._source.metrics.images.inc()

    async def _beat(self) -> None:
        self._beat_due = False
        await self._outlet.write(self._source.heartbeat(self))

    def _take(self, image: Published) -> None:
        if not self.wish.plain:
            if self.wish.must_see_only and not image.must_see and image.name in self.known:
                return
            self.known[image.name] = image.sequence
        if self.pending.add(image):
            self._source.metrics.conflated.inc()
        if self.pending.must_see > self._source.most_must_see:
            self._outlet.evict(f"more than {self._source.most_must_see} images that must be seen wait")
        self._ask()
