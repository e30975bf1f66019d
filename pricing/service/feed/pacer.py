"""Writes to many subscribers, some at a time, so that other calls are answered in between."""

import asyncio
from collections import deque
from typing import Protocol


class Paced(Protocol):
    """Somebody who writes when it is their turn."""

    def go(self) -> None:
        """It is."""


class Pacer:
    """Gives turns in the order in which they were asked for, urgent ones first."""

    def __init__(self, batch: int, pause: float) -> None:
        """Give so many turns, then wait for so many seconds."""
        self._batch = batch
        self._pause = pause
        self._urgent: deque[Paced] = deque()
        self._others: deque[Paced] = deque()
        self._timer: asyncio.Handle | None = None

    def ask(self, who: Paced, *, urgent: bool) -> None:
        """Ask for a turn. Who asks twice may be given two; the second may then have nothing to write."""
        (self._urgent if urgent else self._others).append(who)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_soon(self._give)

    def _give(self) -> None:
        for _ in range(self._batch):
            queue = self._urgent or self._others
            if not queue:
                break
            queue.popleft().go()
        # Also after the last: what is asked for next waits for the rest of the pause.
        more = bool(self._urgent or self._others)
        self._timer = asyncio.get_running_loop().call_later(self._pause, self._give if more else self._rest)

    def _rest(self) -> None:
        self._timer = None
        if self._urgent or self._others:
            self._timer = asyncio.get_running_loop().call_soon(self._give)
