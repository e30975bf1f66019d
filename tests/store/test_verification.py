"""Whatever is changed in a journal's file is found, and nothing else."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from store.samples import new_row

from pricing.store.files import NAME
from pricing.store.journal import Fault, JournalDamaged, JournalError
from pricing.store.reader import SqliteReader, open_reader
from pricing.store.sqlite import open_journal

COLUMNS = {
    "rows": ("table_name", "position", "event_id", "kind", "recorded_time", "actor", "body", "outcome", "hash"),
    "heads": ("table_name", "position", "hash"),
    "texts": ("hash", "text"),
    "journal": ("epoch", "copied", "hash"),
}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small journal's file."""
    folder = tmp_path_factory.mktemp("content")
    with open_journal(folder) as journal:
        journal.put_text("name = 'ß'")
        journal.put_text("decks = 8")
        for table in ("a", "b"):
            for position in range(1, 6):
                journal.append([new_row(table, position)]).result()
    return (folder / NAME).read_bytes()


@pytest.fixture
def folder(tmp_path: Path, content: bytes) -> Path:
    (tmp_path / NAME).write_bytes(content)
    return tmp_path


def run(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount == 1, statement


def faults(folder: Path) -> list[Fault]:
    try:
        with open_reader(folder) as journal:
            return list(journal.verify())
    except JournalDamaged as error:
        return [Fault("", 0, "journal", str(error), "one that opens")]


def test_a_journal_as_it_was_written_has_no_fault(folder: Path) -> None:
    assert not faults(folder)


@pytest.mark.parametrize("where", ["first", "last"])
@pytest.mark.parametrize(("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]])
@pytest.mark.parametrize("bit", [6, 7])
def test_one_flipped_bit_in_any_column_is_found(folder: Path, table: str, column: str, where: str, bit: int) -> None:
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as connection:
        order = "ORDER BY 1, 2" + (" DESC" if where == "last" else "")
        key = connection.execute(f"SELECT * FROM {table} {order} LIMIT 1").fetchone()
        which = " AND ".join(f"{name} = ?" for name in COLUMNS[table])
        (value,) = connection.execute(f"SELECT CAST({column} AS BLOB) FROM {table} WHERE {which}", key).fetchone()
        (kind,) = connection.execute(f"SELECT typeof({column}) FROM {table} WHERE {which}", key).fetchone()
        if kind == "integer":
            changed: object = int(value) ^ (1 << (bit + 20))
        else:
            changed = bytes([*value[:-1], value[-1] ^ (1 << bit)])
        sql = f"UPDATE {table} SET {column} = CAST(? AS {'INTEGER' if kind == 'integer' else 'TEXT'}) WHERE {which}"
        assert connection.execute(sql, (changed, *key)).rowcount == 1
    found = faults(folder)
    assert found
    assert all(str(fault).encode() for fault in found), "fit to be printed"


def test_a_changed_body_is_one_fault_that_says_where(folder: Path) -> None:
    run(folder, "UPDATE rows SET body = '{}' WHERE table_name = 'b' AND position = 3")
    (fault,) = faults(folder)
    assert (fault.table, fault.position, fault.what) == ("b", 3, "hash")
    assert str(fault).startswith("table b: row 3: hash: found ")


TAMPERINGS: dict[str, tuple[str, ...]] = {
    "middle row dropped": ("DELETE FROM rows WHERE table_name = 'a' AND position = 3",),
    "first row dropped": ("DELETE FROM rows WHERE table_name = 'a' AND position = 1",),
    "last row dropped": ("DELETE FROM rows WHERE table_name = 'a' AND position = 5",),
    "row and place dropped": (
        "DELETE FROM rows WHERE table_name = 'a' AND position = 3",
        "UPDATE rows SET position = 3 WHERE table_name = 'a' AND position = 4",
        "UPDATE rows SET position = 4 WHERE table_name = 'a' AND position = 5",
    ),
    "rows swapped": (
        "UPDATE rows SET position = 9 WHERE table_name = 'a' AND position = 2",
        "UPDATE rows SET position = 2 WHERE table_name = 'a' AND position = 3",
        "UPDATE rows SET position = 3 WHERE table_name = 'a' AND position = 9",
    ),
    "row of another table": ("UPDATE rows SET table_name = 'b', position = 6 WHERE table_name = 'a' AND position = 5",),
    "last row twice": (
        "INSERT INTO rows SELECT table_name, 6, 'new', kind, recorded_time, actor, body, outcome, hash "
        "FROM rows WHERE table_name = 'a' AND position = 5",
    ),
    "head dropped": ("DELETE FROM heads WHERE table_name = 'b'",),
    "head of no table": ("INSERT INTO heads VALUES ('c', 1, 'x')",),
    "row of no head": ("INSERT INTO rows VALUES ('c', 1, 'e', 'k', 0, 'a', '{}', '{}', 'x')",),
    "no epoch": ("DELETE FROM journal",),
    "two epochs": ("INSERT INTO journal SELECT * FROM journal",),
}


@pytest.mark.parametrize("statements", TAMPERINGS.values(), ids=TAMPERINGS)
def test_tampering_is_found(folder: Path, statements: tuple[str, ...]) -> None:
    run(folder, *statements)
    assert faults(folder)


def test_a_table_without_rows_is_found(folder: Path) -> None:
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as connection:
        connection.execute("DELETE FROM rows WHERE table_name = 'b'")
    (fault,) = faults(folder)
    assert str(fault) == "table b: rows: found none; expected 5 of them"


def contents(reader: SqliteReader) -> object:
    tables = reader.tables()
    return reader.epoch, tables, [list(reader.read(table)) for table, _ in tables]


def survey(path: Path, contents: Callable[[SqliteReader], object]) -> tuple[object, list[Fault]] | None:
    try:
        with SqliteReader(path) as reader:
            return contents(reader), list(reader.verify())
    except JournalError:
        return None


def test_a_flipped_byte_anywhere_in_the_file_is_found_or_changes_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / NAME
    path.write_bytes(content)
    whole = survey(path, contents)
    assert whole is not None
    assert not whole[1]
    used = [place for place in range(len(content)) if content[place]]
    found = 0
    for place in used[:: len(used) // 500]:
        changed = bytearray(content)
        changed[place] ^= 0x15
        path.write_bytes(changed)
        seen = survey(path, contents)
        assert seen is None or seen[1] or seen[0] == whole[0], f"byte {place}"
        found += seen is None or bool(seen[1])
    assert found > 400
