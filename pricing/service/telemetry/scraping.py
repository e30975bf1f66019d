"""What a scrape does in its own thread, in small pieces: the event loop's thread waits for one of them at most."""

from collections.abc import Iterator
from time import sleep
from typing import Final

from prometheus_client.samples import Sample

_PAUSE: Final = 100e-6
"""Seconds. A sleep of 0 hands nothing over: whoever waits for the interpreter has not woken up when it ends."""
_PIECE: Final = 50
"""Samples written out at a time: half a millisecond's work."""


def give_way() -> None:
    """Let the event loop go on, if it has something to do."""
    sleep(_PAUSE)


class Samples(list[Sample]):
    """Samples of a family; whoever goes through them to write them out gives way in between."""

    def __iter__(self) -> Iterator[Sample]:
        """Each of them."""
        for place, sample in enumerate(super().__iter__()):
            if place % _PIECE == 0:
                give_way()
            yield sample
