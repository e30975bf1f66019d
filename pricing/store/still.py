"""A journal in SQLite as it was at one moment, while others append to it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pricing.store.connect import connect, in_words
from pricing.store.reader import SqliteReader


class StillReader(SqliteReader):
    """Reads the journal as it was when this was made, however long that takes. For one thread.

    The journal's log cannot be cut as long as it is open.
    """

    def __init__(self, path: Path) -> None:
        """Look at the journal in a file."""
        with in_words():
            self._held = connect(path, write=False)
        try:
            with in_words():
                self._held.execute("BEGIN")
                self._held.execute("SELECT count(*) FROM heads").fetchone()  # only now it stands still
            super().__init__(path)
        except BaseException:
            self._held.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._held.close()
        super().close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with in_words():
            yield self._held
