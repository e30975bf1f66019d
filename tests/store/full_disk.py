"""A journal on a disk that fills up and is emptied again; started by test_full_disk.py.

``python full_disk.py FOLDER`` lets a file take all space, ``python full_disk.py FOLDER limit`` limits how large files
may become.
"""

import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from store.samples import new_row

from pricing.store.journal import EventIdTaken, JournalUnavailable
from pricing.store.sqlite import SqliteJournal, open_journal


def ballast(folder: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    file = folder / "ballast"

    def take() -> None:
        with file.open("ab", buffering=0) as content, suppress(OSError):
            while content.write(bytes(4096)) == 4096:
                pass

    return take, file.unlink


def limit(_folder: Path) -> tuple[Callable[[], None], Callable[[], None]]:
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def set_to(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))

    return lambda: set_to(3000), lambda: set_to(most)


def fill(journal: SqliteJournal, position: int) -> tuple[int, str]:
    """Append until it fails: the position that failed, and why."""
    while True:
        try:
            journal.append([new_row("t", position)]).result()
        except JournalUnavailable as error:
            return position, str(error)
        except EventIdTaken:
            pass
        position += 1


def exhaust(journal: SqliteJournal, position: int, take: Callable[[], None]) -> int:
    """Append until the probe fails too; before, recovery empties the log, which can make some space again."""
    for _ in range(9):
        take()
        position, reason = fill(journal, position)
        assert reason.startswith(("the disk is full", "I/O error")), reason
        take()
        try:
            journal.check()
        except JournalUnavailable:
            return position
    raise AssertionError("the disk does not get full")


def main(folder: Path, make: Callable[[Path], tuple[Callable[[], None], Callable[[], None]]]) -> None:
    take, free = make(folder)
    with open_journal(folder / "data") as journal:
        epoch, position = journal.epoch, 1
        big = [new_row("big", each, body='"' + "x" * 5000 + '"') for each in range(1, 101)]
        for _ in range(3):
            journal.append([new_row("t", position)]).result()
            position = exhaust(journal, position + 1, take)
            answers = [journal.append([new_row("u", 1), *big]), journal.append(big)]
            assert all(isinstance(answer.exception(), JournalUnavailable) for answer in answers)
            assert [row.position for row in journal.read("t")][: position - 1] == list(range(1, position))
            assert journal.tables() == [("t", position - 1)]
            free()
            journal.check()
            position, last = position + 1, position
            with suppress(EventIdTaken):
                journal.append([new_row("t", last)]).result()
            assert not list(journal.verify())
        assert journal.epoch == epoch
    with open_journal(folder / "data") as journal:
        assert journal.tables() == [("t", position - 1)]
        assert not list(journal.verify())


if __name__ == "__main__":
    main(Path(sys.argv[1]), limit if "limit" in sys.argv[2:] else ballast)
