"""States of tables as they were from time to time: what is read again of a table's journal begins at one of them."""

from typing import Final

from pricing.table.state import Table

EVERY: Final = 8_192
"""Events from one kept state to the next: about a third of a second to play them again, a few kB to keep one."""
_WEEK: Final = 7 * 86_400 * 1_000_000


class Checkpoints:
    """The states kept of each table, of the last week and one before it; to be looked up from any thread."""

    def __init__(self, every: int = EVERY) -> None:
        """Keep none yet, and later one after each so many events."""
        self._every = every
        self._kept: dict[str, tuple[Table, ...]] = {}

    def passed(self, table: Table) -> None:
        """Keep the state of a table if it is time to. To be told of each of its states, in order."""
        if table.position % self._every:
            return
        kept = self._kept.get(table.name, ())
        if kept and kept[-1].position >= table.position:
            return
        while len(kept) > 1 and table.time - kept[1].time > _WEEK:
            kept = kept[1:]
        self._kept[table.name] = (*kept, table)

    def oldest(self, name: str) -> Table | None:
        """The oldest that is kept of a table."""
        return next(iter(self._kept.get(name, ())), None)

    def newest(self, name: str, position: int) -> Table | None:
        """The newest of a table that is not after a position."""
        kept = reversed(self._kept.get(name, ()))
        return next((table for table in kept if table.position <= position), None)
