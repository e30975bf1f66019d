"""Tables made: written down once, however often the same is asked for."""

import asyncio
import re
from collections.abc import Callable
from typing import NamedTuple

from pricing.domain.errors import PricingError
from pricing.domain.game import WINDOWS_MS
from pricing.games import Catalogue, find_game
from pricing.service.errors import EventIdReused, TableExists
from pricing.service.floor.desk import Desk
from pricing.service.floor.office import Office
from pricing.service.floor.records import entry_in, row_of
from pricing.store.journal import Conflict, JournalError
from pricing.table.apply import create
from pricing.table.codec import outcome_of
from pricing.table.events import TableCreated
from pricing.table.state import Entry, Report, Table

_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")


class InvalidTable(PricingError):
    """A table that cannot be made."""

    reason = "INVALID_TABLE"


class NewTable(NamedTuple):
    """A table that is to be made."""

    name: str
    game: str
    test: bool
    windows_ms: tuple[int, ...]
    """How long each betting round stays open; empty for the game type's own."""


class Maker:
    """Makes tables."""

    def __init__(
        self, office: Office, games: Catalogue, desks: dict[str, Desk], rebuilt: Callable[[str], Table]
    ) -> None:
        """Have made none yet.

        Args:
            office: What desks share.
            games: Game types by name.
            desks: By table; that of a new table is put there.
            rebuilt: A table as its journal has it, for one that turns out to be there.
        """
        self._office = office
        self._games = games
        self._desks = desks
        self._rebuilt = rebuilt
        self._turn = asyncio.Lock()

    async def make(self, wanted: NewTable, event_id: str, actor: str) -> Table:
        """Make a table, unless the same event has.

        Raises:
            PricingError: A name, game type or windows that cannot be used.
            TableExists: There is a table of that name, made by another event.
            EventIdReused: There is one, made by that event, but otherwise.
            JournalError: It could not be written down.
        """
        name = wanted.name
        if not _NAME.fullmatch(name):
            raise InvalidTable("table", name, '1 to 64 of a-z, 0-9 and "-", a letter first')
        async with self._turn:
            if name not in self._desks and (table := await self._begun(wanted, event_id, actor)):
                return table
        first = await asyncio.to_thread(lambda: next(self._office.journal.read(name, limit=1)))
        if first.event_id != event_id:
            raise TableExists(f"there is a table {name!r} already")
        if not _same(wanted, entry_in(first).event):
            raise EventIdReused(f"event_id {event_id!r} made another table {name!r}")
        return self._desks[name].table

    async def _begun(self, wanted: NewTable, event_id: str, actor: str) -> Table | None:
        """The table with its first event; None if it turns out to be in the journal."""
        office, name = self._office, wanted.name
        event = self._created(wanted)
        entry = Entry(1, office.clock.now(), Report(event_id, event, actor))
        try:
            await office.texts.keep(event.game_hash)
            table = create(name, entry, office.texts)
            await office.appender.append(row_of(name, entry, outcome_of(table, None)))
        except Conflict:
            # It was made when that seemed to fail.
            self._desks[name] = Desk(await asyncio.to_thread(self._rebuilt, name), office, rebuilt=False)
            return None
        except JournalError as error:
            office.failed(error)
            raise
        self._desks[name] = Desk(table, office, rebuilt=False)
        office.told(None, entry, table)
        return table

    def _created(self, wanted: NewTable) -> TableCreated:
        game = find_game(self._games, wanted.game, "game_type")
        windows_ms = wanted.windows_ms or tuple(each.window_ms for each in game.rounds)
        if len(windows_ms) != len(game.rounds) or not all(each in WINDOWS_MS for each in windows_ms):
            allowed = f"{len(game.rounds)} numbers, 0 to {WINDOWS_MS[-1]}"
            raise InvalidTable("round_windows_ms", windows_ms, allowed)
        game_hash, _ = self._office.texts.in_force(game)
        return TableCreated(game.name, game_hash, wanted.test, windows_ms)


def _same(wanted: NewTable, made: object) -> bool:
    """Whether a table was made as it is wanted now; windows that nobody asked for may have been others then."""
    return (
        isinstance(made, TableCreated)
        and (made.game_type, made.test) == (wanted.game, wanted.test)
        and wanted.windows_ms in ((), made.windows_ms)
    )
