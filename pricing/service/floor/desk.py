"""One table at work: one event at a time, written down before anything is told."""

import asyncio
import logging
import uuid
from collections import deque
from contextlib import suppress
from copy import copy
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

from pricing.service.calls.logs import facts
from pricing.service.errors import EventIdReused, Fault, Forbidden
from pricing.service.floor.office import Office
from pricing.service.floor.records import Draft, Receipt, by_system, draft_of, entry_in, receipt_again, says_the_same
from pricing.service.floor.window import Window
from pricing.service.telemetry.traces import Moments
from pricing.store.journal import EventIdTaken, JournalDamaged, JournalError, PositionTaken
from pricing.store.rows import Row
from pricing.table import events
from pricing.table.apply import apply
from pricing.table.decide import CardStateChanged, check_expected, decide
from pricing.table.events import HoldOwner
from pricing.table.holds import HoldReason, has
from pricing.table.state import Entry, Refusal, Report, Table

_logger = logging.getLogger(__name__)


class _Waiting(NamedTuple):
    """Something that waits for its turn."""

    report: Report | None
    """None for seeing that the table is what the journal says."""
    answer: "asyncio.Future[Any]"
    since: float
    """When it was lined up, by perf_counter."""


class Desk:
    """Takes the events of one table in the order in which they come."""

    def __init__(self, table: Table, office: Office, *, rebuilt: bool) -> None:
        """Work at a table as it stands.

        Args:
            table: The table.
            office: What it shares with the others.
            rebuilt: Whether the table is older than this run of the service: then it is held before anything else.
        """
        self.table = table
        self.turn = asyncio.Lock()
        """Is held by whoever writes down what happens at the table."""
        self._office = office
        self._waiting: deque[_Waiting] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._since = self._taken = 0.0
        """When the event at hand was lined up, and when its turn came."""
        self._window = Window(office.clock, self._close_round)
        self._restart: Report | None = None
        if rebuilt and not table.closed:
            self._restart = by_system(f"restart {uuid.uuid4()}", events.Restarted())
        self._in_doubt = False
        """Whether the journal may have rows that the table does not know of, as an append of them failed."""
        self._window.watch(table)

    def submit(self, report: Report) -> "asyncio.Future[Receipt]":
        """Line an event up. Whoever waits for the answer may go away: the event is taken all the same.

        The answer fails with CardStateChanged, Forbidden, EventIdReused, or a JournalError. Then nothing has changed,
        but that after a JournalError the event may be in the journal: told again, it is taken or found.
        """
        return self._line_up(report)

    def hold(self, reason: HoldReason) -> None:
        """Offer nothing for a fault of ours, as soon as can be; a hold that is there already is enough."""
        if not has(self.table.holds, reason):
            self.submit(by_system(f"hold {uuid.uuid4()}", events.HoldPlaced(HoldOwner.SYSTEM, reason)))

    async def settle(self) -> None:
        """See to it that the table is what the journal says, held after a restart, and without an overdue round.

        Raises:
            JournalError: The journal cannot be read or written now.
        """
        if self._in_doubt or self._restart:
            await self._line_up(None)
        if overdue := self._window.overdue:
            with suppress(Forbidden):  # closed in the meantime
                await self._close_round(overdue)

    async def close(self) -> None:
        """Close no further round by the clock, and wait until everything that is lined up is answered."""
        self._window.stop()
        if self._worker:
            await asyncio.wait([self._worker])

    def _line_up(self, report: Report | None) -> "asyncio.Future[Any]":
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(report, answer, perf_counter()))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work(), name=f"desk {self.table.name}")
        return answer

    async def _work(self) -> None:
        while self._waiting:
            report, answer, self._since = self._waiting.popleft()
            try:
                async with self.turn:
                    self._taken = perf_counter()
                    receipt = await self._take(report)
            except JournalError as error:
                self._office.failed(error)
                # What is lined up behind was told in the belief that this one comes first.
                for each in (answer, *(behind.answer for behind in self._waiting)):
                    _fail(each, copy(error))
                self._waiting.clear()
            except (Fault, CardStateChanged) as error:
                _fail(answer, error)
            except Exception as error:
                _fail(answer, error)
                _logger.error("event lost", exc_info=error, extra=facts(table=self.table.name))
                if report and not _is_own_hold(report.event):
                    self.hold(HoldReason.INTERNAL_ERROR)  # the table is not what it is believed to be
            else:
                if not answer.done():
                    answer.set_result(receipt)

    async def _take(self, report: Report | None) -> Receipt | None:
        await self.make_ready()
        return await self._decide(report) if report else None

    async def make_ready(self) -> None:
        """See to it that the table is what the journal says. For who has the turn, as all that follows.

        Raises:
            JournalError: The journal cannot be read or written now.
        """
        if self._in_doubt:
            await self.catch_up()
        if self._restart:
            await self._decide(self._restart)
            self._restart = None

    async def _decide(self, said: Report) -> Receipt:
        report = await self._with_text(said)
        try:
            check_expected(self.table, report)
            refusal = decide(self.table, report)
        except CardStateChanged:
            if known := await self._known(said):
                return known
            raise
        if refusal and (known := await self._known(said)):
            return known
        if refusal and not report.studio:
            raise Forbidden(refusal)
        try:
            return await self._write_down(report, refusal)
        except EventIdTaken as taken:
            return await self._told_before(taken.rows[0], said)
        except PositionTaken as taken:
            # An append that failed, as far as it was known, is there after all.
            position = self.table.position
            await self.catch_up()
            if self.table.position == position:
                raise JournalDamaged(f"rows of table {self.table.name} are missing: {taken}") from None
            return await self._decide(said)

    async def _with_text(self, report: Report) -> Report:
        """A fresh shoe goes by the game type that is in force now, whatever the reporter knows of it."""
        event = report.event
        if not isinstance(event, events.ShoeLoaded):
            return report
        game_hash, game = self._office.texts.in_force(self.table.game_type)
        await self._office.texts.keep(game_hash)
        return replace(report, event=events.ShoeLoaded(game_hash, event.decks or game.decks))

    async def _write_down(self, report: Report, refusal: Refusal | None) -> Receipt:
        draft = self.draft(report, refusal)
        decided = perf_counter()
        try:
            await self._office.appender.append(draft.row)
        except (EventIdTaken, PositionTaken):
            raise
        except JournalError:
            self.doubt()
            raise
        written = perf_counter()
        receipt = self.accept(draft, written - decided)
        moments = Moments(self._since, self._taken, decided, written, perf_counter())
        self._office.metrics.published(draft.row, moments)
        return receipt

    def draft(self, report: Report, refusal: Refusal | None = None) -> Draft:
        """What is to be written down of an event, and the table after it."""
        now = max(self._office.clock.now(), self.table.time)
        return draft_of(self.table, Entry(self.table.position + 1, now, report, refusal), self._office.texts)

    def accept(self, draft: Draft, seconds: float) -> Receipt:
        """Go on from an event that was written down, in so many seconds."""
        self._office.metrics.recorded(draft.row.kind, seconds, refused=draft.entry.refusal is not None)
        self._in_doubt = False
        self._become(draft.after, draft.entry)
        return draft.receipt

    def doubt(self) -> None:
        """An append has failed: see what the journal has before anything else."""
        self._in_doubt = True

    async def catch_up(self) -> None:
        """Take in what the journal has and the table has not."""
        journal, name, position = self._office.journal, self.table.name, self.table.position
        for row in await asyncio.to_thread(lambda: list(journal.read(name, position))):
            entry = entry_in(row)
            self._become(apply(self.table, entry, self._office.texts), entry)

    def _become(self, after: Table, entry: Entry) -> None:
        before, self.table = self.table, after
        self._window.watch(after)
        self._office.told(before, entry, after)

    async def _known(self, report: Report) -> Receipt | None:
        """The answer that this very event got before, if it is in the journal."""
        row = await asyncio.to_thread(self._office.journal.find, self.table.name, report.event_id)
        return await self._told_before(row, report) if row else None

    async def _told_before(self, row: Row, report: Report) -> Receipt:
        if row.position > self.table.position:
            await self.catch_up()
        if not says_the_same(report, entry_in(row).report):
            raise EventIdReused(f"event_id {row.event_id!r} is that of another event, at position {row.position}")
        self._office.metrics.repeated(row.kind)
        return receipt_again(row)

    def _close_round(self, event: events.WindowEnded) -> "asyncio.Future[Receipt]":
        return self.submit(by_system(f"window {event.game} {event.round}", event))


def _is_own_hold(event: events.Event) -> bool:
    return isinstance(event, events.HoldPlaced) and event.owner is HoldOwner.SYSTEM


def _fail(answer: "asyncio.Future[Any]", error: Exception) -> None:
    if not answer.done():
        answer.set_exception(error)
        answer.exception()  # looked at, so that asyncio does not miss who has gone away
