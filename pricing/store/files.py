"""The journal's files: who may write them, and that they are what they seem."""

import fcntl
import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from pricing.store.journal import JournalRefused, JournalUnavailable

NAME: Final = "journal.sqlite3"
_LOCK: Final = "journal.lock"
_HEADER: Final = b"SQLite format 3\0"
_SPARE: Final = 1 << 18
"""Bytes that must be free for a full disk to count as one with space again."""

_READ_VERSION: Final = 19
"""Where the file's header says how it is kept: 2 with a write-ahead log, 1 without."""

Identity = tuple[int, int]
"""Of a file: its device and its number there."""

_in_use: Final[Counter[Identity]] = Counter()
"""The files that this process has open in SQLite."""


def make_folder(folder: Path) -> None:
    """Make the folder, for nobody else to read, if it is not there."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
        sync_folder(folder.parent)


def make_file(path: Path) -> None:
    """Make an empty file, for nobody else to read, if there is none; SQLite gives its other files the same rights."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the folder's list of files durable."""
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def sync_log(path: Path) -> None:
    """Make what a killed process left in the write-ahead log durable before anything is read from it.

    Its last commit may have been on the way to the disk: recovered from memory it would be told to others, and a
    power failure could still lose it.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        _sync(log, os.O_RDWR)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(folder: Path) -> int:
    """Claim the folder for this writer until the descriptor is closed or its process ends.

    Raises:
        JournalRefused: Another one has it.
    """
    descriptor = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise JournalRefused(f"the journal in {folder} is open for writing in process {owner or 'unknown'}") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def inspect(path: Path) -> None:
    """Refuse a file that is no SQLite database, and a log that belongs to another one.

    SQLite takes a log by its name alone. A log that is left of a journal that was replaced by a backup would be
    played into it and ruin it.

    A file that this process has open in SQLite already is let pass: to look into it and close it again would drop
    the locks that SQLite has on it, which are the process's and not the descriptor's.

    Raises:
        JournalRefused: What is wrong.
    """
    if _in_use[identity(path)]:
        return
    with path.open("rb") as file:
        header = file.read(100)
    if header and not (header.startswith(_HEADER) and len(header) == 100):
        raise JournalRefused(f"{path} is no SQLite database")
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size and (not header or header[_READ_VERSION] == 1):
        raise JournalRefused(f"{log} is left of another journal and does not belong to {path.name}: move it away first")


def check_space(folder: Path) -> None:
    """Find out whether files in the folder can grow.

    Raises:
        JournalUnavailable: They cannot, or by too little to go on for long.
    """
    try:
        with TemporaryFile(dir=folder, buffering=0) as file:
            written = file.write(bytes(_SPARE))
    except OSError as error:
        raise JournalUnavailable(f"{folder}: {error.strerror}") from error
    if written < _SPARE:
        raise JournalUnavailable(f"the disk is full: {folder} has space for {written:,} bytes")


def identity(path: Path) -> Identity:
    """Which file is at the path.

    Raises:
        JournalUnavailable: None.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise JournalUnavailable(f"{path}: {error.strerror}") from error
    return found.st_dev, found.st_ino


def log_identity(path: Path) -> Identity | None:
    """Which file is the write-ahead log of the journal at the path; None if there is none."""
    try:
        found = path.with_name(f"{path.name}-wal").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def opened(path: Path) -> Identity:
    """Note that this process opens the file in SQLite."""
    found = identity(path)
    _in_use[found] += 1
    return found


def closed(file: Identity) -> None:
    """Note that it has closed it."""
    _in_use[file] -= 1
