"""All tables of the service: made, rebuilt from the journal at the start, held while it takes nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable

from pricing.games import Catalogue
from pricing.service.clock import Clock
from pricing.service.errors import UnknownTable
from pricing.service.floor.appender import Appender
from pricing.service.floor.checkpoints import Checkpoints
from pricing.service.floor.desk import Desk
from pricing.service.floor.game_texts import GameTexts
from pricing.service.floor.guard import PriceGuard
from pricing.service.floor.joint import Joint
from pricing.service.floor.maker import Maker, NewTable
from pricing.service.floor.office import Office
from pricing.service.floor.outage import Outage
from pricing.service.floor.records import Receipt
from pricing.service.floor.replaying import History, replayed
from pricing.service.images.publisher import Told
from pricing.service.metrics.metrics import TableMetrics
from pricing.store.journal import Journal, JournalError
from pricing.table.apply import GameTypes
from pricing.table.holds import HoldReason
from pricing.table.state import Entry, Report, Table, TablePhase


class Floor:
    """The tables by name, and what they share."""

    def __init__(
        self,
        journal: Journal,
        games: Catalogue,
        clock: Clock,
        metrics: TableMetrics,
        told: Callable[[str], object],
    ) -> None:
        """Have no tables yet.

        Args:
            journal: Where events are written down; closed with the floor.
            games: Game types by name, for new tables and new shoes.
            clock: Says when.
            metrics: Where events are counted.
            told: Is told why the journal takes nothing, and with an empty text that it does again.
        """
        appender = Appender(journal)
        self.outage = Outage(journal, clock, lambda: appender.waits, self._settle, told)
        """While there is one, nothing is offered at any table."""
        self.published: Told = lambda _before, _entry, _after: None
        """Is told of each event of a table once it is written down."""
        self.checkpoints = Checkpoints()
        """States that reading a table's journal again begins at."""
        self._last: dict[str, tuple[Table | None, Entry]] = {}
        texts = GameTexts(journal, games, appender.asking)
        self._office = Office(journal, appender, clock, texts, metrics, self.outage.begin, self._publish)
        self._desks: dict[str, Desk] = {}
        self.joint = Joint(self._office, self._desks)
        """Changes several tables at once."""
        self._maker = Maker(self._office, games, self._desks, self._rebuilt)
        self._guard = PriceGuard(lambda name: self._desks[name].hold(HoldReason.PRICE_ERROR))

    @property
    def epoch(self) -> str:
        """Of the journal."""
        return self._office.journal.epoch

    @property
    def append_waits(self) -> float:
        """Seconds for which the journal has answered nothing of what it was asked."""
        return self._office.appender.waits

    async def open(self) -> None:
        """Rebuild every table from the journal and hold it until its studio goes on.

        If nothing can be written down now, the tables are held by the outage until that can be done.

        Raises:
            JournalError: It cannot be read.
        """
        self.outage.watch()
        for table in await asyncio.to_thread(self._rebuild_all):
            self._desks[table.name] = Desk(table, self._office, rebuilt=True)
        try:
            await self._settle()
        except JournalError as error:
            self.outage.begin(error)

    @property
    def game_types(self) -> GameTypes:
        """All that the journal names, by the hash of their text; from any thread."""
        return self._office.texts

    def submit(self, table: str, report: Report) -> "asyncio.Future[Receipt]":
        """Line an event of a table up; see Desk.submit.

        Raises:
            UnknownTable: No such table.
        """
        return self._find(table, "event.table").submit(report)

    async def close_table(self, table: str, report: Report) -> Table:
        """End a table; doing so again with the same id is no error.

        Raises:
            UnknownTable: No such table.
            Forbidden: A game is on, or the table is closed.
            EventIdReused: Another event has that id.
            JournalError: It could not be written down.
        """
        await self._find(table).submit(report)
        return self.table(table)

    async def create(self, wanted: NewTable, *, event_id: str, actor: str) -> Table:
        """Make a table; doing so again with the same id is no error. It is made even if the caller goes away.

        It raises what ``Maker.make`` does.
        """
        return await asyncio.shield(asyncio.create_task(self._maker.make(wanted, event_id, actor)))

    def table(self, name: str) -> Table:
        """A table as it stands.

        Raises:
            UnknownTable: No such table.
        """
        return self._find(name).table

    def tables(self) -> list[Table]:
        """All tables, by name."""
        return [self._desks[name].table for name in sorted(self._desks)]

    def last_event(self, name: str) -> tuple[Table | None, Entry]:
        """The table before its last event, None if that made it, and the event."""
        return self._last[name]

    def history(self, name: str, after: int = 0, known: Table | None = None) -> History:
        """Each event of a table after a position as the journal has it, and maybe some before it; from any thread.

        Args:
            name: Of the table.
            after: The position.
            known: A state of the table not after it, if there is one at hand.

        Raises:
            JournalError: It cannot be read.
        """
        start = known or self.checkpoints.newest(name, after)
        return replayed(self._office.journal, self._office.texts, name, start)

    def states(self) -> Counter[TablePhase]:
        """How many tables there are of each state; from any thread."""
        found = Counter(desk.table.phase for desk in list(self._desks.values()))
        if self.outage.since is not None:
            found[TablePhase.HELD] += found.pop(TablePhase.OPEN, 0)
        return found

    async def close(self) -> None:
        """Finish what is lined up, and close the journal."""
        self.outage.stop()
        await asyncio.gather(*(desk.close() for desk in self._desks.values()))
        await asyncio.to_thread(self._office.journal.close)

    def _find(self, name: str, field: str = "table") -> Desk:
        try:
            return self._desks[name]
        except KeyError:
            raise UnknownTable(field, name, "the name of a table that was created") from None

    async def _settle(self) -> None:
        await asyncio.gather(*(desk.settle() for desk in self._desks.values()))

    def _publish(self, before: Table | None, entry: Entry, after: Table) -> None:
        self._last[after.name] = (before, entry)
        self.checkpoints.passed(after)
        self._guard.look(after)
        self.published(before, entry, after)

    def _rebuild_all(self) -> list[Table]:
        return [self._rebuilt(name) for name, _ in self._office.journal.tables()]

    def _rebuilt(self, name: str) -> Table:
        for step in replayed(self._office.journal, self._office.texts, name):
            self.checkpoints.passed(step[-1])
        before, entry, table = step
        self._last[name] = (before, entry)
        return table
