"""Rows of all tables on their way to the journal, those of a moment together."""

import asyncio
from collections import deque
from concurrent.futures import Future
from time import monotonic
from typing import Final, NamedTuple

from pricing.store.journal import Journal
from pricing.store.rows import NewRow, Row

SPACING: Final = 0.004
"""Seconds from one hand-over to the next, where several tables have something to write."""


class _Waiting(NamedTuple):
    row: NewRow
    answer: "asyncio.Future[None]"


class Appender:
    """Hands rows to the journal and brings its answers back to the event loop, as many at once as there are.

    A commit costs the same for one row as for many. So a row waits for a moment if another table has just written,
    but never behind its own table alone: who writes one event after the other is not slowed down.
    """

    def __init__(self, journal: Journal) -> None:
        """Append to this journal."""
        self._journal = journal
        self._waiting: list[_Waiting] = []
        self._last_table = ""
        self._next_time = 0.0
        self._answered: deque[tuple[_Waiting, Future[tuple[Row, ...]]]] = deque()
        self._told = False
        self._asked = 0
        self._since = 0.0

    @property
    def waits(self) -> float:
        """Seconds for which the journal has answered nothing of what it was asked."""
        return monotonic() - self._since if self._asked else 0.0

    def append(self, row: NewRow) -> "asyncio.Future[None]":
        """Append a row; done once it is durable, or failed with a JournalError."""
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
        for waiting in rows:
            try:
                appended = self._journal.append([waiting.row])
            except ValueError as error:
                waiting.answer.set_exception(error)
                continue
            if not self._asked:
                self._since = monotonic()
            self._asked += 1
            appended.add_done_callback(lambda done, waiting=waiting: self._tell(loop, waiting, done))  # type: ignore[misc]

    def _tell(self, loop: asyncio.AbstractEventLoop, waiting: _Waiting, appended: Future[tuple[Row, ...]]) -> None:
        """In the journal's thread: wake the loop, once for all that is answered until it looks."""
        self._answered.append((waiting, appended))
        if not self._told and not loop.is_closed():
            self._told = True
            loop.call_soon_threadsafe(self._listen)

    def _listen(self) -> None:
        self._told = False
        while self._answered:
            waiting, appended = self._answered.popleft()
            self._asked -= 1
            self._since = monotonic()
            if waiting.answer.done():  # its waiter was cancelled, as the loop is about to end
                continue
            if error := appended.exception():
                waiting.answer.set_exception(error)
            else:
                waiting.answer.set_result(None)
