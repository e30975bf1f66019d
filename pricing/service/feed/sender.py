"""Sends to one caller: images and heartbeats, each when it is their turn."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TypeVar

from pricing.service.feed.outlet import Outlet
from pricing.service.feed.pending import Pending
from pricing.service.feed.places import Places
from pricing.service.feed.published import Published
from pricing.service.feed.source import Source
from pricing.service.feed.wish import Wish

_T = TypeVar("_T")


class Sender:
    """What waits for one caller, and where they stand."""

    def __init__(self, source: Source, wish: Wish, heartbeat: Callable[[], bytes]) -> None:
        """Have nothing to send yet.

        Args:
            source: The feed.
            wish: What the caller asks for.
            heartbeat: What says now that the service is alive.
        """
        self.pending = Pending()
        self.places = Places(wish)
        self.outlet = Outlet(source.pacer, source.metrics.evictions, self._resume)
        self._source = source
        self._heartbeat = heartbeat
        self._beat_due = False

    def beat(self) -> None:
        """A heartbeat is due."""
        self.outlet.check(self._source.write_timeout)
        self._beat_due = True
        self.ask()

    def ask(self) -> None:
        """Ask for a turn, as something waits."""
        self.outlet.ask(urgent=self.pending.urgent)

    async def go_on(self) -> None:
        """Wait for a turn, and send a heartbeat if one is due, else the next image if one waits."""
        await self._turn(needed=False)
        if self._beat_due:
            await self._beat()
        elif self.pending:
            await self._send(self.pending.next())

    async def beat_if_due(self) -> None:
        """Wait until something waits, and send no more than a heartbeat."""
        await self._turn(needed=False)
        if self._beat_due:
            await self._beat()

    async def send(self, image: Published, *, historical: bool = False) -> None:
        """Wait for a turn, and send an image."""
        await self._turn(needed=True)
        if self._beat_due:
            await self._beat()
        await self._send(image, historical=historical)

    async def meanwhile(self, what: Coroutine[None, None, _T]) -> _T:
        """Wait for something that takes long, and send heartbeats until it is there."""
        task = asyncio.create_task(what)
        try:
            while not task.done():
                turn = self.outlet.next_turn()
                if self._beat_due:
                    self.ask()
                await asyncio.wait((task, turn), return_when=asyncio.FIRST_COMPLETED)
                if turn.done() and self._beat_due:
                    await self._beat()
            return task.result()
        finally:
            task.cancel()
            await asyncio.wait((task,))

    async def _turn(self, *, needed: bool) -> None:
        turn = self.outlet.next_turn()
        if needed or self.pending or self._beat_due:
            self.ask()
        await turn

    async def _send(self, image: Published, *, historical: bool = False) -> None:
        """Send an image; of one that a newer one waits behind, what was offered is the past already."""
        own = self.places.own(image.name, historical=historical or self.pending.has(image.name))
        await self.outlet.write(image.frame(own, self._source.now()))
        self.places.sent(image)
        self._source.metrics.images.inc()

    async def _beat(self) -> None:
        self._beat_due = False
        await self.outlet.write(self._heartbeat())

    def _resume(self) -> dict[str, str]:
        return self.places.resume(self._source.epoch, self.pending.must_see_tables())
