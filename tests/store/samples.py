"""Rows for tests of the journal."""

from collections.abc import Callable

from pricing.store.journal import Journal
from pricing.store.rows import NewRow, canonical

JournalFactory = Callable[[], Journal]
"""Opens the one journal of a test, again and again."""


def new_row(table: str, position: int, event_id: str | None = None, *, body: str | None = None) -> NewRow:
    """A row that could be of a real table."""
    return NewRow(
        table=table,
        position=position,
        event_id=event_id or f"{table}-e{position}",
        kind="card_dealt",
        recorded_time=1_700_000_000_000_000 + position,
        actor="studio-1",
        body=body or canonical({"card": position % 52, "note": "Größe"}),
        outcome=canonical({"card_state": position}),
    )
