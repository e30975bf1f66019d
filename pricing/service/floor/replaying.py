"""A table's journal read back: every event with the table before it and after it."""

from collections.abc import Iterator
from typing import TypeAlias

from pricing.service.floor.records import entry_in
from pricing.store.journal import JournalDamaged, JournalReader
from pricing.store.rows import FIRST, Row, chain
from pricing.table.apply import GameTypes, apply, create
from pricing.table.state import Entry, Table

History: TypeAlias = Iterator[tuple[Table | None, Entry, Table]]
"""Of each event the table before it, None for its first, the event, and the table after it."""


def replayed(journal: JournalReader, game_types: GameTypes, name: str, start: Table | None = None) -> History:
    """Each event of a table as the journal has it, from any thread.

    Args:
        journal: Has the events.
        game_types: By the hash of their text.
        name: Of the table.
        start: A state of it: only what happened after it is read; by None all of it.

    Raises:
        JournalError: It cannot be read, or is not as it was written.
    """
    table = start
    for entry in map(entry_in, _intact(journal, name, start.position if start else 0)):
        before = table
        table = apply(before, entry, game_types) if before else create(name, entry, game_types)
        yield before, entry, table


def _intact(journal: JournalReader, name: str, after: int) -> Iterator[Row]:
    """The rows of a table after a position, each as it was written."""
    previous = next(journal.read(name, after - 1, limit=1)).hash if after else FIRST
    for row in journal.read(name, after):
        if chain(previous, row) != row.hash:
            raise JournalDamaged(f"row {row.position} of table {name} is not as it was written; see journal verify")
        previous = row.hash
        yield row
