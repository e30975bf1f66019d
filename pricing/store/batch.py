"""What the calls of one commit write, decided call by call before the first row is inserted."""

import sqlite3
from collections.abc import Sequence
from typing import Final, NamedTuple

from pricing.store.journal import EventIdTaken, PositionTaken
from pricing.store.notes import Notes
from pricing.store.rows import FIRST, NewRow, Row, chain, digest
from pricing.store.schema import COLUMNS, GAME_COLUMNS, OFFER_COLUMNS

FIND: Final = f"SELECT {COLUMNS} FROM rows WHERE table_name = ? AND event_id = ?"
PUT_GAME: Final = f"INSERT OR REPLACE INTO games ({GAME_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
PUT_OFFER: Final = f"INSERT INTO offers ({OFFER_COLUMNS}) VALUES (?, ?, ?, ?, ?)"


class Head(NamedTuple):
    """A table's last row."""

    position: int
    hash: str


class Batch:
    """One transaction in the making.

    A call that meets a conflict raises it and leaves the batch as it was.
    """

    def __init__(self, connection: sqlite3.Connection, heads: dict[str, Head]) -> None:
        """Begin.

        Args:
            connection: In a transaction that writes.
            heads: Of the tables met so far, as they were committed.
        """
        self._connection = connection
        self._heads = heads
        self.new_heads: dict[str, Head] = {}
        self._rows: dict[tuple[str, str], Row] = {}
        self._notes: list[Notes] = []
        self._texts: dict[str, str] = {}
        self._probe = False

    def append(self, rows: Sequence[NewRow]) -> tuple[Row, ...]:
        """Take the rows of one call.

        Raises:
            EventIdTaken: Some of the events are known.
            PositionTaken: A position is not the next one.
        """
        if known := [row for row in (self._find(row.table, row.event_id) for row in rows) if row]:
            raise EventIdTaken(*known)
        heads: dict[str, Head] = {}
        taken = []
        for row in rows:
            head = heads.get(row.table) or self._head(row.table)
            if row.position != head.position + 1:
                raise PositionTaken(row.table, row.position, head.position)
            chained = Row(*row.columns, chain(head.hash, row))
            heads[row.table] = Head(chained.position, chained.hash)
            taken.append(chained)
        self.new_heads |= heads
        self._rows |= {(row.table, row.event_id): row for row in taken}
        self._notes += [row.notes for row in rows]
        return tuple(taken)

    def put_text(self, text: str) -> str:
        """Take a text."""
        self._texts[digest(text)] = text
        return digest(text)

    def probe(self) -> None:
        """Make the commit write something, even if there is nothing to write."""
        self._probe = True

    def write(self) -> None:
        """Insert all that was taken."""
        run = self._connection.executemany
        if self._rows:
            rows = ((*row.columns, row.hash) for row in self._rows.values())
            run(f"INSERT INTO rows ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            heads = ((table, *head) for table, head in self.new_heads.items())
            run("INSERT OR REPLACE INTO heads (table_name, position, hash) VALUES (?, ?, ?)", heads)
            run(PUT_GAME, (game for notes in self._notes for game in notes.games))
            run(PUT_OFFER, (offer for notes in self._notes for offer in notes.offers))
        if self._texts:
            run("INSERT OR IGNORE INTO texts (hash, text) VALUES (?, ?)", self._texts.items())
        if self._probe:
            self._connection.execute("INSERT INTO texts (hash, text) VALUES ('', '')")
            self._connection.execute("DELETE FROM texts WHERE hash = ''")

    def _find(self, table: str, event_id: str) -> Row | None:
        if (row := self._rows.get((table, event_id))) is not None:
            return row
        found = self._connection.execute(FIND, (table, event_id)).fetchone()
        return Row(*found) if found else None

    def _head(self, table: str) -> Head:
        head = self.new_heads.get(table) or self._heads.get(table)
        if head is None:
            found = self._connection.execute(
                "SELECT position, hash FROM heads WHERE table_name = ?", (table,)
            ).fetchone()
            head = self._heads[table] = Head(*found) if found else Head(0, FIRST)
        return head
