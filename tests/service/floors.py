"""Floors of tables without a network around them, over journals that fail and clocks that are moved by hand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry
from service.studio import BY_EVENT, GAME

from pricing.games import load_games
from pricing.service.clock import Timer
from pricing.service.floor.floor import Floor
from pricing.service.floor.maker import NewTable
from pricing.service.floor.records import Receipt
from pricing.service.images.image import table_message
from pricing.service.metrics.metrics import TableMetrics
from pricing.store.journal import Fault, JournalError, JournalUnavailable
from pricing.store.rows import NewRow, Row
from pricing.store.sqlite import open_journal
from pricing.table import events
from pricing.table.state import Report

START = 1_767_225_600_000_000
"""2026 begins."""
SECOND = 1_000_000


class HandClock:
    """Time of day that is set, and waiting that is over when somebody says so."""

    def __init__(self) -> None:
        self.time = START
        self._waited = 0
        self._timers: list[_HandTimer] = []

    def now(self) -> int:
        return self.time

    def call_later(self, microseconds: int, callback: Callable[[], object]) -> Timer:
        timer = _HandTimer(self._waited + microseconds, callback)
        self._timers.append(timer)
        return timer

    def wait(self, microseconds: int) -> None:
        """Let time go by: everything that is due happens."""
        self.time += microseconds
        self._waited += microseconds
        due = [timer for timer in self._timers if timer.due <= self._waited]
        self._timers = [timer for timer in self._timers if timer.due > self._waited]
        for timer in due:
            timer.run()


class _HandTimer:
    def __init__(self, due: int, callback: Callable[[], object]) -> None:
        self.due = due
        self._callback = callback
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True

    def run(self) -> None:
        if not self._cancelled:
            self._callback()


class Unreliable:
    """A journal that can be told to fail: before it writes, or after, when its answer is lost."""

    def __init__(self, folder: Path) -> None:
        self._journal = open_journal(folder)
        self.before: JournalError | None = None
        self.after: JournalError | None = None
        self.once = False
        """Whether it works again after one failure."""
        self._hidden = False
        """Whether the rows of the last append come to light only with the next one."""
        self._hides = False
        self._hanging: list[tuple[Sequence[NewRow], Future[tuple[Row, ...]]]] | None = None

    def append(self, rows: Sequence[NewRow]) -> Future[tuple[Row, ...]]:
        failed: Future[tuple[Row, ...]] = Future()
        if self._hanging is not None:
            self._hanging.append((rows, failed))
            return failed
        if self.before:
            failed.set_exception(self.before)
            if self.once:
                self.work()
            return failed
        self._hidden = False
        answer = self._journal.append(rows)
        if self.after:
            answer.result()
            self._hidden = self._hides
            failed.set_exception(self.after)
            return failed
        return answer

    def put_text(self, text: str) -> str:
        if self.before:
            raise self.before
        return self._journal.put_text(text)

    def check(self) -> None:
        if error := self.before or self.after:
            raise error
        self._journal.check()

    def fail(self, *, once: bool = False) -> None:
        """From now on it writes nothing."""
        self.before, self.once = JournalUnavailable("the disk is full"), once

    def lose_answers(self, *, hidden: bool = False) -> None:
        """From now on it writes, and says that it could not."""
        self.after, self._hides = JournalUnavailable("I/O error"), hidden

    def hang(self) -> None:
        """From now on it answers nothing."""
        self._hanging = []

    def go_on(self) -> None:
        """Answer what was asked meanwhile."""
        hanging, self._hanging = self._hanging or [], None
        for rows, answer in hanging:
            answer.set_result(self._journal.append(rows).result())

    def work(self) -> None:
        self.before = self.after = None

    @property
    def epoch(self) -> str:
        return self._journal.epoch

    def find(self, table: str, event_id: str) -> Row | None:
        return self._journal.find(table, event_id)

    def read(self, table: str, after: int = 0, limit: int | None = None) -> Iterator[Row]:
        if self._hidden:
            return iter(())
        return self._journal.read(table, after, limit)

    def tables(self) -> list[tuple[str, int]]:
        return self._journal.tables()

    def text(self, digest: str) -> str:
        return self._journal.text(digest)

    def backup(self, path: Path) -> None:
        self._journal.backup(path)

    def verify(self) -> Iterator[Fault]:
        return self._journal.verify()

    def close(self) -> None:
        self._journal.close()


class Hall:
    """A floor with its one table, `t`, its studio, its journal and its clock."""

    def __init__(self, journal: Unreliable, clock: HandClock) -> None:
        self.journal = journal
        self.clock = clock
        self.outages: list[str] = []
        """What was told of the journal."""
        metrics = TableMetrics(CollectorRegistry())
        self.floor = Floor(journal, load_games(), clock, metrics, self.outages.append)
        self.number = 0

    async def create(self, name: str = "t", windows_ms: tuple[int, ...] = BY_EVENT) -> None:
        await self.floor.create(NewTable(name, GAME.name, False, windows_ms), event_id="made", actor="admin")

    def report(self, event: events.Event, **what: Any) -> Report:
        self.number += 1
        return Report(
            **{"event_id": f"e{self.number}", "actor": "studio", "studio": True, "source_number": self.number, **what},
            event=event,
        )

    async def say(self, *given: events.Event) -> Receipt:
        """Report events, all of which must be taken; the receipt of the last."""
        for event in given:
            receipt = await self.floor.submit("t", self.report(event))
            assert receipt.refusal is None, receipt.refusal
        return receipt

    def image(self) -> Any:
        return table_message(self.floor.table("t"), self.floor.epoch, self.floor.outage.since)

    def rows(self) -> list[str]:
        """The kinds of the table's rows in its journal."""
        return [row.kind for row in self.journal.read("t")]

    async def recovered(self) -> None:
        await eventually(lambda: self.floor.outage.since is None)


async def eventually(truth: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(10):
        while not truth():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def hall(folder: Path, clock: HandClock | None = None) -> AsyncIterator[Hall]:
    """A floor over the journal in a folder, opened as a server opens it."""
    found = Hall(Unreliable(folder / "data"), clock or HandClock())
    try:
        await found.floor.open()
        yield found
    finally:
        await found.floor.close()


Story = Callable[[Hall], Awaitable[None]]


def tell(story: Story, folder: Path) -> None:
    """Let a story happen at a floor with a table that has a fresh shoe."""

    async def run() -> None:
        async with hall(folder) as found:
            await found.create()
            await found.say(events.ShoeLoaded("", 0))
            await story(found)

    asyncio.run(run())
