"""One caller who watches: what they missed, and then every image as it comes."""

import logging
from collections.abc import Sequence
from contextlib import aclosing

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.calls.logs import facts
from pricing.service.feed.delay import Delay
from pricing.service.feed.outlet import Write
from pricing.service.feed.published import Published
from pricing.service.feed.sender import Sender
from pricing.service.feed.source import Source
from pricing.service.feed.wish import Wish
from pricing.service.messages.times import time_message
from pricing.store.journal import JournalError

_logger = logging.getLogger(__name__)


class Subscriber:
    """Sends to one caller what they wish. Made by ``Feed.subscribe``, which also forgets it."""

    def __init__(self, source: Source, wish: Wish) -> None:
        """Send nothing yet."""
        self._wish = wish
        self._source = source
        self._known: dict[str, int] = {}
        """The newest sequence of each table that may be told, for one whose wish is not plain."""
        self._sender = Sender(source, wish, self.heartbeat)
        self._pending = self._sender.pending
        self._delay = Delay(wish.delay, self._take, self._sender.ask)
        self._begun = False
        """Whether the newest images are waiting: those from before are not to be sent."""

    @property
    def oldest(self) -> float | None:
        """Since when the image has waited that waits longest, on the monotonic clock; from any thread."""
        return self._pending.oldest

    def offer(self, image: Published) -> None:
        """Have an image sent, now or when the delay is over."""
        if self._begun:
            self._delay.add(image)

    def beat(self) -> None:
        """A heartbeat is due."""
        self._sender.beat()

    def heartbeat(self) -> bytes:
        """What the caller is told to know that the service is alive."""
        return self._source.heartbeat(self._wish, self._known, self._pending)

    async def run(self, write: Write) -> None:
        """Send until the caller goes away.

        Raises:
            SlowConsumer: The caller reads too slowly.
        """
        try:
            async with self._sender.outlet.open(write):
                await self._begin()
                while True:
                    await self._sender.go_on()
        finally:
            self._delay.stop()
            self._source.beats.leave(self, self._wish.heartbeat)

    async def _begin(self) -> None:
        """Send what the caller missed and an image of each table."""
        first = list(self._source.newest_of(self._wish))
        plans = {image.name: self._sender.places.begin(image) for image in first}
        self._source.beats.join(self, self._wish.heartbeat)
        self._begun = True
        for image in first:
            self.offer(image)
        while self._delay and not self._pending:  # nothing is told of the tables before the delay has gone by
            await self._sender.beat_if_due()
        for image in first:
            name = image.name
            if (after := plans[name]) is not None:
                await self._make_up_for(image, after)
            while self._pending.has(name):
                await self._sender.send(self._pending.next(name))
        complete = pb.SnapshotComplete(server_time=time_message(self._source.now()))
        await self._sender.outlet.write(pb.WatchTablesResponse(snapshot_complete=complete).SerializeToString())

    async def _make_up_for(self, image: Published, after: int) -> None:
        """Send what the caller missed of a table."""
        name, give_up = image.name, self._sender.places.give_up
        if self._source.forgotten(name, after):
            give_up(name, pb.SNAPSHOT_REASON_TOO_OLD)
            return
        try:
            await self._send_missed(image, after)
        except JournalError:
            _logger.exception("what was missed cannot be read", extra=facts(table=name, after=after))
            give_up(name, pb.SNAPSHOT_REASON_UNREADABLE)

    async def _send_missed(self, image: Published, after: int) -> None:
        async with aclosing(self._source.missed(image.name, after, image)) as batches:

            async def read() -> Sequence[Published] | None:
                return await anext(batches, None)

            while batch := await self._sender.meanwhile(read()):
                for missed in batch:
                    if self._source.too_old(missed.table):
                        self._sender.places.give_up(image.name, pb.SNAPSHOT_REASON_TOO_OLD)
                        return
                    await self._sender.send(missed, historical=True)

    def _take(self, image: Published) -> None:
        if not self._wish.plain:
            if self._wish.must_see_only and not image.must_see and image.name in self._known:
                return
            self._known[image.name] = image.sequence
        if self._pending.add(image):
            self._source.metrics.conflated.inc()
        if self._pending.must_see > self._source.most_must_see:
            self._sender.outlet.evict(f"more than {self._source.most_must_see} images that must be seen wait")
        self._sender.ask()
