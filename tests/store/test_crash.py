"""A killed process, a failing disk: what was acknowledged stays."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from pricing.store.sqlite import open_journal

CRASH = Path(__file__).with_name("crash.py")
needs_strace = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: a kill leaves the page cache, so a disk would only take longer."""
    with TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield Path(folder)


def run(mode: str, folder: Path, *arguments: str) -> Any:
    result = subprocess.run(
        [sys.executable, CRASH, mode, folder, *arguments], capture_output=True, text=True, check=False, timeout=100
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def strace(options: Sequence[str], mode: str, folder: Path, log: Path) -> "subprocess.CompletedProcess[str]":
    command: list[str | Path] = ["strace", "-f", "-y", "-o", log, *options, sys.executable, CRASH, mode, folder]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_a_kill_at_any_step_loses_nothing_that_was_acknowledged(memory: Path) -> None:
    swept = run("sweep", memory)
    assert swept["steps"] > 60
    assert swept["events"] > 400


def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(memory: Path) -> None:
    assert run("moments", memory, "25")["events"] > 200


@needs_strace
def test_a_kill_after_any_write_loses_nothing_that_was_acknowledged(memory: Path) -> None:
    from store.crash import inspect

    log = memory / "trace"
    assert strace(["-e", "trace=pwrite64,fdatasync,fsync"], "work", memory / "whole", log).returncode == 0
    for call, every in (("pwrite64", 17), ("fdatasync|fsync", 5)):
        times = len(re.findall(rf" (?:{call})\(", log.read_text()))
        assert times >= 12
        for number in range(1, times, every):
            folder = memory / f"{call[:6]}{number}"
            kill = ["-e", f"inject={call.replace('|', ',')}:signal=KILL:when={number}"]
            result = strace(kill, "work", folder, memory / "killed")
            inspect(folder, result.stdout.splitlines())


@needs_strace
def test_the_log_is_synced_between_each_append_and_its_answer(tmp_path: Path) -> None:
    """A killed process leaves the page cache, a power failure does not: only the system calls tell."""
    log = tmp_path / "trace"
    result = strace(["-e", "trace=write,pwrite64,fdatasync,fsync"], "trouble", tmp_path / "data", log)
    assert result.returncode == 0, result.stderr
    asked, written, synced, answers = False, False, False, 0
    syncing: set[str] = set()
    for line in log.read_text().splitlines():
        thread, call = line.split(maxsplit=1)
        if '"ask\\n"' in call:
            asked, written, synced = True, False, False
        elif call.startswith("pwrite64(") and "journal.sqlite3-wal>" in call:
            written, synced = True, False
        elif call.startswith(("fdatasync(", "fsync(")) and "journal.sqlite3-wal>" in call:
            if "unfinished" in call:
                syncing.add(thread)
            else:
                synced = call.endswith("= 0")
        elif re.match(r"<\.\.\. (fdatasync|fsync) resumed", call) and thread in syncing:
            syncing.discard(thread)
            synced = call.endswith("= 0")
        elif '"answer\\n"' in call:
            assert asked, log.read_text()
            assert written, log.read_text()
            assert synced, log.read_text()
            answers += 1
    assert answers == 12


@needs_strace
@pytest.mark.parametrize(
    ("fault", "when"),  # counted in each thread: not while the journal is opened
    [("fdatasync,fsync:error=EIO", "8+9"), ("pwrite64:error=EIO", "20+21"), ("pwrite64:error=ENOSPC", "20+21")],
)
def test_a_disk_that_fails_now_and_then_is_unavailable_now_and_then(tmp_path: Path, fault: str, when: str) -> None:
    log = tmp_path / "trace"
    folder = tmp_path / "data"
    open_journal(folder).close()
    result = strace(
        ["-e", "trace=pwrite64,fdatasync,fsync", "-e", f"inject={fault}:when={when}"], "trouble", folder, log
    )
    assert result.returncode == 0, result.stderr
    outcomes = json.loads(result.stdout.splitlines()[-1])["outcomes"]
    assert sum(outcome in ("written", "known") for outcome in outcomes) == 12
    failures = {outcome.partition(":")[0] for outcome in outcomes} - {"written", "known"}
    assert failures == {"the disk is full" if "ENOSPC" in fault else "I/O error"}
    with open_journal(folder) as journal:
        assert journal.tables() == [("t", 12)]
        assert not list(journal.verify())
