"""A journal in one SQLite file, open for writing."""

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pricing.store import files, schema
from pricing.store.batch import Batch, Head
from pricing.store.connect import connect, in_words, translated
from pricing.store.journal import Conflict, JournalDamaged, JournalUnavailable
from pricing.store.reader import SqliteReader
from pricing.store.rows import NewRow, Row, check_text
from pricing.store.writer import Writer

LINGER: Final = 0.001
"""Seconds that a commit waits for as many calls as the one before it had."""

_PATIENCE: Final = 5.0
"""Seconds that a probe may take: a disk that hangs is not available."""


class SqliteJournal(SqliteReader):
    """Rows in a file with a write-ahead log, which every commit syncs; one thread writes.

    Whatever fails, fails the whole transaction. What may have left the connection or the log in doubt also ends the
    connection: the next call opens another one, so that a journal is back as soon as its disk is.
    """

    def __init__(self, path: Path, lock: int, connection: sqlite3.Connection) -> None:
        """Take over what :func:`open_journal` opened."""
        super().__init__(path)
        self._lock = lock
        self._writing: sqlite3.Connection | None = connection
        self._heads: dict[str, Head] = {}
        self._damage: JournalDamaged | None = None
        """What was found to be damaged: from then on nothing is written."""
        self._log: files.Identity | None = None
        """Of the write-ahead log that commits go to; None before the first."""
        self._writer = Writer[Batch](self._commit, LINGER)

    def append(self, rows: Sequence[NewRow]) -> Future[tuple[Row, ...]]:
        """Append rows, all or none, and answer once they are durable: see :class:`pricing.store.journal.Journal`."""
        asked = tuple(rows)
        _check_call(asked)
        return self._writer.submit(lambda batch: batch.append(asked))

    def put_text(self, text: str) -> str:
        """Keep a text, such as a game type's file, and answer its hash once it is durable."""
        check_text("text", text)
        return self._writer.submit(lambda batch: batch.put_text(text)).result()

    def check(self) -> None:
        """Write durably without leaving a trace, to see whether that works.

        Raises:
            JournalUnavailable: It does not, and why.
        """
        try:
            self._writer.submit(lambda batch: batch.probe()).result(_PATIENCE)
        except NoAnswer:
            raise JournalUnavailable(f"the disk has not answered for {_PATIENCE:g} seconds") from None
        # Only now, as recovery may have made space. The log alone could have enough for a probe and for no more: a
        # full disk would seem to recover again and again.
        files.check_space(self._path.parent)

    def close(self) -> None:
        """Write what is waiting, then let go of the file. Later calls are unavailable."""
        if self._closed:
            return
        self._writer.close()
        super().close()
        self._let_go()
        os.close(self._lock)

    def _commit(self, calls: Sequence[Callable[[Batch], Any]]) -> Sequence[Any]:
        """Carry out calls in one transaction; runs in the writer's thread."""
        if self._damage:
            raise self._damage
        if files.identity(self._path) != self._identity:
            raise JournalUnavailable(f"{self._path} was replaced while it was open")
        try:
            connection = self._writing = self._writing or self._reopen()
            connection.execute("BEGIN IMMEDIATE")
            batch = Batch(connection, self._heads)
            answers = [_answer(call, batch) for call in calls]
            batch.write()
            connection.execute("COMMIT")
            self._check_log()
        except sqlite3.Error as error:
            self._abandon(error)
            failed = translated(error)
            if isinstance(failed, JournalDamaged):
                self._damage = failed
            raise failed from error
        except BaseException:
            self._let_go()
            raise
        self._heads |= batch.new_heads
        return answers

    def _check_log(self) -> None:
        """See that what was committed is in the log that a restart would find: it may have been deleted meanwhile."""
        log = files.log_identity(self._path)
        self._log = self._log or log
        if log is None or log != self._log:
            self._damage = JournalDamaged(f"{self._path}-wal was deleted or replaced while it was open")
            raise self._damage

    def _abandon(self, error: sqlite3.Error) -> None:
        """Undo a transaction that failed. Only for a lock is it certain that nothing but waiting is needed."""
        busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
        if not busy or self._writing is None or self._writing.in_transaction:
            self._let_go()

    def _let_go(self) -> None:
        connection, self._writing = self._writing, None
        self._log = None
        self._heads.clear()
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _reopen(self) -> sqlite3.Connection:
        """A new connection after a failure, with nothing left of the failed log.

        A sync that failed leaves pages that the system takes for written. So the log is emptied before it is used
        again: what it holds is copied to the database and synced there.
        """
        connection = connect(self._path, write=True)
        try:
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                raise JournalUnavailable("recovering: a reader is in the way")
            if schema.read_epoch(connection) != self._epoch:
                raise JournalUnavailable(f"{self._path} holds another journal than was opened")
        except BaseException:
            connection.close()
            raise
        return connection


def open_journal(folder: Path) -> SqliteJournal:
    """Open the journal in a folder for writing; make the folder and the journal if they are not there.

    Raises:
        JournalRefused: Another process has it, it is of a newer version, or the file is no journal.
        JournalUnavailable: It cannot be written now.
        JournalDamaged: It is damaged.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, open_journal(Path(folder)) as journal:
    ...     row = NewRow("t1", 1, "e1", "card", 1_700_000_000_000_000, "studio", '{"card":12}', "{}")
    ...     appended = journal.append([row]).result()
    ...     journal.find("t1", "e1") == appended[0], journal.tables()
    (True, [('t1', 1)])
    """
    path = folder / files.NAME
    try:
        files.make_folder(folder)
        lock = files.lock(folder)
    except OSError as error:
        raise JournalUnavailable(f"{folder}: {error.strerror}") from error
    try:
        files.make_file(path)
        files.inspect(path)
        files.sync_log(path)
        with in_words():
            connection = _prepared(path)
            try:
                return SqliteJournal(path, lock, connection)
            except BaseException:
                connection.close()
                raise
    except OSError as error:
        os.close(lock)
        raise JournalUnavailable(f"{path}: {error.strerror}") from error
    except BaseException:
        os.close(lock)
        raise


def _prepared(path: Path) -> sqlite3.Connection:
    """The first connection, to a journal that is up to date and claimed."""
    connection = connect(path, write=True)
    try:
        schema.check_version(connection, newest_only=False)
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        schema.migrate(connection)
        schema.claim(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _answer(call: Callable[[Batch], Any], batch: Batch) -> Any:
    try:
        return call(batch)
    except Conflict as conflict:
        return conflict


def _check_call(rows: Sequence[NewRow]) -> None:
    if not rows:
        raise ValueError("rows: got none; allowed: one or more")
    ids = Counter((row.table, row.event_id) for row in rows)
    for (table, event_id), times in ids.items():
        if times > 1:
            raise ValueError(f"rows: got event {event_id} of table {table} {times} times; allowed: once")
    last: dict[str, int] = {}
    for row in rows:
        if row.position != last.get(row.table, row.position - 1) + 1:
            raise ValueError(f"rows: got position {row.position} of table {row.table} after {last[row.table]}")
        last[row.table] = row.position
