"""``baccarat-pricing tables``: the tables of a server."""

import asyncio
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from pricing.cli.access import read_access, server_options
from pricing.cli.board import make_console

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.client.tables import Table


@click.command()
@click.option("--create", metavar="NAME", help="Make a table of this name first.")
@click.option("--game", default="bet-on-baccarat", show_default=True, metavar="NAME", help="Its game type.")
@click.option("--test", is_flag=True, help="It is a test table: nothing on it counts.")
@click.option("--close", metavar="NAME", help="End the table of this name first, for good; between games.")
@click.option("--json", "as_json", is_flag=True, help="Print each table as JSON, a line each.")
@server_options(help="The server that keeps the tables.", default="127.0.0.1:50051")
def tables(  # noqa: PLR0913, PLR0917 - the flags
    create: str | None, game: str, test: bool, close: str | None, as_json: bool, timeout: float, **access: Any
) -> None:
    """List the tables of a server: state, shoe, game, and what holds them."""
    from pricing.client.messages import line_of_json

    found = asyncio.run(_tables(read_access(**access), timeout, create=create, game=game, test=test, close=close))
    if as_json:
        for table in found:
            click.echo(line_of_json(table))
    else:
        console = make_console(lists=True)
        console.print(_grid(found) if found else "no tables")


async def _tables(  # noqa: PLR0913 - the flags
    access: "Access", timeout: float, *, create: str | None, game: str, test: bool, close: str | None
) -> "list[Table]":
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed
    from pricing.client.tables import tables_connected

    try:
        async with tables_connected(access) as client:
            if create is not None:
                await client.create(create, game, test=test, event_id=f"create-{game}-{test}", timeout=timeout)
            if close is not None:
                await client.close(close, event_id=f"close-{close}", timeout=timeout)
            return [table async for table in client.tables(timeout=timeout)]
    except CallFailed as failure:
        raise explain(failure, access.address) from None


def _grid(found: "list[Table]") -> Grid:
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("table", "state", "shoe", "cards left", "game", "cards", "round", "held by"):
        shown = name in ("table", "state")  # whatever the width; the others are folded
        grid.add_column(
            name, no_wrap=shown, overflow="fold", min_width=4, justify="right" if name == "cards left" else "left"
        )
    for table in found:
        grid.add_row(*_row(table))
    return grid


def _row(table: "Table") -> list[str]:
    from pricing.client.tables import summarize

    now = summarize(table)
    return [
        now.table,
        now.state,
        now.shoe or "-",
        str(now.cards_remaining) if now.shoe else "-",
        f"{now.game} {now.game_state}" if now.game else "-",
        " ".join(now.dealt),
        str(now.open_round or "-"),
        ", ".join(now.holds) or "-",
    ]
