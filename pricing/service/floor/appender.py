"""Rows of all tables on their way to the journal, those of a moment together."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from copy import copy
from time import monotonic
from typing import Final, NamedTuple

from pricing.store.journal import Conflict, Journal
from pricing.store.rows import NewRow, Row

SPACING: Final = 0.004
"""Seconds from one hand-over to the next, where several tables have something to write."""


class _Waiting(NamedTuple):
    row: NewRow
    answer: "asyncio.Future[None]"


class Appender:
    """Hands rows to the journal, and tells who waits for each that it is durable.

    A commit, and every change from the event loop's thread to the journal's and back, costs the same for one row as
    for many. So a row waits for a moment if another table has just written, but never behind its own table alone: who
    writes one event after the other is not slowed down.
    """

    def __init__(self, journal: Journal) -> None:
        """Append to this journal."""
        self._journal = journal
        self._waiting: list[_Waiting] = []
        self._last_table = ""
        self._next_time = 0.0
        self._asked = 0
        """Calls that the journal has not answered."""
        self._since = 0.0
        """When it last answered one, or was asked after it had answered all."""

    @property
    def waits(self) -> float:
        """Seconds for which the journal has answered nothing of what it was asked."""
        return monotonic() - self._since if self._asked else 0.0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """A block in which the journal is asked for something: whoever asks, it is waited for."""
        self._ask()
        try:
            yield
        finally:
            self._answered()

    async def together(self, rows: Sequence[NewRow]) -> None:
        """Append rows of several tables, all or none; fails with a JournalError."""
        with self.asking():
            await asyncio.wrap_future(self._journal.append(rows))

    def append(self, row: NewRow) -> "asyncio.Future[None]":
        """Append a row, the only one of its table on its way; done once it is durable, or fails with a JournalError."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(row, loop.create_future())
        self._waiting.append(waiting)
        if len(self._waiting) == 1:
            alone = row.table == self._last_table
            loop.call_at(loop.time() if alone else self._next_time, self._hand_over, loop)
        return waiting.answer

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        rows, self._waiting = self._waiting, []
        self._next_time = loop.time() + SPACING
        self._last_table = rows[0].row.table if len(rows) == 1 else ""
        self._call(loop, rows)

    def _call(self, loop: asyncio.AbstractEventLoop, rows: Sequence[_Waiting]) -> None:
        def tell(appended: Future[tuple[Row, ...]]) -> None:
            """In the journal's thread."""
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._answer, loop, rows, appended.exception())

        self._ask()
        try:
            self._journal.append([waiting.row for waiting in rows]).add_done_callback(tell)
        except ValueError as error:
            self._answer(loop, rows, error)

    def _answer(self, loop: asyncio.AbstractEventLoop, rows: Sequence[_Waiting], error: BaseException | None) -> None:
        self._answered()
        if isinstance(error, Conflict) and len(rows) > 1:
            # One of them is there already, for instance, and none was written: now each by itself.
            for waiting in rows:
                self._call(loop, [waiting])
            return
        for waiting in rows:
            if waiting.answer.done():  # who waited was cancelled, as the loop is about to end
                continue
            if error:
                waiting.answer.set_exception(copy(error))
            else:
                waiting.answer.set_result(None)

    def _ask(self) -> None:
        if not self._asked:
            self._since = monotonic()
        self._asked += 1

    def _answered(self) -> None:
        self._asked -= 1
        self._since = monotonic()
