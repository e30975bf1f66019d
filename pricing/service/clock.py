"""The clock of the service: the only place that reads the time of day."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that is to happen later."""

    def cancel(self) -> None:
        """Let it not happen."""


class Clock(Protocol):
    """What is asked of a clock; tests have one that they move by hand."""

    def now(self) -> int:
        """Microseconds since 1970 UTC."""

    def call_later(self, microseconds: int, callback: Callable[[], object]) -> Timer:
        """Call something on the event loop after so long."""


class SystemClock:
    """The machine's clock. Waiting goes by the loop's own clock, which no adjustment moves."""

    def now(self) -> int:
        """Microseconds since 1970 UTC."""
        return time.time_ns() // 1_000

    def call_later(self, microseconds: int, callback: Callable[[], object]) -> Timer:
        """Call something on the event loop after so long."""
        return asyncio.get_running_loop().call_later(microseconds / 1e6, callback)
