"""A table's journal read back: every event with the table before it and after it."""

from collections.abc import Iterator

from pricing.service.records import entry_in
from pricing.store.journal import JournalDamaged, JournalReader
from pricing.store.rows import FIRST, Row, chain
from pricing.table.apply import GameTypes, apply, create
from pricing.table.state import Entry, Table


def replayed(journal: JournalReader, game_types: GameTypes, name: str) -> Iterator[tuple[Table | None, Entry, Table]]:
    """Each event of a table as the journal has it: the table before it, the event, the table after it.

    From any thread.

    Raises:
        JournalError: It cannot be read, or is not as it was written.
    """
    table = None
    for entry in map(entry_in, _intact(journal, name)):
        before = table
        table = apply(before, entry, game_types) if before else create(name, entry, game_types)
        yield before, entry, table


def _intact(journal: JournalReader, name: str) -> Iterator[Row]:
    """The rows of a table, each as it was written."""
    previous = FIRST
    for row in journal.read(name):
        if chain(previous, row) != row.hash:
            raise JournalDamaged(f"row {row.position} of table {name} is not as it was written; see journal verify")
        previous = row.hash
        yield row
