"""Reports and entries of tables as rows of the journal, and what the reporter of an event is told."""

import json
from dataclasses import replace
from typing import Final, NamedTuple

from pricing.service.floor.noting import notes_of
from pricing.store.notes import NOTHING, Notes
from pricing.store.rows import NewRow, Row, canonical
from pricing.table import events
from pricing.table.apply import GameTypes, apply
from pricing.table.codec import Plain, body_of, entry_of, kind_of, outcome_of
from pricing.table.state import Entry, Refusal, Report, Table

_SYSTEM: Final = "system"


class Receipt(NamedTuple):
    """What became of an event that is now in the journal."""

    table: str
    event_id: str
    position: int
    card_state: int
    game: str
    refusal: Refusal | None
    duplicate: bool = False


def row_of(table: str, entry: Entry, outcome: Plain, notes: Notes = NOTHING) -> NewRow:
    """An entry as the journal keeps it, and what is noted beside it."""
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
        notes=notes,
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


class Draft(NamedTuple):
    """An event that is decided and not yet written down."""

    entry: Entry
    after: Table
    """The table that it makes."""
    row: NewRow
    receipt: Receipt
    """For its reporter, once it is written down."""


def draft_of(before: Table, entry: Entry, game_types: GameTypes) -> Draft:
    """What is to be written down of an entry, and the table after it."""
    after = apply(before, entry, game_types)
    outcome = outcome_of(after, entry.refusal)
    row = row_of(before.name, entry, outcome, notes_of(before, entry, after))
    return Draft(entry, after, row, receipt_of(row, outcome))


def by_system(event_id: str, event: events.Event) -> Report:
    """What the service does by itself. Its ids have spaces, which nobody else's have."""
    return Report(event_id, event, _SYSTEM)


def says_the_same(said: Report, first: Report) -> bool:
    """Whether somebody says what was said first. Who says it, and what the service added to it, does not count."""
    event = said.event
    if isinstance(event, events.ShoeLoaded) and isinstance(first.event, events.ShoeLoaded):
        event = events.ShoeLoaded(first.event.game_hash, event.decks or first.event.decks)
    return replace(said, event=event, actor=first.actor) == first
