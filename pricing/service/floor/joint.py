"""Changes of several tables at once: all stand still for one commit, and all change or none does."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from time import perf_counter
from typing import Final, NamedTuple

from pricing.service.errors import EventIdReused, Forbidden, UnknownTable
from pricing.service.floor.desk import Desk
from pricing.service.floor.office import Office
from pricing.service.floor.records import Draft, Receipt, entry_in, receipt_again, says_the_same
from pricing.store.journal import Conflict, JournalDamaged, JournalError
from pricing.store.rows import Row
from pricing.table.decide import decide
from pricing.table.state import Refusal, Report, Table

_TRIES: Final = 3
"""An append that failed, as far as it was known, may be there after all: then the tables are not where they seemed."""


class JointChange(NamedTuple):
    """Something that is to happen at several tables, or at none."""

    report: Report
    tables: Sequence[str] | None
    """Names, each once; None for all that are not closed."""
    check: Callable[[Table], object]
    """Looks at each table as it stands just before; what it raises ends the change."""
    skips: bool = False
    """Whether tables that refuse it are left out, where it is for all."""
    dry: bool = False
    """Whether to check only."""


class Joint:
    """Changes tables together, one change after the other."""

    def __init__(self, office: Office, desks: Mapping[str, Desk]) -> None:
        """Work with these desks, of which there may be more later."""
        self._office = office
        self._desks = desks
        self._alone = asyncio.Lock()
        """Two changes that each had some of the other's tables would wait for ever."""

    def tables(self, names: Sequence[str] | None) -> list[Table]:
        """Tables by name, or all that are not closed.

        Raises:
            UnknownTable: No such table.
        """
        return [desk.table for desk in self._chosen(names)]

    async def change(self, change: JointChange) -> list[Receipt]:
        """Have something happen at all tables, even if the caller goes away. No card is refused for it, only late.

        Raises:
            UnknownTable: No such table.
            EventIdReused: Another event has that id at one of them.
            Forbidden: The rules of a table forbid it.
            JournalError: It could not be written down. Told again, it is done or found.
        """
        return await asyncio.shield(asyncio.create_task(self._change(change)))

    async def _change(self, change: JointChange) -> list[Receipt]:
        async with self._alone:
            desks = self._chosen(change.tables)
            async with _turns(desks):
                try:
                    return await self._persist(change, desks)
                except JournalError as error:
                    self._office.failed(error)
                    raise

    async def _persist(self, change: JointChange, desks: Sequence[Desk]) -> list[Receipt]:
        for _ in range(_TRIES):
            await asyncio.gather(*(desk.make_ready() for desk in desks))
            known = await self._known(change, desks)
            if known and not change.dry:
                return known
            drafts = self._drafts(change, desks)
            if change.dry:
                return [draft.receipt._replace(position=0) for _, draft in drafts]
            try:
                return await self._commit(drafts)
            except Conflict:
                await asyncio.gather(*(desk.catch_up() for desk in desks))
        raise JournalDamaged(f"tables are not where they should be; see journal verify: {len(desks)} of them")

    async def _known(self, change: JointChange, desks: Sequence[Desk]) -> list[Receipt]:
        """The answers that this very change got before; none if it is new."""
        journal, event_id = self._office.journal, change.report.event_id

        def find() -> list[Row]:
            return [row for desk in desks if (row := journal.find(desk.table.name, event_id))]

        rows = await asyncio.to_thread(find)
        # What was for all tables may have been for fewer than there are now; its event says that it was for all.
        others = rows and change.tables is not None and len(rows) < len(desks)
        if others or not all(says_the_same(change.report, entry_in(row).report) for row in rows):
            raise EventIdReused(f"update_id {event_id!r} is that of another event, at table {rows[0].table!r}")
        return [receipt_again(row) for row in rows]

    def _drafts(self, change: JointChange, desks: Sequence[Desk]) -> list[tuple[Desk, Draft]]:
        """What is to be written down of each table that takes it."""
        drafts: list[tuple[Desk, Draft]] = []
        refused: list[Refusal] = []
        for desk in desks:
            change.check(desk.table)
            if refusal := decide(desk.table, change.report):
                refused.append(refusal._replace(message=f"table {desk.table.name}: {refusal.message}"))
            else:
                drafts.append((desk, desk.draft(change.report)))
        if refused and not (drafts and change.skips and change.tables is None):
            raise Forbidden(refused[0])
        return drafts

    async def _commit(self, drafts: Sequence[tuple[Desk, Draft]]) -> list[Receipt]:
        if not drafts:
            return []
        start = perf_counter()
        try:
            await self._office.appender.together([draft.row for _, draft in drafts])
        except Conflict:
            raise
        except JournalError:
            for desk, _ in drafts:
                desk.doubt()
            raise
        return [desk.accept(draft, perf_counter() - start) for desk, draft in drafts]

    def _chosen(self, names: Sequence[str] | None) -> list[Desk]:
        if names is None:
            return [desk for _, desk in sorted(self._desks.items()) if not desk.table.closed]
        for name in names:
            if name not in self._desks:
                raise UnknownTable("tables", name, "names of tables that were created")
        return [self._desks[name] for name in sorted(names)]


@asynccontextmanager
async def _turns(desks: Sequence[Desk]) -> AsyncIterator[None]:
    """Have the turn at all of these tables: what is lined up there waits."""
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(stack.enter_async_context(desk.turn) for desk in desks))
        yield
