"""What is particular to the journal in a file: who may open it, and what becomes of it in trouble."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest
from store.samples import new_row

from pricing.store import schema
from pricing.store.files import NAME
from pricing.store.journal import EventIdTaken, JournalDamaged, JournalError, JournalRefused, JournalUnavailable
from pricing.store.reader import open_reader
from pricing.store.sqlite import SqliteJournal, open_journal

CLAIM = """
import sqlite3
import sys
sqlite3.connect(sys.argv[1], timeout=0).execute("PRAGMA journal_mode = DELETE")
"""
OPEN = """
import sys
from pathlib import Path
from pricing.store.sqlite import open_journal
open_journal(Path(sys.argv[1]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def journal(folder: Path) -> Iterator[SqliteJournal]:
    with open_journal(folder) as journal:
        yield journal


def outside(folder: Path) -> "closing[sqlite3.Connection]":
    """Another program's connection."""
    return closing(sqlite3.connect(folder / NAME, isolation_level=None, timeout=0, check_same_thread=False))


def fill(journal: SqliteJournal, table: str, first: int, last: int) -> None:
    for answer in [journal.append([new_row(table, position)]) for position in range(first, last + 1)]:
        answer.result()


def test_nobody_else_may_read_the_files(journal: SqliteJournal, folder: Path) -> None:
    fill(journal, "t", 1, 1)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert files == dict.fromkeys((NAME, f"{NAME}-wal", f"{NAME}-shm", "journal.lock"), 0o600)


def test_a_closed_journal_is_one_file(folder: Path) -> None:
    with open_journal(folder) as journal:
        fill(journal, "t", 1, 3)
    assert {path.name for path in folder.iterdir()} == {NAME, "journal.lock"}


def test_every_commit_is_synced(journal: SqliteJournal) -> None:
    assert journal._writing is not None
    (mode,) = journal._writing.execute("PRAGMA journal_mode").fetchone()
    (synchronous,) = journal._writing.execute("PRAGMA synchronous").fetchone()
    assert (mode, synchronous) == ("wal", 2)


def test_a_second_writer_is_refused(journal: SqliteJournal, folder: Path) -> None:
    with pytest.raises(JournalRefused, match=f"open for writing in process {os.getpid()}"):
        open_journal(folder)
    other = subprocess.run([sys.executable, "-c", OPEN, folder], capture_output=True, text=True, check=False)
    assert f"open for writing in process {os.getpid()}" in other.stderr.splitlines()[-1]
    fill(journal, "t", 1, 1)


def test_a_reader_beside_the_writer_sees_every_row_at_once(journal: SqliteJournal, folder: Path) -> None:
    with open_reader(folder) as reader:
        for position in range(1, 5):
            fill(journal, "t", position, position)
            assert [row.position for row in reader.read("t")] == list(range(1, position + 1))
        assert reader.epoch == journal.epoch
    # The writer's locks are still there, though a reader of its own process looked into the file and closed it.
    other = subprocess.run([sys.executable, "-c", CLAIM, folder / NAME], capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"# not a database\n", "no SQLite database"), (b"SQLite format 3\0cut", "no SQLite database")],
)
def test_another_file_is_refused_and_left_alone(folder: Path, content: bytes, message: str) -> None:
    folder.mkdir()
    (folder / NAME).write_bytes(content)
    for opening in (open_journal, open_reader):
        with pytest.raises(JournalRefused, match=message):
            opening(folder)
    assert (folder / NAME).read_bytes() == content


def test_the_database_of_another_program_is_refused_and_left_alone(folder: Path) -> None:
    folder.mkdir()
    with outside(folder) as other:
        other.execute("CREATE TABLE addresses (name TEXT)")
    content = (folder / NAME).read_bytes()
    for opening in (open_journal, open_reader):
        with pytest.raises(JournalRefused, match="another program"):
            opening(folder)
    assert (folder / NAME).read_bytes() == content


