"""Notes beside rows: there with their row or not at all, found again, and absent from what is older."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from store.samples import new_row

from pricing.store import schema
from pricing.store.files import NAME
from pricing.store.journal import PositionTaken
from pricing.store.notes import GameNote, Notes, OfferNote, Place, Wanted
from pricing.store.rows import FIRST, NewRow, chain
from pricing.store.sqlite import SqliteJournal, open_journal
from pricing.store.still import StillReader


def game(table: str, number: int, **other: object) -> GameNote:
    note = GameNote(
        table, number, 1 + number // 4, 1_000 * number, "CONFIRMED", number % 3, 400, "hash", bytes([number])
    )
    return note._replace(**other)  # type: ignore[arg-type]


def noted(table: str, position: int) -> NewRow:
    """The row of an event that changed the game of its number, and after which something was offered."""
    offer = OfferNote(table, position, position // 3, position % 3, f"offer {position}")
    return replace(new_row(table, position), notes=Notes((game(table, position),), (offer,)))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with open_journal(tmp_path / "data") as found:
        for position in range(1, 10):
            found.append([noted("a", position), noted("b", position)]).result()
        yield found


def numbers(found: list[GameNote]) -> list[tuple[str, int]]:
    return [(note.table, note.number) for note in found]


def test_games_newest_first_from_any_place(journal: SqliteJournal) -> None:
    everything = numbers(journal.games(Wanted(), 100))
    assert everything == [(table, number) for number in range(9, 0, -1) for table in "ba"]
    assert numbers(journal.games(Wanted(), 3, Place(5_000, "b", 5))) == [("a", 5), ("b", 4), ("a", 4)]


def test_games_that_are_wanted(journal: SqliteJournal) -> None:
    assert numbers(journal.games(Wanted("a", shoe=2), 100)) == [("a", 7), ("a", 6), ("a", 5), ("a", 4)]
    between = Wanted(from_time=2_000, to_time=4_000)
    assert numbers(journal.games(between, 100)) == [("b", 3), ("a", 3), ("b", 2), ("a", 2)]
    assert not journal.games(Wanted(state="VOID"), 100)


def test_a_game_is_what_was_last_noted(journal: SqliteJournal) -> None:
    void = game("a", 2, state="VOID", ending=None, opening=None)
    journal.append([replace(new_row("a", 10), notes=Notes((void,)))]).result()
    assert journal.game("a", 2) == void
    assert journal.games(Wanted(state="VOID"), 100) == [void]
    assert journal.cells("a", 1) == [(1, 400), (0, 400)]
    assert journal.cell_counts("a") == [(0, 400, 3), (1, 400, 3), (2, 400, 2)]


def test_offers_by_event_and_by_game(journal: SqliteJournal) -> None:
    assert journal.offer("a", 4) == OfferNote("a", 4, 1, 1, "offer 4")
    assert journal.offer("a", 10) is None
    assert [each.offer for each in journal.last_offers("b", 2)] == ["offer 6", "offer 7", "offer 8"]
    journal.append([replace(new_row("b", 10), notes=Notes(offers=(OfferNote("b", 10, 2, 1, "newer"),)))]).result()
    assert [each.offer for each in journal.last_offers("b", 2)] == ["offer 6", "newer", "offer 8"]
    assert journal.noted("b") == (9, 10)


def test_a_still_reader_sees_nothing_new(journal: SqliteJournal) -> None:
    with StillReader(journal.path) as still:
        journal.append([replace(new_row("b", 10), notes=Notes(offers=(OfferNote("b", 10, 2, 1, "newer"),)))]).result()
        assert journal.noted("b") == (9, 10)
        assert still.noted("b") == (9, 9)
        assert [row.position for row in still.read("b")] == list(range(1, 10))
    with StillReader(journal.path) as still:
        assert still.noted("b") == (9, 10)


def test_no_note_of_a_row_that_was_refused(journal: SqliteJournal) -> None:
    with pytest.raises(PositionTaken):
        journal.append([noted("a", 10), noted("b", 12)]).result()
    assert journal.offer("a", 10) is None
    assert journal.game("a", 10) is None
    assert journal.tables() == [("a", 9), ("b", 9)]


def test_a_backup_has_them(journal: SqliteJournal, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    journal.backup(tmp_path / "copy" / "journal.sqlite3")
    with open_journal(tmp_path / "copy") as copy:
        assert copy.games(Wanted(), 100) == journal.games(Wanted(), 100)
        assert copy.offer("a", 4) == journal.offer("a", 4)


def test_what_is_older_than_the_notes_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / NAME, isolation_level=None)) as old:
        monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        schema.migrate(old)
        old.execute("INSERT INTO heads VALUES ('a', 2, ?)", (_hashes()[-1],))
        insert = f"INSERT INTO rows ({schema.COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        old.executemany(insert, [(*new_row("a", at).columns, made) for at, made in enumerate(_hashes(), 1)])
    monkeypatch.undo()
    with open_journal(tmp_path / "data") as journal:
        journal.append([noted("a", 3), noted("b", 1)]).result()
        assert (journal.unrecorded("a"), journal.unrecorded("b")) == (2, 0)
        assert journal.offer("a", 3)
        assert not list(journal.verify())


def _hashes() -> tuple[str, str]:
    first = chain(FIRST, new_row("a", 1))
    return first, chain(first, new_row("a", 2))
