"""What a journal does, whatever keeps it, and what can go wrong with one."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pricing.store.notes import GameNote, OfferNote, Place, Wanted
from pricing.store.rows import NewRow, Row


class JournalError(Exception):
    """Something is wrong with the journal or with what was asked of it."""


class Conflict(JournalError):
    """A call that the journal's rows contradict. Nothing of it was written."""


class PositionTaken(Conflict):
    """A row's position is not the next one of its table: another writer was faster.

    Attributes:
        table: The table.
        position: What was asked for.
        current: The table's last position, 0 if it has none.
    """

    def __init__(self, table: str, position: int, current: int) -> None:
        """Keep the three facts and make the message of them."""
        super().__init__(table, position, current)
        self.table = table
        self.position = position
        self.current = current

    def __str__(self) -> str:
        """Both positions in one line."""
        return f"table {self.table}: position {self.position} is not the next one, the last is {self.current}"


class EventIdTaken(Conflict):
    """Rows with these event ids are there already: a retry, or another event under an old id.

    Attributes:
        rows: Those rows, in the order asked; fewer than asked if the call also had new ones. Whether they are what
            was asked for now, is for the caller to compare.
    """

    def __init__(self, *rows: Row) -> None:
        """Keep the rows."""
        super().__init__(*rows)
        self.rows = rows

    def __str__(self) -> str:
        """The ids in one line."""
        return "known already: " + ", ".join(f"event {row.event_id} of table {row.table}" for row in self.rows)


class JournalUnavailable(JournalError):
    """The journal cannot be written or read now: a full disk, a lock, an I/O error. It may recover by itself.

    After a failed append nothing is known of its rows, as of any commit that was not answered: nearly always they
    are not there, but a crash just then can bring them back. Whoever asks again with the same event ids is told.
    """


class JournalRefused(JournalError):
    """A journal that must not be opened: open elsewhere, of a newer version, or no journal at all."""


class JournalDamaged(JournalError):
    """The journal's file is damaged. Only a backup helps."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it was written."""

    table: str
    """Empty where the fault is in no table."""
    position: int
    """0 where it is in no row."""
    what: str
    found: str
    expected: str

    def __str__(self) -> str:
        """Where, what and how, in one line."""
        row = f"row {self.position}: " if self.position else ""
        table = f"table {self.table}: " if self.table else ""
        return f"{table}{row}{self.what}: found {self.found}; expected {self.expected}"


class JournalReader(Protocol):
    """What can be asked of a journal. From any thread; every call may raise :class:`JournalUnavailable`."""

    @property
    def epoch(self) -> str:
        """Changes only when the journal is restored from a backup or replaced."""

    def find(self, table: str, event_id: str) -> Row | None:
        """The row of an event, if it is there."""

    def read(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[Row]:
        """The rows of a table in order, those after a position, in bounded memory and in short transactions."""

    def tables(self) -> list[tuple[str, int]]:
        """Every table, by name, with its last position."""

    def text(self, digest: str) -> str:
        """A text by its hash.

        Raises:
            KeyError: There is none.
        """

    def backup(self, path: Path) -> None:
        """Write a whole copy to a new file, while appends go on. Opened for writing, it starts a new epoch.

        Raises:
            FileExistsError: There is a file at that path.
            OSError: The copy cannot be written.
        """

    def verify(self) -> Iterator[Fault]:
        """Compare everything with its hashes, in one view of the journal while appends go on."""

    def close(self) -> None:
        """Let go of it."""


class NoteReader(Protocol):
    """What can be asked of the notes beside a journal's rows. From any thread; see :class:`JournalReader`."""

    def games(self, wanted: Wanted, limit: int, after: Place | None = None) -> list[GameNote]:
        """Games as they stand, newest first, so many at most; those after a place in the list."""

    def game(self, table: str, number: int) -> GameNote | None:
        """A game of a table as it stands, if it is there."""

    def cells(self, table: str, shoe: int) -> list[tuple[int, int]]:
        """Numbers of the ending and of the opening of each game of a shoe that has a result, in order."""

    def cell_counts(self, table: str) -> list[tuple[int, int, int]]:
        """Each pair of ending and opening that games of a table had, and how many had it."""

    def offer(self, table: str, position: int) -> OfferNote | None:
        """What was offered after an event, if anything was."""

    def last_offers(self, table: str, number: int) -> list[OfferNote]:
        """What was last offered in each betting round of a game."""

    def unrecorded(self, table: str) -> int:
        """Up to which position nothing is noted beside a table's rows, as they are of an older version."""


class Journal(JournalReader, Protocol):
    """A journal that is open for writing. Only one process can have it."""

    def append(self, rows: Sequence[NewRow]) -> Future[tuple[Row, ...]]:
        """Append rows, all or none, and answer once they are durable.

        Calls are taken in their order, and several may share a commit; each succeeds or fails by itself. A call
        that is cancelled before its turn writes nothing.

        Args:
            rows: Of one table or of many; those of one table with positions in order.

        Returns:
            The rows with their hashes, in the order given. The future raises :class:`EventIdTaken`,
            :class:`PositionTaken` (a known event counts first, so that a late retry is one),
            :class:`JournalUnavailable` or :class:`JournalDamaged`.

        Raises:
            ValueError: No rows, an event id twice, or positions of a table that do not follow each other.
        """

    def put_text(self, text: str) -> str:
        """Keep a text, such as a game type's file, and answer its hash once it is durable.

        Raises:
            ValueError: It has a NUL, or half a surrogate pair.
        """

    def check(self) -> None:
        """Write durably without leaving a trace, to see whether that works.

        Raises:
            JournalUnavailable: It does not, and why.
        """

    def close(self) -> None:
        """Write what is waiting, then let go of it. Later calls are unavailable."""
