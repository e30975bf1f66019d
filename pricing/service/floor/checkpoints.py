"""States of tables as they were from time to time: what is read again of a table's journal begins at one of them."""

from typing import Final

from pricing.table.state import Table

EVERY: Final = 8_192
"""Events from one kept state to the next: about a third of a second to play them again, a few kB to keep one."""
_NEAR: Final = 256
"""The same for the last two: after a restart everybody comes back at once, and few have missed more."""
WEEK: Final = 7 * 86_400 * 1_000_000
"""Microseconds for which what somebody has missed is told."""


class Checkpoints:
    """The states kept of each table: of the last week and one before it, and two of late. From any thread."""

    def __init__(self, every: int = EVERY, near: int = _NEAR) -> None:
        """Keep none yet, and later one after each so many events."""
        self._every = every
        self._near = near
        self._kept: dict[str, tuple[Table, ...]] = {}
        self._late: dict[str, tuple[Table, ...]] = {}

    def passed(self, table: Table) -> None:
        """Keep the state of a table if it is time to. To be told of each of its states, in order."""
        name, position = table.name, table.position
        if position % self._near == 0:
            self._late[name] = (*self._late.get(name, ())[-1:], table)
        if position % self._every:
            return
        kept = self._kept.get(name, ())
        while len(kept) > 1 and table.time - kept[1].time > WEEK:
            kept = kept[1:]
        self._kept[name] = (*kept, table)

    def oldest(self, name: str) -> Table | None:
        """The oldest that is kept of a table for long."""
        return next(iter(self._kept.get(name, ())), None)

    def newest(self, name: str, position: int) -> Table | None:
        """The newest of a table that is not after a position."""
        known = (*self._kept.get(name, ()), *self._late.get(name, ()))
        before = (table for table in known if table.position <= position)
        return max(before, key=lambda table: table.position, default=None)
