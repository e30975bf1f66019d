"""The clock closes betting rounds: each table's open round has a window, and one timer that ends it."""

from collections.abc import Callable

from pricing.service.clock import Clock, Timer
from pricing.table.events import WindowEnded
from pricing.table.state import Table

_RETRY = 500_000
"""Microseconds after which a round is told to close again, while that cannot be written down."""

_Open = tuple[str, int, int]
"""A game, the number of its open round, and when that ends."""


class Window:
    """Tells when the window of a table's open round is over, and again until the round is closed.

    How long that takes is known when the round opens and goes by the clock's own waiting from then on: setting the
    clock back or forth neither shortens nor lengthens a round.
    """

    def __init__(self, clock: Clock, ended: Callable[[WindowEnded], object]) -> None:
        """Tell ``ended`` when a window is over."""
        self._clock = clock
        self._ended = ended
        self._open: _Open | None = None
        self._timer: Timer | None = None
        self._stopped = False
        self._is_over = False

    @property
    def overdue(self) -> WindowEnded | None:
        """What was told, while the round is still open."""
        return WindowEnded(*self._open[:2]) if self._open and self._is_over else None

    def watch(self, table: Table) -> None:
        """Look at the table, which may have another open round now, or none."""
        found = _open_round(table)
        if found == self._open or self._stopped:
            return
        self._cancel()
        self._open, self._is_over = found, False
        if found:
            # A clock that went back is behind the table's time, which the window was reckoned by.
            self._wait(max(0, found[2] - max(self._clock.now(), table.time)))

    def stop(self) -> None:
        """Tell nothing from now on."""
        self._stopped = True
        self._cancel()

    def _wait(self, microseconds: int) -> None:
        self._timer = self._clock.call_later(microseconds, self._tell)

    def _tell(self) -> None:
        self._is_over = True
        if event := self.overdue:
            self._wait(_RETRY)  # cancelled as soon as the round is seen to be closed
            self._ended(event)

    def _cancel(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


def _open_round(table: Table) -> _Open | None:
    game = table.running
    found = game.open_round if game else None
    if game is None or found is None or found.close_time is None:
        return None
    return game.reference, found.number, found.close_time
