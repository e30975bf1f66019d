"""The way out to one caller: writes when it is their turn, and ends the call when they are too slow."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from prometheus_client import Counter

from pricing.service.errors import SlowConsumer
from pricing.service.feed.pacer import Pacer

Write = Callable[[bytes], Awaitable[None]]


class Outlet:
    """Writes to one caller."""

    def __init__(self, pacer: Pacer, evictions: Counter, resume: Callable[[], dict[str, str]]) -> None:
        """Write nothing yet.

        Args:
            pacer: Gives turns.
            evictions: Counts those who were too slow.
            resume: Says where a caller who is ended may go on.
        """
        self._pacer = pacer
        self._evictions = evictions
        self._resume = resume
        self._loop = asyncio.get_running_loop()
        self._turn: asyncio.Future[None] | None = None
        self._asked = 0
        """For its turn: 0 not yet, 1 to be one of many, 2 to be urgent."""
        self._write: Write | None = None
        self._since: float | None = None
        """Since when something is being written that is not taken."""
        self._limit: asyncio.Timeout | None = None
        self._too_slow: SlowConsumer | None = None

    @asynccontextmanager
    async def open(self, write: Write) -> AsyncIterator[None]:
        """A block in which can be written.

        Raises:
            SlowConsumer: The caller reads too slowly.
        """
        self._write = write
        try:
            async with asyncio.timeout(None) as self._limit:
                if self._too_slow:
                    raise self._too_slow
                yield
        except TimeoutError:
            if self._limit and self._limit.expired() and self._too_slow:
                raise self._too_slow from None
            raise

    def ask(self, *, urgent: bool) -> None:
        """Ask for the turn that is waited for, if there is one."""
        how = 2 if urgent else 1
        if self._turn and not self._turn.done() and self._asked < how:
            self._asked = how
            self._pacer.ask(self, urgent=urgent)

    def go(self) -> None:
        """It is this one's turn to write."""
        self._asked = 0
        if self._turn and not self._turn.done():
            self._turn.set_result(None)
        else:
            self._pacer.done(self)

    def next_turn(self) -> "asyncio.Future[None]":
        """The next turn, which is still to be asked for; the one before is over."""
        self._pacer.done(self)
        self._turn = self._loop.create_future()
        return self._turn

    async def write(self, data: bytes) -> None:
        """Write what it is this one's turn for."""
        assert self._write, "only in an open block"
        self._since = self._loop.time()
        await self._write(data)
        self._since = None

    def check(self, most: float) -> None:
        """End the call if the caller has taken nothing for more than so many seconds."""
        if self._since is not None and self._loop.time() - self._since > most:
            self.evict(f"nothing was taken for {most:g} seconds")

    def evict(self, why: str) -> None:
        """End the call."""
        if self._too_slow is None:
            self._evictions.inc()
            self._too_slow = SlowConsumer(why, self._resume())
            if self._limit:
                self._limit.reschedule(self._loop.time())
