"""A journal in SQLite, for reading: beside its server or alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self

from pricing.store import schema, verification
from pricing.store.batch import FIND
from pricing.store.connect import connect, in_words
from pricing.store.files import NAME, closed, inspect, make_file, opened, sync_folder
from pricing.store.journal import Fault, JournalRefused, JournalUnavailable
from pricing.store.notes import GameNote, OfferNote, Place, Wanted, sql_of
from pricing.store.rows import Row

_CHUNK: Final = 256
_READ: Final = f"""SELECT {schema.COLUMNS} FROM rows
    WHERE table_name = ? AND position > ? ORDER BY position LIMIT ?"""
_GAMES: Final = f"""SELECT {schema.GAME_COLUMNS} FROM games
    WHERE {{}} ORDER BY open_time DESC, table_name DESC, number DESC LIMIT ?"""
_GAME: Final = f"SELECT {schema.GAME_COLUMNS} FROM games WHERE table_name = ? AND number = ?"
_CELLS: Final = """SELECT ending, opening FROM games
    WHERE table_name = ? AND shoe = ? AND ending IS NOT NULL ORDER BY number"""
_CELL_COUNTS: Final = """SELECT ending, opening, count(*) FROM games
    WHERE table_name = ? AND ending IS NOT NULL GROUP BY ending, opening"""
_OFFER: Final = f"SELECT {schema.OFFER_COLUMNS} FROM offers WHERE table_name = ? AND position = ?"
_NOTED: Final = """SELECT (SELECT count(*) FROM games WHERE table_name = ?1),
    (SELECT count(*) FROM offers WHERE table_name = ?1)"""
_LAST_OFFERS: Final = """SELECT table_name, max(position), number, round, offer FROM offers
    WHERE table_name = ? AND number = ? GROUP BY round ORDER BY round"""


class SqliteReader:
    """Reads through connections of its own, which are kept for the next call. Safe for threads."""

    def __init__(self, path: Path) -> None:
        """Read the journal in a file; :func:`open_reader` looks at it first."""
        self._path = path
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._identity = opened(path)
        try:
            with self._connection() as connection:
                schema.check_version(connection)
                self._epoch = schema.read_epoch(connection)
        except BaseException:
            closed(self._identity)
            raise

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def epoch(self) -> str:
        """Changes only when the journal is restored from a backup or replaced."""
        return self._epoch

    def find(self, table: str, event_id: str) -> Row | None:
        """The row of an event, if it is there."""
        with self._connection() as connection:
            found = connection.execute(FIND, (table, event_id)).fetchone()
        return Row(*found) if found else None

    def read(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[Row]:
        """The rows of a table in order, those after a position, in bounded memory and in short transactions."""
        left = limit
        while left is None or left > 0:
            asked = _CHUNK if left is None else min(left, _CHUNK)
            with self._connection() as connection:
                found = connection.execute(_READ, (table, after, asked)).fetchall()
            yield from (Row(*columns) for columns in found)
            if len(found) < asked:
                return
            after = found[-1][1]
            left = None if left is None else left - asked

    def tables(self) -> list[tuple[str, int]]:
        """Every table, by name, with its last position."""
        with self._connection() as connection:
            return connection.execute("SELECT table_name, position FROM heads ORDER BY table_name").fetchall()

    def text(self, digest: str) -> str:
        """A text by its hash.

        Raises:
            KeyError: There is none.
        """
        with self._connection() as connection:
            found = connection.execute("SELECT text FROM texts WHERE hash = ?", (digest,)).fetchone()
        if found is None:
            raise KeyError(digest)
        return str(found[0])

    def games(self, wanted: Wanted, limit: int, after: Place | None = None) -> list[GameNote]:
        """Games as they stand, newest first, so many at most; those after a place in the list."""
        condition, values = sql_of(wanted, after)
        with self._connection() as connection:
            found = connection.execute(_GAMES.format(condition), (*values, limit)).fetchall()
        return [GameNote(*columns) for columns in found]

    def game(self, table: str, number: int) -> GameNote | None:
        """A game of a table as it stands, if it is there."""
        with self._connection() as connection:
            found = connection.execute(_GAME, (table, number)).fetchone()
        return GameNote(*found) if found else None

    def cells(self, table: str, shoe: int) -> list[tuple[int, int]]:
        """Numbers of the ending and of the opening of each game of a shoe that has a result, in order."""
        with self._connection() as connection:
            return connection.execute(_CELLS, (table, shoe)).fetchall()

    def cell_counts(self, table: str) -> list[tuple[int, int, int]]:
        """Each pair of ending and opening that games of a table had, and how many had it."""
        with self._connection() as connection:
            return connection.execute(_CELL_COUNTS, (table,)).fetchall()

    def offer(self, table: str, position: int) -> OfferNote | None:
        """What was offered after an event, if anything was."""
        with self._connection() as connection:
            found = connection.execute(_OFFER, (table, position)).fetchone()
        return OfferNote(*found) if found else None

    def last_offers(self, table: str, number: int) -> list[OfferNote]:
        """What was last offered in each betting round of a game."""
        with self._connection() as connection:
            found = connection.execute(_LAST_OFFERS, (table, number)).fetchall()
        return [OfferNote(*columns) for columns in found]

    def noted(self, table: str) -> tuple[int, int]:
        """How many games of a table are noted, and after how many of its events anything was offered."""
        with self._connection() as connection:
            games, offers = connection.execute(_NOTED, (table,)).fetchone()
        return games, offers

    def unrecorded(self, table: str) -> int:
        """Up to which position nothing is noted beside a table's rows, as they are of an older version."""
        with self._connection() as connection:
            found = connection.execute("SELECT position FROM unrecorded WHERE table_name = ?", (table,)).fetchone()
        return found[0] if found else 0

    def verify(self) -> Iterator[Fault]:
        """Compare everything with its hashes, in one view of the journal while appends go on."""
        with in_words():
            yield from verification.faults(self._path)

    def backup(self, path: Path) -> None:
        """Write a whole copy to a new file, while appends go on. Opened for writing, it starts a new epoch.

        The file appears under its name when it is complete and durable.

        Raises:
            FileExistsError: There is a file at that path.
            OSError: The copy cannot be written.
        """
        if path.exists():
            raise FileExistsError(f"{path} is there already")
        with TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            part = Path(folder) / path.name
            make_file(part)
            with in_words(), closing(connect(self._path, write=False)) as source:
                self._copy(source, part)
            part.rename(path)
        sync_folder(path.parent)

    def close(self) -> None:
        """Let go of the file. Later calls are unavailable."""
        if not self._closed:
            self._closed = True
            self._close_idle()
            closed(self._identity)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def _copy(source: sqlite3.Connection, part: Path) -> None:
        with closing(connect(part, write=True)) as target:
            source.backup(target)  # in one step: in several, each append would start it anew
            target.execute("PRAGMA journal_mode = DELETE")  # a copy is one file
            target.execute("BEGIN IMMEDIATE")
            schema.mark_copy(target)
            target.execute("COMMIT")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise JournalUnavailable("the journal is closed")
        with in_words():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = connect(self._path, write=False)
            try:
                yield connection
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.close()
                raise
            self._idle.append(connection)
            if self._closed:
                self._close_idle()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()


def open_reader(folder: Path) -> SqliteReader:
    """Open the journal in a folder for reading, also while a server in another process writes it.

    Raises:
        JournalRefused: There is none, or it cannot be one.
        JournalUnavailable: It cannot be read now.
        JournalDamaged: It is damaged.
    """
    path = folder / NAME
    if not path.is_file():
        raise JournalRefused(f"there is no journal in {folder}")
    try:
        inspect(path)
    except OSError as error:
        raise JournalUnavailable(f"{path}: {error.strerror}") from error
    return SqliteReader(path)
