"""Everything in a journal compared with its hashes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from pricing.store.connect import connect
from pricing.store.journal import Fault
from pricing.store.rows import FIRST, Row, chain, digest
from pricing.store.schema import COLUMNS, identity_hash

_TYPES: Final = (str, int, str, str, int, str, str, str, str)


class _Seen(NamedTuple):
    """The row that was looked at last."""

    table: str
    position: int
    hash: str


def faults(path: Path) -> Iterator[Fault]:
    """Everything that is wrong in a journal, in one view of it while appends go on; in bounded memory.

    A row that is wrong is one fault, or one more at the row after it, as that follows another hash than was written.
    """
    with closing(connect(path, write=False)) as connection:
        # What is no UTF-8 any more must come through to be found, and must not pass for something else.
        connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        connection.execute("BEGIN")
        for check in (_database, _identity, _texts, _rows, _heads_without_rows):
            try:
                yield from check(connection)
            except sqlite3.DatabaseError as error:
                yield Fault("", 0, "database", str(error), "a file that can be read")


def _database(connection: sqlite3.Connection) -> Iterator[Fault]:
    for (message,) in connection.execute("PRAGMA integrity_check"):
        if message != "ok":
            yield Fault("", 0, "database", _shown(message), "ok")


def _identity(connection: sqlite3.Connection) -> Iterator[Fault]:
    found = connection.execute("SELECT epoch, copied, hash FROM journal").fetchall()
    if len(found) != 1:
        yield Fault("", 0, "epoch", f"{len(found)} of them", "one")
    for epoch, copied, kept in found:
        if (expected := identity_hash(_shown(epoch), copied)) != kept:
            yield Fault("", 0, "hash of the epoch", _shown(kept), expected)


def _texts(connection: sqlite3.Connection) -> Iterator[Fault]:
    for kept, text in connection.execute("SELECT hash, text FROM texts"):
        if (expected := digest(str(text))) != kept:
            yield Fault("", 0, "hash of a text", _shown(kept), expected)


def _rows(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Each table's chain: positions without gaps, hashes, and an end where its head says."""
    heads = connection.cursor()
    last: _Seen | None = None
    for columns in connection.execute(f"SELECT {COLUMNS} FROM rows ORDER BY table_name, position"):
        if tuple(map(type, columns)) != _TYPES:
            yield Fault(_shown(columns[0]), 0, "row", _shown(columns), "texts and numbers in their columns")
            continue
        row = Row(*columns)
        if last is None or row.table != last.table:
            yield from _end(heads, last)
            last = _Seen(row.table, 0, FIRST)
        if row.position != last.position + 1:
            yield Fault(_shown(row.table), last.position + 1, "position", str(row.position), str(last.position + 1))
        if (expected := chain(last.hash, row)) != row.hash:
            yield Fault(_shown(row.table), row.position, "hash", _shown(row.hash), expected)
        last = _Seen(row.table, row.position, row.hash)
    yield from _end(heads, last)


def _end(heads: sqlite3.Cursor, last: _Seen | None) -> Iterator[Fault]:
    if last is None:
        return
    table = last.table.encode("utf-8", "surrogateescape")
    query = "SELECT position, hash FROM heads WHERE table_name = CAST(? AS TEXT)"
    head = heads.execute(query, (table,)).fetchone()
    if head is None:
        yield Fault(_shown(last.table), last.position, "head", "none", f"position {last.position}")
    elif head != (last.position, last.hash):
        found = f"position {last.position}, {_shown(last.hash)}"
        yield Fault(_shown(last.table), last.position, "last row", found, f"position {head[0]}, {_shown(head[1])}")


def _heads_without_rows(connection: sqlite3.Connection) -> Iterator[Fault]:
    query = "SELECT table_name, position FROM heads WHERE table_name NOT IN (SELECT table_name FROM rows)"
    for table, position in connection.execute(query):
        yield Fault(_shown(table), 0, "rows", "none", f"{position} of them")


def _shown(value: Any) -> str:
    """A text that may be damaged, fit to be printed."""
    return str(value).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
