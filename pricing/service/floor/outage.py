"""The journal takes nothing for a while: since when, and its end, which is looked for."""

import asyncio
from collections.abc import Awaitable, Callable

from pricing.service.clock import Clock
from pricing.store.journal import Journal, JournalDamaged, JournalError, JournalUnavailable

PROBE = 1.0
"""Seconds between tries whether the journal takes something again."""
HANGS = 2.0
"""Seconds without an answer after which it is taken to take nothing: what a studio has said meanwhile nobody knows."""
_LOOKS = 0.25
"""Seconds between two looks at how long it has not answered."""


class Outage:
    """Whether the journal takes anything. While it does not, nothing is offered at any table."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        waits: Callable[[], float],
        settle: Callable[[], Awaitable[None]],
        told: Callable[[str], object],
    ) -> None:
        """Begin without one.

        Args:
            journal: Of which it is an outage.
            clock: Says when.
            waits: Seconds for which the journal has answered nothing of what it was asked.
            settle: Brings the tables up to the journal, before the outage is over; may raise JournalError.
            told: Is told why there is an outage, and with an empty text that it is over.
        """
        self.since: int | None = None
        """When it began, in microseconds since 1970 UTC; None while there is none."""
        self._journal = journal
        self._clock = clock
        self._waits = waits
        self._watching: asyncio.Task[None] | None = None
        self._settle = settle
        self._told = told
        self._probing: asyncio.Task[None] | None = None
        self._damaged = False
        """Whether only another journal could end it."""

    def watch(self) -> None:
        """From now on look whether the journal answers."""
        self._watching = asyncio.create_task(self._watch(), name="journal watch")

    def begin(self, error: JournalError) -> None:
        """Something could not be written down."""
        if self.since is None:
            self.since = self._clock.now()
            self._told(str(error))
        self._damaged = self._damaged or isinstance(error, JournalDamaged)
        if self._probing is None:
            self._probing = asyncio.create_task(self._probe(), name="journal probe")

    def stop(self) -> None:
        """Look no more for its beginning or its end."""
        for task in (self._watching, self._probing):
            if task:
                task.cancel()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_LOOKS)
            if self.since is None and self._waits() > HANGS:
                self.begin(JournalUnavailable(f"the journal has not answered for {HANGS:g} seconds"))

    async def _probe(self) -> None:
        while not self._damaged:
            await asyncio.sleep(PROBE)
            if await self._is_over():
                self.since = self._probing = None
                self._told("")
                return

    async def _is_over(self) -> bool:
        try:
            await asyncio.to_thread(self._journal.check)
            await self._settle()
        except JournalError:
            return False
        return self._waits() < HANGS
