"""Runs a journal's work and dies on the way; started by test_crash.py. ``python crash.py MODE FOLDER ...``.

Acknowledged events go to a pipe the moment they are, as nothing else outlives ``kill -9``.
"""

import json
import os
import shutil
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from store.samples import new_row

from pricing.store.journal import EventIdTaken, JournalUnavailable
from pricing.store.rows import NewRow, digest
from pricing.store.sqlite import SqliteJournal, open_journal

CALLS: Sequence[Sequence[NewRow]] = (
    [new_row("a", 1)],
    [new_row("b", 1)],
    [new_row("a", 2, "all-1"), new_row("b", 2, "all-2"), new_row("a", 3, "all-3")],
    [new_row("c", 1, body='"' + "x" * 9000 + '"')],
    [new_row("a", 4)],
)


def expect(truth: bool, otherwise: str) -> None:
    if not truth:
        raise AssertionError(otherwise)


def work(folder: Path, acknowledge: Callable[[str], object]) -> None:
    """A text, then some calls, one after the other; then the same a second time after a restart."""
    for _ in range(2):
        with open_journal(folder) as journal:
            acknowledge(f"text {journal.put_text('text')}")
            for rows in CALLS:
                try:
                    journal.append(rows).result()
                except EventIdTaken as taken:
                    expect(len(taken.rows) == len(rows), "a call was written in part")
                for row in rows:
                    acknowledge(f"{row.table} {row.event_id}")


def stream(folder: Path, acknowledge: Callable[[str], object]) -> None:
    """Three writers on three tables, until it is killed."""

    def write(table: str) -> None:
        for position in range(1, 1_000_000):
            journal.append([new_row(table, position)]).result()
            acknowledge(f"{table} {table}-e{position}")

    with open_journal(folder) as journal:
        threads = [threading.Thread(target=write, args=[table]) for table in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def die_at(step: int) -> None:
    """Die before the statement of that number that SQLite runs, or around a commit's answers."""
    steps = 0
    guard = threading.Lock()

    def count(_: object = None) -> None:
        nonlocal steps
        with guard:
            steps += 1
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)

    connect, commit = sqlite3.connect, SqliteJournal._commit

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(count)
        return connection

    def counted(self: SqliteJournal, calls: Any) -> Any:
        answers = commit(self, calls)
        count()  # durable, but not yet answered
        return answers

    sqlite3.connect = traced  # type: ignore[assignment]
    SqliteJournal._commit = counted  # type: ignore[method-assign]


def killed(action: Callable[[Callable[[str], object]], None], after: float | None = None) -> tuple[bool, list[str]]:
    """Run an action in a process of its own; whether it was killed, and what was acknowledged before."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            action(lambda event: os.write(writing, f"{event}\n".encode()))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    if after is not None:
        threading.Timer(after, os.kill, (child, signal.SIGKILL)).start()
    with os.fdopen(reading) as pipe:
        acknowledged = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"the child failed: {status}"
    return os.WIFSIGNALED(status), acknowledged


def inspect(folder: Path, acknowledged: Sequence[str]) -> None:
    """Nothing that was acknowledged is missing, no call is there in part, and work goes on."""
    with open_journal(folder) as journal:
        assert not list(journal.verify())
        for event in acknowledged:
            table, _, event_id = event.partition(" ")
            found = journal.text(digest("text")) == "text" if table == "text" else journal.find(table, event_id)
            assert found, f"{event} is lost"
        missing = {journal.find(row.table, row.event_id) is None for row in CALLS[2]}
        expect(len(missing) == 1, "a call was written in part")
        for table in ("a", "b", "c"):
            last = dict(journal.tables()).get(table, 0)
            journal.append([new_row(table, last + 1, f"after-{last + 1}")]).result()
        assert not list(journal.verify())


def sweep(folder: Path) -> dict[str, int]:
    """Die at every step of the work in turn."""
    step, events = 0, 0
    while True:
        step += 1
        place = folder / str(step)

        def action(acknowledge: Callable[[str], object], step: int = step, place: Path = place) -> None:
            die_at(step)
            work(place, acknowledge)

        died, acknowledged = killed(action)
        events += len(acknowledged)
        inspect(place, acknowledged)
        shutil.rmtree(place)
        if not died:
            return {"steps": step - 1, "events": events}


def moments(folder: Path, times: int) -> dict[str, int]:
    """Die at many moments of a busy time."""
    events = 0
    for number in range(times):
        place = folder / str(number)
        died, acknowledged = killed(lambda tell, place=place: stream(place, tell), 0.01 + 0.0037 * number)  # type: ignore[misc]
        assert died
        events += len(acknowledged)
        inspect(place, acknowledged)
        shutil.rmtree(place)
    return {"times": times, "events": events}


def trouble(folder: Path) -> dict[str, list[str]]:
    """Append while the disk fails now and then; retries tell what became of it."""
    outcomes: list[str] = []
    with open_journal(folder) as journal:
        os.write(1, b"open\n")
        for position in range(1, 13):
            row = new_row("t", position)
            while True:
                os.write(1, b"ask\n")
                try:
                    journal.append([row]).result()
                    outcomes.append("written")
                except EventIdTaken as taken:
                    expect(taken.rows[0].columns == row.columns, "another row")
                    outcomes.append("known")
                except JournalUnavailable as error:
                    outcomes.append(str(error))
                    time.sleep(0.001)
                    continue
                os.write(1, b"answer\n")
                break
        assert not list(journal.verify())
        assert journal.tables() == [("t", 12)]
    return {"outcomes": outcomes}


if __name__ == "__main__":
    mode, path = sys.argv[1], Path(sys.argv[2])
    if mode == "work":
        work(path, lambda event: os.write(1, f"{event}\n".encode()))
    else:
        actions: dict[str, Callable[[], object]] = {
            "sweep": lambda: sweep(path),
            "moments": lambda: moments(path, int(sys.argv[3])),
            "trouble": lambda: trouble(path),
        }
        print(json.dumps(actions[mode]()))