def test_a_journal_of_a_newer_version_is_refused(folder: Path) -> None:
    open_journal(folder).close()
    with outside(folder) as other:
        other.execute("PRAGMA user_version = 99")
    for opening in (open_journal, open_reader):
        with pytest.raises(JournalRefused, match="version 99; this program knows versions up to 2"):
            opening(folder)


def test_an_older_journal_is_brought_up_to_date(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_journal(folder) as journal:
        fill(journal, "t", 1, 3)
        epoch = journal.epoch
    broken = (*schema.MIGRATIONS, ("CREATE TABLE extra (a) STRICT", "no SQL"))
    good = (*schema.MIGRATIONS, ("CREATE TABLE extra (a TEXT) STRICT",), ("ALTER TABLE extra ADD COLUMN b TEXT",))
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    with pytest.raises(JournalError):
        open_journal(folder)
    monkeypatch.setattr(schema, "MIGRATIONS", good)
    with pytest.raises(JournalRefused, match="old version 2"):
        open_reader(folder)
    with open_journal(folder) as journal:
        fill(journal, "t", 4, 4)
        assert not list(journal.verify())
        assert (journal.epoch, journal.tables()) == (epoch, [("t", 4)])
    with outside(folder) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (4,)
        assert not other.execute("SELECT a, b FROM extra").fetchall()


def test_there_may_be_nothing_to_read(folder: Path) -> None:
    with pytest.raises(JournalRefused, match="no journal in"):
        open_reader(folder)
    folder.mkdir()
    (folder / NAME).touch()
    with pytest.raises(JournalRefused, match="empty"):
        open_reader(folder)
    open_journal(folder).close()
    open_reader(folder).close()


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalUnavailable, match="file"):
        open_journal(tmp_path / "file")


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_lock_from_outside_is_said_in_time_and_forgotten_after(
    journal: SqliteJournal, folder: Path, lock: str
) -> None:
    fill(journal, "t", 1, 2)
    with outside(folder) as other:
        other.execute(lock)
        start = monotonic()
        answers = [journal.append([new_row("t", position)]) for position in (3, 4)]
        for answer in answers:
            with pytest.raises(JournalUnavailable, match="the database is locked"):
                answer.result()
        with pytest.raises(JournalUnavailable, match="the database is locked"):
            journal.check()
        assert monotonic() - start < 2.5
        assert [row.position for row in journal.read("t")] == [1, 2]
        other.execute("ROLLBACK")
    journal.check()
    fill(journal, "t", 3, 4)
    assert not list(journal.verify())


def test_rows_from_outside_are_no_match_for_the_writer(journal: SqliteJournal, folder: Path) -> None:
    """Whoever writes past the lock file is caught by the keys; nothing is overwritten."""
    fill(journal, "t", 1, 1)
    with outside(folder) as other:
        other.execute("INSERT INTO rows VALUES ('t', 2, 'x', '', 0, '', '', '', '')")
    with pytest.raises(JournalUnavailable, match="UNIQUE"):
        journal.append([new_row("t", 2)]).result()
    fill(journal, "u", 1, 1)
    assert journal.find("t", "x") is not None
    assert {fault.what for fault in journal.verify()} >= {"hash"}


def test_a_file_that_is_replaced_under_the_journal_is_noticed(journal: SqliteJournal, folder: Path) -> None:
    fill(journal, "t", 1, 1)
    (folder / NAME).rename(folder / "aside")
    with pytest.raises(JournalUnavailable, match="No such file"):
        journal.append([new_row("t", 2)]).result()
    (folder / NAME).touch()
    with pytest.raises(JournalUnavailable, match="replaced"):
        journal.check()
    (folder / "aside").replace(folder / NAME)
    fill(journal, "t", 2, 2)


