"""One caller who watches: what they asked for, what waits for them, and what they were sent."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.errors import SlowConsumer
from pricing.service.feed.pending import Pending
from pricing.service.feed.published import Published
from pricing.service.image import time_message

if TYPE_CHECKING:
    from pricing.service.feed.feed import Feed

Write = Callable[[bytes], Awaitable[None]]


class Wish(NamedTuple):
    """What a caller asks for."""

    tables: frozenset[str]
    """Empty for all."""
    must_see_only: bool
    epoch: str
    """Of what they have; empty if nothing."""
    sequences: Mapping[str, int]
    heartbeat: float
    """Seconds."""
    delay: float
    """Seconds."""


class Subscriber:
    """Sends to one caller. Made by ``Feed.subscribe``, which also forgets it."""

    def __init__(self, feed: "Feed", wish: Wish) -> None:
        """Send nothing yet."""
        self.wish = wish
        self.pending = Pending()
        self.known: dict[str, int] = {}
        """The newest sequence of each table that may be told."""
        self._feed = feed
        self._loop = asyncio.get_running_loop()
        self._held_back: deque[tuple[float, Published]] = deque()
        self._sent: dict[str, int] = {}
        self._reasons: dict[str, pb.SnapshotReason.ValueType] = {}
        self._turn: asyncio.Future[None] | None = None
        self._asked = 0
        """For its turn: 0 not yet, 1 to be one of many, 2 to be urgent."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._beat_due = False
        self._limit: asyncio.Timeout | None = None
        self._too_slow: SlowConsumer | None = None

    def offer(self, image: Published) -> None:
        """Have an image sent, now or when the delay is over."""
        if self.wish.delay:
            self._held_back.append((self._loop.time() + self.wish.delay, image))
            if "delay" not in self._timers:
                self._timers["delay"] = self._loop.call_later(self.wish.delay, self._release)
        else:
            self._take(image)

    def go(self) -> None:
        """It is this one's turn to write."""
        self._asked = 0
        if self._turn and not self._turn.done():
            self._turn.set_result(None)

    async def run(self, write: Write) -> None:
        """Send until the caller goes away.

        Raises:
            SlowConsumer: The caller reads too slowly.
            JournalError: What the caller missed cannot be read.
        """
        try:
            async with asyncio.timeout(None) as self._limit:
                if self._too_slow:
                    raise self._too_slow
                await self._begin(write)
                while True:
                    await self._wait_for_turn(needed=False)
                    if self._beat_due:
                        await self._beat(write)
                    elif self.pending:
                        await self._send(write, self.pending.next())
        except TimeoutError:
            if self._limit and self._limit.expired() and self._too_slow:
                raise self._too_slow from None
            raise
        finally:
            for timer in self._timers.values():
                timer.cancel()

    async def _begin(self, write: Write) -> None:
        """Send what the caller missed and an image of each table."""
        first = [line.newest for line in self._feed.lines_of(self.wish)]
        plans = {image.name: self._plan(image) for image in first}
        self._beat_later()
        for image in first:
            self.offer(image)
        if self.wish.delay:
            await self._sit_out(write)
        for image in first:
            name = image.name
            if (after := plans[name]) is not None:
                async for missed in self._feed.missed(name, after, image):
                    if self._feed.too_old(missed):
                        self._reasons[name] = pb.SNAPSHOT_REASON_TOO_OLD
                        del self._sent[name]
                        break
                    await self._paced(write, missed, historical=True)
            while self.pending.has(name):
                await self._paced(write, self.pending.next(name))
        await write(
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

    async def _sit_out(self, write: Write) -> None:
        """Let the delay go by before anything is told of the tables; only that the service is alive."""
        while not self.pending:
            await self._wait_for_turn(needed=False)
            if self._beat_due:
                await self._beat(write)
            if not self._held_back and not self.pending:
                return

    async def _paced(self, write: Write, image: Published, *, historical: bool = False) -> None:
        await self._wait_for_turn(needed=True)
        if self._beat_due:
            await self._beat(write)
        await self._send(write, image, historical=historical)

    async def _wait_for_turn(self, *, needed: bool) -> None:
        self._turn = self._loop.create_future()
        if needed or self.pending or self._beat_due:
            self._ask()
        await self._turn

    def _ask(self) -> None:
        how = 2 if self.pending.urgent else 1
        if self._turn and not self._turn.done() and self._asked < how:
            self._asked = how
            self._feed.pacer.ask(self, urgent=how > 1)

    async def _send(self, write: Write, image: Published, *, historical: bool = False) -> None:
        name = image.name
        own = pb.TableImage(
            previous_sequence=self._sent.get(name, 0),
            historical=historical or self.wish.must_see_only,
            snapshot_reason=self._reasons.pop(name, pb.SNAPSHOT_REASON_UNSPECIFIED),
            server_time=time_message(self._feed.now()),
        )
        await self._write(write, image.frame(own))
        self._sent[name] = image.sequence
        self._feed.metrics.images.inc()

    async def _beat(self, write: Write) -> None:
        self._beat_due = False
        await self._write(write, self._feed.heartbeat(self))

    async def _write(self, write: Write, data: bytes) -> None:
        try:
            async with asyncio.timeout(self._feed.write_timeout):
                await write(data)
        except TimeoutError:
            if self._limit and self._limit.expired():
                raise
            self._feed.metrics.evictions.inc()
            raise self._slow(f"nothing was taken for {self._feed.write_timeout:g} seconds") from None

    def _take(self, image: Published) -> None:
        if self.wish.must_see_only and not image.must_see and image.name in self.known:
            return
        self.known[image.name] = image.sequence
        if self.pending.add(image):
            self._feed.metrics.conflated.inc()
        if self.pending.must_see > self._feed.most_must_see:
            self._evict()
        self._ask()

    def _release(self) -> None:
        """Let go of what has been held back for long enough."""
        del self._timers["delay"]
        while self._held_back and self._held_back[0][0] <= self._loop.time():
            self._take(self._held_back.popleft()[1])
        if self._held_back:
            self._timers["delay"] = self._loop.call_at(self._held_back[0][0], self._release)
        else:
            self._ask()

    def _beat_later(self) -> None:
        self._timers["beat"] = self._loop.call_later(self.wish.heartbeat, self._beat_now)

    def _beat_now(self) -> None:
        self._beat_due = True
        self._ask()
        self._beat_later()

    def _evict(self) -> None:
        if self._too_slow is None:
            self._feed.metrics.evictions.inc()
            self._too_slow = self._slow(f"more than {self._feed.most_must_see} images that must be seen wait")
            if self._limit:
                self._limit.reschedule(self._loop.time())

    def _slow(self, why: str) -> SlowConsumer:
        return SlowConsumer(why, resume_at(self._feed.epoch, self._sent.items()))


def resume_at(epoch: str, sent: Iterable[tuple[str, int]]) -> dict[str, str]:
    """Where a caller goes on, as metadata of an error: no more tables than headers have room for.

    >>> resume_at("e", [("t1", 7)])
    {'epoch': 'e', 'sequence-t1': '7'}
    """
    found = {"epoch": epoch}
    for name, sequence in list(sent)[:50]:
        found[f"sequence-{name}"] = str(sequence)
    return found
