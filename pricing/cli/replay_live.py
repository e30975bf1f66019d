"""A historical shoe played into a running server, as a test table."""

import asyncio
import uuid
from typing import TYPE_CHECKING, NamedTuple

import click

from pricing.cli.studio import Studio

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.domain.game import GameType
    from pricing.replay.live import Fault
    from pricing.replay.shoes import ShoeRecord


class Playing(NamedTuple):
    """How a shoe is played."""

    game: "GameType"
    speed: float
    """2 is twice as fast as a real table; 0 does not wait at all, and no clock closes betting."""
    fault: "Fault | None"
    timeout: float


def play(shoe: "ShoeRecord", playing: Playing, access: "Access") -> None:
    """Make a test table, deal the shoe there and close the table.

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

    game, speed, timeout = playing.game, playing.speed, playing.timeout
    name = f"replay-{uuid.uuid4().hex[:8]}"
    windows_ms = [round(each.window_ms / speed) if speed else 0 for each in game.rounds]
    found = reports(game, shoe, playing.fault)
    first = next(found)  # a shoe that cannot be played makes no table
    async with tables_connected(access) as tables:
        await tables.create(name, game.name, test=True, event_id=name, timeout=timeout, windows_ms=windows_ms)
        click.echo(f"shoe {shoe.shoe} at table {name}")
        studio = Studio(tables, name, name, timeout)
        await studio.say(first.what)
        for report in found:
            if speed:
                await asyncio.sleep(report.seconds / speed)
            await studio.say(report.what, lost=report.lost, times=report.times)
        await tables.close(name, event_id=f"{name}-closed", timeout=timeout)
    click.echo(f"{len(shoe.coups)} games, the table is closed")
