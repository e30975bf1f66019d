"""A historical shoe played into a running server, at a test table of its own or at a table that there is."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from pricing.cli.studio import Studio

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.client.tables import TableClient
    from pricing.domain.game import GameType
    from pricing.replay.live import Fault
    from pricing.replay.shoes import ShoeRecord


class Playing(NamedTuple):
    """How a shoe is played."""

    game: "GameType"
    table: str | None
    """One that there is; a test table of its own if not named."""
    speed: float
    """2 is twice as fast as a real table; 0 does not wait at all, and no clock closes betting."""
    fault: "Fault | None"
    timeout: float


def play(shoe: "ShoeRecord", playing: Playing, access: "Access") -> None:
    """Deal a shoe at a table; one that was made for it is closed in the end, whatever the end is.

    Raises:
        click.ClickException: What the server answered, or that it did not.
    """
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed

    try:
        asyncio.run(_play(shoe, playing, access))
    except CallFailed as failure:
        raise explain(failure, access.address) from None


async def _play(shoe: "ShoeRecord", playing: Playing, access: "Access") -> None:
    from pricing.client.tables import tables_connected
    from pricing.replay.live import reports

    found = reports(playing.game, shoe, playing.fault)
    first = next(found)  # a shoe that cannot be played makes no table
    async with tables_connected(access) as tables, _table(tables, playing) as studio:
        click.echo(f"shoe {shoe.shoe} at table {studio.table}")
        await studio.say(first.what)
        for report in found:
            if playing.speed:
                await asyncio.sleep(report.seconds / playing.speed)
            await studio.say(report.what, lost=report.lost, times=report.times)
    click.echo(f"{len(shoe.coups)} games" + ("" if playing.table else ", the table is closed"))


@asynccontextmanager
async def _table(tables: "TableClient", playing: Playing) -> AsyncIterator[Studio]:
    """The studio of a table that there is, or of one that is there for as long as the block lasts."""
    ids, timeout, game = f"replay-{uuid.uuid4().hex[:8]}", playing.timeout, playing.game
    if playing.table:
        now = await tables.get(playing.table, timeout=timeout)
        if now.game_type != game.name:
            plays = f"{now.table}, which plays {now.game_type}"
            raise click.UsageError(f"--table: got {plays}; allowed: a table that plays {game.name}")
        studio = Studio(tables, now.table, ids, timeout, last=now.source_number)
        try:
            yield studio
        except BaseException:
            await _give_up(tables, studio, timeout, close=False)
            raise
        return
    windows_ms = [round(each.window_ms / playing.speed) if playing.speed else 0 for each in game.rounds]
    await tables.create(ids, game.name, test=True, event_id=ids, timeout=timeout, windows_ms=windows_ms)
    studio = Studio(tables, ids, ids, timeout)
    try:
        yield studio
    except BaseException:
        await _give_up(tables, studio, timeout, close=True)
        raise
    await tables.close(ids, event_id=f"{ids}-closed", timeout=timeout)


async def _give_up(tables: "TableClient", studio: Studio, timeout: float, *, close: bool) -> None:
    """Void the game that was being played, and maybe close the table, if that can be done."""
    from pricing.client.calls import CallFailed
    from pricing.client.tables import summarize

    try:
        if summarize(await studio.look()).game_state == "open":
            await studio.say({"games_voided": {"reason": "VOID_REASON_MISDEAL"}})
            click.echo(f"the game at table {studio.table} is void, as it was not over", err=True)
    except (CallFailed, click.ClickException) as failure:
        click.echo(f"the game at table {studio.table} is not over: {failure}", err=True)
    if close:
        try:
            await tables.close(studio.table, event_id=f"{studio.table}-closed", timeout=timeout)
            click.echo(f"table {studio.table} is closed", err=True)
        except CallFailed as failure:
            click.echo(f"table {studio.table} is left open: {failure}", err=True)
