"""Writes to many subscribers, some at a time, so that other calls are answered in between."""

import asyncio
from collections import deque
from typing import Final, Protocol


class Paced(Protocol):
    """Somebody who writes when it is their turn."""

    def go(self) -> None:
        """It is."""


_PATIENCE: Final = 0.01
"""Seconds after which those who are not done are no longer waited for: their callers do not read."""


class Pacer:
    """Gives turns in the order in which they were asked for, urgent ones first.

    What is written goes through one thread of gRPC, and all else that is to be answered through the same: so no more is
    under way at a time than others can wait for.
    """

    def __init__(self, batch: int, pause: float) -> None:
        """Have so many turns under way at a time, and wait for so many seconds before there are more."""
        self._batch = batch
        self._pause = pause
        self._urgent: deque[Paced] = deque()
        self._others: deque[Paced] = deque()
        self._going: set[Paced] = set()
        self._next: asyncio.Handle | None = None
        """Gives turns soon."""
        self._late: asyncio.Handle | None = None
        """Gives turns if those under way are never done."""

    def ask(self, who: Paced, *, urgent: bool) -> None:
        """Ask for a turn. Who asks twice may be given two; the second may then have nothing to write."""
        (self._urgent if urgent else self._others).append(who)
        if self._late is None:
            self._soon()

    def done(self, who: Paced) -> None:
        """Somebody has made use of their turn."""
        self._going.discard(who)
        if 2 * len(self._going) <= self._batch and self._late:
            self._soon()

    def _soon(self) -> None:
        if self._next is None:
            self._next = asyncio.get_running_loop().call_later(self._pause, self._give)

    def _give(self) -> None:
        self._next = None
        if self._late:
            self._late.cancel()
            self._late = None
        while len(self._going) < self._batch and (queue := self._urgent or self._others):
            who = queue.popleft()
            self._going.add(who)
            who.go()
        if self._urgent or self._others:
            self._late = asyncio.get_running_loop().call_later(_PATIENCE, self._wait_no_more)

    def _wait_no_more(self) -> None:
        self._late = None
        self._going.clear()
        self._soon()
