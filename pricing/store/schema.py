"""The tables of a journal in SQLite, their versions, and which journal it is."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from pricing.store.journal import JournalDamaged, JournalRefused
from pricing.store.rows import canonical, digest

APPLICATION: Final = 0x62614A31
"""In the file's header, so that no other program's database is taken for a journal."""

MIGRATIONS: Final[Sequence[Sequence[str]]] = (
    (
        # Rows in the order of their arrival, whatever their table: the rows of one commit share pages.
        """CREATE TABLE rows (
            table_name TEXT NOT NULL,
            position INTEGER NOT NULL,
            event_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            recorded_time INTEGER NOT NULL,
            actor TEXT NOT NULL,
            body TEXT NOT NULL,
            outcome TEXT NOT NULL,
            hash TEXT NOT NULL,
            PRIMARY KEY (table_name, position),
            UNIQUE (table_name, event_id)
        ) STRICT""",
        # Each table's last row once more, so that it cannot go missing unnoticed.
        """CREATE TABLE heads (
            table_name TEXT NOT NULL PRIMARY KEY,
            position INTEGER NOT NULL,
            hash TEXT NOT NULL
        ) STRICT, WITHOUT ROWID""",
        "CREATE TABLE texts (hash TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT",
        # One row. `copied` is 1 in a backup until it is opened for writing.
        "CREATE TABLE journal (epoch TEXT NOT NULL, copied INTEGER NOT NULL, hash TEXT NOT NULL) STRICT",
    ),
    (
        # What each event made of a game, for questions that should not read a whole table: the rows remain the truth.
        """CREATE TABLE games (
            table_name TEXT NOT NULL,
            number INTEGER NOT NULL,
            shoe INTEGER NOT NULL,
            open_time INTEGER NOT NULL,
            state TEXT NOT NULL,
            ending INTEGER,
            opening INTEGER,
            game_hash TEXT NOT NULL,
            packed BLOB NOT NULL,
            PRIMARY KEY (table_name, number)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX games_by_time ON games (open_time, table_name, number)",
        "CREATE INDEX games_of_table_by_time ON games (table_name, open_time, number)",
        "CREATE INDEX games_by_shoe ON games (table_name, shoe, number, ending, opening)",
        # What was offered after each event after which anything was.
        """CREATE TABLE offers (
            table_name TEXT NOT NULL,
            position INTEGER NOT NULL,
            number INTEGER NOT NULL,
            round INTEGER NOT NULL,
            offer TEXT NOT NULL,
            PRIMARY KEY (table_name, position)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX offers_by_game ON offers (table_name, number, round, position)",
        # Up to where each table's events are older than this version, and have neither.
        """CREATE TABLE unrecorded (
            table_name TEXT NOT NULL PRIMARY KEY,
            position INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID""",
        "INSERT INTO unrecorded SELECT table_name, position FROM heads",
    ),
)
"""Statements from each version to the next. A version that was released never changes."""

COLUMNS: Final = "table_name, position, event_id, kind, recorded_time, actor, body, outcome, hash"
GAME_COLUMNS: Final = "table_name, number, shoe, open_time, state, ending, opening, game_hash, packed"
OFFER_COLUMNS: Final = "table_name, position, number, round, offer"


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a journal to the newest version, or make one of an empty file; each step whole or not at all.

    Raises:
        JournalRefused: It is no journal, or of a newer version than this program knows.
    """
    check_version(connection, newest_only=False)
    for version, statements in enumerate(MIGRATIONS[_version(connection) :], _version(connection) + 1):
        connection.execute("BEGIN IMMEDIATE")
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")


def check_version(connection: sqlite3.Connection, *, newest_only: bool = True) -> None:
    """Refuse what is no journal, or of another version; without ``newest_only`` older ones and empty files pass.

    Raises:
        JournalRefused: What it is instead.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    version = _version(connection)
    if application != APPLICATION and (tables or newest_only):
        raise JournalRefused(
            "the file is no journal: " + ("it is the database of another program" if tables else "it is empty")
        )
    if version > len(MIGRATIONS):
        raise JournalRefused(f"the journal has version {version}; this program knows versions up to {len(MIGRATIONS)}")
    if newest_only and version < len(MIGRATIONS):
        raise JournalRefused(f"the journal has the old version {version}; a server that opens it brings it up to date")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    assert isinstance(version, int)
    return version


def claim(connection: sqlite3.Connection) -> str:
    """The epoch of a journal that is opened for writing: a new one if it is new or a backup."""
    connection.execute("BEGIN IMMEDIATE")
    found = connection.execute("SELECT epoch, copied FROM journal").fetchone()
    if found is None or found[1]:
        # The database throws the dice, as a server of PostgreSQL would: nothing here needs a source of chance.
        (epoch,) = connection.execute("SELECT lower(hex(randomblob(16)))").fetchone()
        _identify(connection, epoch, copied=0)
    connection.execute("COMMIT")
    return read_epoch(connection)


def mark_copy(connection: sqlite3.Connection) -> None:
    """Say in a copy that it is one."""
    _identify(connection, read_epoch(connection), copied=1)


def read_epoch(connection: sqlite3.Connection) -> str:
    """The epoch.

    Raises:
        JournalDamaged: The journal does not say.
    """
    found = connection.execute("SELECT epoch FROM journal").fetchone()
    if found is None:
        raise JournalDamaged("the journal has no epoch")
    return str(found[0])


def identity_hash(epoch: str, copied: object) -> str:
    """What the row of :data:`journal` must have as its hash."""
    return digest(canonical([epoch, str(copied)]))


def _identify(connection: sqlite3.Connection, epoch: str, *, copied: int) -> None:
    connection.execute("DELETE FROM journal")
    connection.execute("INSERT INTO journal VALUES (?, ?, ?)", (epoch, copied, identity_hash(epoch, copied)))
