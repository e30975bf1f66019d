"""One caller who watches: what waits for them, what they were sent, and what comes next."""

from typing import TYPE_CHECKING

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.feed.delay import Delay
from pricing.service.feed.outlet import Outlet, Write, resume_at
from pricing.service.feed.pending import Pending
from pricing.service.feed.published import Published
from pricing.service.feed.wish import Wish
from pricing.service.image import time_message

if TYPE_CHECKING:
    from pricing.service.feed.feed import Feed


class Subscriber:
    """Sends to one caller. Made by ``Feed.subscribe``, which also forgets it."""

    def __init__(self, feed: "Feed", wish: Wish) -> None:
        """Send nothing yet."""
        self.wish = wish
        self.pending = Pending()
        self.known: dict[str, int] = {}
        """The newest sequence of each table that may be told, for one whose wish is not plain."""
        self._feed = feed
        self._outlet = Outlet(feed.pacer, feed.metrics.evictions, self._resume)
        self._delay = Delay(wish.delay, self._take, self._ask)
        self._sent: dict[str, int] = {}
        self._reasons: dict[str, pb.SnapshotReason.ValueType] = {}
        self._beat_due = False

    def offer(self, image: Published) -> None:
        """Have an image sent, now or when the delay is over."""
        self._delay.add(image)

    def beat(self) -> None:
        """A heartbeat is due."""
        self._outlet.check(self._feed.write_timeout)
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
            self._feed.beats.leave(self, self.wish.heartbeat)

    async def _begin(self) -> None:
        """Send what the caller missed and an image of each table."""
        first = [line.newest for line in self._feed.lines_of(self.wish)]
        plans = {image.name: self._plan(image) for image in first}
        self._feed.beats.join(self, self.wish.heartbeat)
        for image in first:
            self.offer(image)
        if self.wish.delay:
            await self._sit_out()
        for image in first:
            name = image.name
            if (after := plans[name]) is not None:
                async for missed in self._feed.missed(name, after, image):
                    if self._feed.too_old(missed):
                        self._reasons[name] = pb.SNAPSHOT_REASON_TOO_OLD
                        del self._sent[name]
                        break
                    await self._paced(missed, historical=True)
            while self.pending.has(name):
                await self._paced(self.pending.next(name))
        await self._outlet.write(
            pb.WatchTablesResponse(
                snapshot_complete=pb.SnapshotComplete(server_time=time_message(self._feed.now()))
            ).SerializeToString()
        )

    def _plan(self, image: Published) -> int | None:
        """From which sequence the caller goes on; None when they get a snapshot."""
        name, wish = image.name, self.wish
        after = wish.sequences.get(name)
        if after is None:
            self._reasons[name] = pb.SNAPSHOT_REASON_NEW
        elif wish.epoch != image.epoch:
            self._reasons[name] = pb.SNAPSHOT_REASON_UNKNOWN_EPOCH
        elif not 0 < after <= image.sequence:
            self._reasons[name] = pb.SNAPSHOT_REASON_UNKNOWN_SEQUENCE
        else:
            self._sent[name] = after
            return after
        return None

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
        name = image.name
        own = pb.TableImage(
            previous_sequence=self._sent.get(name, 0),
            historical=historical or self.wish.must_see_only,
            snapshot_reason=self._reasons.pop(name, pb.SNAPSHOT_REASON_UNSPECIFIED),
            server_time=time_message(self._feed.now()),
        )
        await self._outlet.write(image.frame(own))
        self._sent[name] = image.sequence
        self._feed.metrics.images.inc()

    async def _beat(self) -> None:
        self._beat_due = False
        await self._outlet.write(self._feed.heartbeat(self))

    def _take(self, image: Published) -> None:
        if not self.wish.plain:
            if self.wish.must_see_only and not image.must_see and image.name in self.known:
                return
            self.known[image.name] = image.sequence
        if self.pending.add(image):
            self._feed.metrics.conflated.inc()
        if self.pending.must_see > self._feed.most_must_see:
            self._outlet.evict(f"more than {self._feed.most_must_see} images that must be seen wait")
        self._ask()

    def _resume(self) -> dict[str, str]:
        return resume_at(self._feed.epoch, self._sent.items())
