"""Entries of tables as rows of the journal, and what the reporter of an event is told."""

import json
from typing import NamedTuple

from pricing.store.rows import NewRow, Row, canonical
from pricing.table.codec import Plain, body_of, entry_of, kind_of
from pricing.table.state import Entry, Refusal


class Receipt(NamedTuple):
    """What became of an event that is now in the journal."""

    table: str
    event_id: str
    position: int
    card_state: int
    game: str
    refusal: Refusal | None
    duplicate: bool = False


def row_of(table: str, entry: Entry, outcome: Plain) -> NewRow:
    """An entry as the journal keeps it."""
    report = entry.report
    return NewRow(
        table=table,
        position=entry.position,
        event_id=report.event_id,
        kind=kind_of(type(report.event)),
        recorded_time=entry.recorded_time,
        actor=report.actor,
        body=canonical(body_of(report)),
        outcome=canonical(outcome),
    )


def entry_in(row: Row) -> Entry:
    """The entry that a row of the journal keeps."""
    body, outcome = json.loads(row.body), json.loads(row.outcome)
    return entry_of(row.position, row.recorded_time, row.event_id, row.actor, body, outcome)


def receipt_of(row: NewRow, outcome: Plain, *, duplicate: bool = False) -> Receipt:
    """What the reporter of a row is told."""
    refusal = Refusal(**outcome["refusal"]) if outcome["refusal"] else None
    return Receipt(
        row.table, row.event_id, row.position, outcome["card_state"], outcome["game"], refusal, duplicate=duplicate
    )


def receipt_again(row: Row) -> Receipt:
    """What the reporter of a row was told, told once more."""
    return receipt_of(row, json.loads(row.outcome), duplicate=True)
