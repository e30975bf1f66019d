"""Batches of images that were made anew from the journal, kept for a while for others who missed the same."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple

from pricing.service.feed.published import Published

SIZE: Final = 256
"""Images made from the journal at one time."""
_KEPT: Final = 8
"""Batches, of all tables together: some ten megabytes at most."""


class Batch(NamedTuple):
    """The must-see images of a table after a sequence, up to an end."""

    images: Sequence[Published]
    end: int
    """All of them before this sequence are there."""


class Batches:
    """The batches that were read last, by table and by the sequence before them."""

    def __init__(self) -> None:
        """Have read none."""
        self.reading = asyncio.Lock()
        """Held while the journal is read: one reader at a time is enough, and others may want the same."""
        self._kept: OrderedDict[tuple[str, int], Batch] = OrderedDict()

    def get(self, table: str, after: int) -> Batch | None:
        """The batch of a table after a sequence, if it was read of late."""
        found = self._kept.get((table, after))
        if found:
            self._kept.move_to_end((table, after))
        return found

    def add(self, table: str, after: int, images: Sequence[Published], end: int) -> Batch:
        """Keep a batch that was read for an image of sequence ``end``; a full one ends with its last image."""
        batch = Batch(images, images[-1].sequence + 1 if len(images) == SIZE else end)
        self._kept[table, after] = batch
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return batch
