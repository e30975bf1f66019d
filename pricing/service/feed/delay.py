"""Images that are held back for a while."""

import asyncio
from collections import deque
from collections.abc import Callable

from pricing.service.feed.published import Published


class Delay:
    """Lets go of each image so many seconds after it came."""

    def __init__(self, seconds: float, release: Callable[[Published], object], emptied: Callable[[], object]) -> None:
        """Hold nothing back yet.

        Args:
            seconds: For how long; by 0 nothing is held back.
            release: Takes what was held back for long enough.
            emptied: Is told when nothing is held back any more.
        """
        self._seconds = seconds
        self._release = release
        self._emptied = emptied
        self._held: deque[tuple[float, Published]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def __bool__(self) -> bool:
        """Whether anything is held back."""
        return bool(self._held)

    def add(self, image: Published) -> None:
        """Hold an image back, or let it go at once when there is no delay."""
        if not self._seconds:
            self._release(image)
            return
        loop = asyncio.get_running_loop()
        self._held.append((loop.time() + self._seconds, image))
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._let_go)

    def stop(self) -> None:
        """Let go of nothing more."""
        if self._timer:
            self._timer.cancel()

    def _let_go(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = None
        while self._held and self._held[0][0] <= loop.time():
            self._release(self._held.popleft()[1])
        if self._held:
            self._timer = loop.call_at(self._held[0][0], self._let_go)
        else:
            self._emptied()
