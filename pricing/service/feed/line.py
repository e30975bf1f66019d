"""What the feed keeps of one table: its newest image, and the must-see images of late."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from typing import Final

from pricing.service.feed.published import Published
from pricing.service.floor.replaying import History
from pricing.service.images.changes import last_must_see, must_see
from pricing.table.state import Entry, Table

_KEPT: Final = 16
"""Must-see images kept in memory for those who come back soon; earlier ones are made anew from the journal."""
_BATCH: Final = 256
"""Images made from the journal at one time."""


class Line:
    """The images of one table."""

    def __init__(
        self, table: Table, epoch: str, history: Callable[[str, int, Table | None], History], outage: int | None
    ) -> None:
        """Begin with a table as it stands.

        Args:
            table: The table.
            epoch: Of the journal.
            history: The events of a table after a position, read from a state that is known.
            outage: Since when nothing can be written down, if so.
        """
        self.newest = Published(
            table, epoch, must_see_sequence=last_must_see(table), outage=outage, stops=outage is not None
        )
        self._history = history
        self._recent: deque[Published] = deque()
        self._recent_after = table.position
        """All must-see images after this sequence are kept."""

    def add(self, before: Table | None, entry: Entry, table: Table, outage: int | None) -> Published:
        """The image of the next event."""
        seen = must_see(entry, table)
        stops = outage is not None or (before is not None and before.offering is not None and table.offering is None)
        self.newest = Published(
            table,
            self.newest.epoch,
            before=before,
            entry=entry,
            must_see=seen,
            must_see_sequence=table.position if seen else self.newest.must_see_sequence,
            outage=outage,
            stops=stops,
        )
        if seen:
            self._recent.append(self.newest)
            if len(self._recent) > _KEPT:
                self._recent_after = self._recent.popleft().sequence
        return self.newest

    async def missed(self, after: int, last: Published, lock: asyncio.Lock) -> AsyncIterator[Published]:
        """The must-see images after a sequence that come before an image, in order.

        Args:
            after: The sequence.
            last: The image, which is not among them.
            lock: Held while the journal is read, as one reader at a time is enough.

        Raises:
            JournalError: The journal cannot be read.
        """
        known: Table | None = None
        while after < last.sequence and last.must_see_sequence > after:
            found = self._kept(after, last.sequence)
            if found is None:
                async with lock:
                    found = self._kept(after, last.sequence)
                    if found is None:
                        found = await asyncio.to_thread(self._read, after, last.sequence, known)
                        self._remember(found, after)
            for each in found:
                yield each
            if len(found) < _BATCH:
                return
            after, known = found[-1].sequence, found[-1].table

    def _kept(self, after: int, before: int) -> list[Published] | None:
        """Those between two sequences, if all of them are in memory."""
        if after < self._recent_after:
            return None
        return [each for each in self._recent if after < each.sequence < before]

    def _read(self, after: int, before: int, known: Table | None) -> list[Published]:
        """Those between two sequences, the first so many, from the journal; in a thread."""
        return list(islice(self._made_anew(after, before, known), _BATCH))

    def _made_anew(self, after: int, end: int, known: Table | None) -> Iterator[Published]:
        name, epoch = self.newest.name, self.newest.epoch
        for before, entry, table in self._history(name, after, known):
            position = entry.position
            if position >= end:
                return
            if position > after and must_see(entry, table):
                image = Published(table, epoch, before=before, entry=entry, must_see=True, must_see_sequence=position)
                image.data(historical=True)
                yield image

    def _remember(self, found: list[Published], after: int) -> None:
        """Keep what was read for the next who asks, if it reaches up to what is kept."""
        if len(found) == _BATCH:
            return
        earlier = [each for each in found if each.sequence <= self._recent_after]
        if len(earlier) + len(self._recent) <= _KEPT:
            self._recent.extendleft(reversed(earlier))
            self._recent_after = after