def test_a_damaged_file_is_said_to_be_damaged(folder: Path) -> None:
    with open_journal(folder) as journal:
        fill(journal, "t", 1, 200)
    content = bytearray((folder / NAME).read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    (folder / NAME).write_bytes(content)
    with pytest.raises(JournalDamaged):
        open_journal(folder)


def test_a_text_that_is_no_utf8_is_damage(journal: SqliteJournal, folder: Path) -> None:
    fill(journal, "t", 1, 1)
    with outside(folder) as other:
        other.execute("UPDATE rows SET body = CAST(x'ff' AS TEXT)")
    with pytest.raises(JournalDamaged):
        list(journal.read("t"))


def test_a_backup_while_rows_are_appended(journal: SqliteJournal, folder: Path, tmp_path: Path) -> None:
    journal.put_text("text")
    fill(journal, "t", 1, 300)
    done = threading.Event()

    def write() -> int:
        position = 300
        while not done.is_set():
            position += 1
            fill(journal, "t", position, position)
        return position

    appended: list[int] = []
    thread = threading.Thread(target=lambda: appended.append(write()))
    thread.start()
    for number in range(3):
        journal.backup(tmp_path / f"copy{number}")
    done.set()
    thread.join()
    originals = list(journal.read("t"))
    assert len(originals) == appended[0] > 300
    assert not list(tmp_path.glob(".*")), "nothing is left lying about"
    assert stat.S_IMODE((tmp_path / "copy0").stat().st_mode) == 0o600

    epochs = []
    for number in range(3):
        restored = tmp_path / f"restored{number}"
        restored.mkdir()
        shutil.copy(tmp_path / f"copy{number}", restored / NAME)
        with open_reader(restored) as reader:
            assert not list(reader.verify())
            assert reader.epoch == journal.epoch
        for _ in range(2):
            with open_journal(restored) as copy:
                rows = list(copy.read("t"))
                assert rows == originals[: len(rows)]
                assert len(rows) >= 300
                assert not list(copy.verify())
                epochs.append(copy.epoch)
    assert epochs[::2] == epochs[1::2]
    assert len({journal.epoch, *epochs}) == 4
    epoch = journal.epoch
    journal.close()
    with open_journal(folder) as again:
        assert again.epoch == epoch


def test_a_log_that_is_left_of_another_journal_is_not_played_into_a_backup(folder: Path, tmp_path: Path) -> None:
    with open_journal(folder) as journal:
        fill(journal, "t", 1, 5)
        journal.backup(tmp_path / "copy")
        fill(journal, "t", 6, 9)
        log = (folder / f"{NAME}-wal").read_bytes()
    assert log
    shutil.copy(tmp_path / "copy", folder / NAME)
    (folder / f"{NAME}-wal").write_bytes(log)
    for opening in (open_journal, open_reader):
        with pytest.raises(JournalRefused, match="left of another journal"):
            opening(folder)
    (folder / f"{NAME}-wal").unlink()
    with open_journal(folder) as journal:
        assert journal.tables() == [("t", 5)]
        assert not list(journal.verify())


def test_known_events_are_found_without_the_writers_memory(folder: Path) -> None:
    with open_journal(folder) as journal:
        fill(journal, "t", 1, 3)
    with open_journal(folder) as journal:
        with pytest.raises(EventIdTaken):
            journal.append([new_row("t", 2)]).result()
        fill(journal, "t", 4, 4)


def test_the_bench_runs(tmp_path: Path) -> None:
    from bench.bench_journal import measure

    lines = list(measure(tmp_path, rounds=1, times=3, tables=4))
    assert [line.split()[0] for line in lines] == ["bare", "serial", "grouped"]


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_nothing_is_answered_that_a_restart_would_not_find(folder: Path, how: str) -> None:
    log = folder / f"{NAME}-wal"
    with open_journal(folder) as journal:
        fill(journal, "t", 1, 3)
        log.unlink()
        if how == "replaced":
            log.write_bytes(b"")
        for position in (4, 5):  # and not later either
            with pytest.raises(JournalDamaged, match="deleted or replaced"):
                journal.append([new_row("t", position)]).result()
