"""Connections to SQLite, and its errors in the journal's words."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pricing.store.journal import JournalDamaged, JournalError, JournalRefused, JournalUnavailable

BUSY_SECONDS: Final = 0.4
"""How long a lock of another program is waited for. A call may come in the middle of another one's wait."""

_OLDEST: Final = (3, 37)

_DAMAGED: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_REASONS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_BUSY: "the database is locked",
    sqlite3.SQLITE_LOCKED: "the database is locked",
    sqlite3.SQLITE_IOERR: "I/O error",
    sqlite3.SQLITE_READONLY: "the file cannot be written",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
}


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a connection to an existing file, without transactions of Python's making.

    Raises:
        JournalRefused: This SQLite is too old.
        sqlite3.Error: It cannot be opened.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise JournalRefused(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 is needed")
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'rw' if write else 'ro'}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    if write:
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA fullfsync = ON")  # macOS: its fsync alone leaves data in the drive's cache
            connection.execute("PRAGMA checkpoint_fullfsync = ON")
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def in_words() -> Iterator[None]:
    """Turn SQLite's errors into the journal's."""
    try:
        yield
    except sqlite3.Error as error:
        raise translated(error) from error


def translated(error: sqlite3.Error) -> JournalError:
    """What an error of SQLite means for the journal."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the upper bits are details
    detail = f"{error} ({getattr(error, 'sqlite_errorname', type(error).__name__)})"
    if code in _DAMAGED or detail.startswith("Could not decode"):  # Python's own, without a code
        return JournalDamaged(detail)
    return JournalUnavailable(f"{_REASONS[code]}: {detail}" if code in _REASONS else detail)
