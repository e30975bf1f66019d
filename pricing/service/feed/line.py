"""What the feed keeps of one table: its newest image, and the must-see images of late."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from pricing.service.feed.batches import SIZE, Batches
from pricing.service.feed.published import Published
from pricing.service.floor.replaying import History
from pricing.service.images.changes import must_see
from pricing.table.state import Entry, Table

_KEPT: Final = 16
"""Must-see images kept in memory for those who come back soon; earlier ones are made anew from the journal."""


class Line:
    """The images of one table."""

    def __init__(
        self, newest: Published, history: Callable[[str, int, Table | None], History], batches: Batches
    ) -> None:
        """Begin with the newest image of a table.

        Args:
            newest: The image.
            history: The events of a table after a position, read from a state that is known.
            batches: Keeps what was read.
        """
        self.newest = newest
        self._history = history
        self._batches = batches
        self._recent: deque[Published] = deque([newest] if newest.must_see else [])
        self._recent_after = newest.sequence - 1
        """All must-see images after this sequence are kept."""

    def add(self, before: Table | None, entry: Entry, table: Table, outage: int | None) -> Published:
        """The image of the next event."""
        self.newest = published(before, entry, table, self.newest.epoch, outage, self.newest.must_see_sequence)
        if self.newest.must_see:
            self._recent.append(self.newest)
            if len(self._recent) > _KEPT:
                self._recent_after = self._recent.popleft().sequence
        return self.newest

    async def missed(self, after: int, last: Published) -> AsyncGenerator[Sequence[Published], None]:
        """The must-see images after a sequence that come before an image, in order, in batches.

        Args:
            after: The sequence.
            last: The image, which is not among them.

        Raises:
            JournalError: The journal cannot be read.
        """
        known: Table | None = None
        while after < last.sequence - 1 and last.must_see_sequence > after:
            found, end = self._kept(after, last.sequence) or await self._read(after, last.sequence, known)
            if found:
                yield found
            if end >= last.sequence:
                return
            after, known = found[-1].sequence, found[-1].table

    def _kept(self, after: int, before: int) -> tuple[Sequence[Published], int] | None:
        """Those between two sequences that are in memory, and up to where there are no others; None if nobody knows."""
        if after >= self._recent_after:
            return [each for each in self._recent if after < each.sequence < before], before
        batch = self._batches.get(self.newest.name, after)
        if batch is None:
            return None
        found = [each for each in batch.images if each.sequence < before]
        if batch.end < before and self._recent_after < batch.end:
            return [*found, *(each for each in self._recent if batch.end <= each.sequence < before)], before
        return (found, batch.end) if found or batch.end >= before else None

    async def _read(self, after: int, before: int, known: Table | None) -> tuple[Sequence[Published], int]:
        """The same from the journal, or what somebody else has read in the meantime."""
        async with self._batches.reading:
            if kept := self._kept(after, before):
                return kept
            images = await asyncio.to_thread(lambda: list(islice(self._made_anew(after, before, known), SIZE)))
            return self._batches.add(self.newest.name, after, images, before)

    def _made_anew(self, after: int, end: int, known: Table | None) -> Iterator[Published]:
        """Those between two sequences, from the journal; in a thread."""
        for before, entry, table in self._history(self.newest.name, after, known):
            if entry.position >= end:
                return
            if entry.position > after and must_see(entry, table):
                image = published(before, entry, table, self.newest.epoch, None, 0)
                image.data(historical=True)
                yield image


def published(  # noqa: PLR0913, PLR0917 - all that there is to know
    before: Table | None, entry: Entry, table: Table, epoch: str, outage: int | None, must_see_sequence: int
) -> Published:
    """The image of an event.

    Args:
        before: The table before it; None if it made the table.
        entry: The event.
        table: The table after it.
        epoch: Of the journal.
        outage: Since when nothing can be written down, if so.
        must_see_sequence: Of the newest must-see image before it.
    """
    seen = must_see(entry, table)
    return Published(
        table,
        epoch,
        before=before,
        entry=entry,
        must_see=seen,
        must_see_sequence=table.position if seen else must_see_sequence,
        outage=outage,
        stops=outage is not None or (before is not None and before.offering is not None and table.offering is None),
    )
