"""``baccarat-pricing hold``: traders stop betting, at a table, on a bet, or everywhere."""

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

import click

from pricing.cli.access import read_access, server_options

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.client.trading import HeldBy


@click.command()
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@click.option("--all", "everywhere", is_flag=True, help="All tables, in one transaction.")
@click.option("--bet", metavar="BET", help="Only this bet.")
@click.option("--reason", default="TRADER", show_default=True, metavar="TEXT", help="What the hold is called.")
@click.option("--lift", is_flag=True, help="Lift the hold of that reason.")
@click.option("--id", "update_id", metavar="ID", help="Makes a repeated call harmless; a new one if not given.")
@server_options(help="The server that keeps the tables.", default="127.0.0.1:50051")
def hold(  # noqa: PLR0913, PLR0917 - the flags
    tables: tuple[str, ...],
    everywhere: bool,
    bet: str | None,
    reason: str,
    lift: bool,
    update_id: str | None,
    timeout: float,
    **access: Any,
) -> None:
    """Hold tables, or one bet at them, until the hold is lifted. Prints the names of those that were changed."""
    from pricing.client.trading import HeldBy

    if everywhere == bool(tables):
        raise click.UsageError("TABLE: got none, or --all beside; allowed: names of tables, or --all")
    wanted = HeldBy(tables, reason, bet)
    for name in asyncio.run(_hold(read_access(**access), timeout, wanted, update_id or str(uuid.uuid4()), lift=lift)):
        click.echo(name)


async def _hold(access: "Access", timeout: float, wanted: "HeldBy", update_id: str, *, lift: bool) -> list[str]:
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed
    from pricing.client.trading import trading_connected

    try:
        async with trading_connected(access, timeout=timeout) as client:
            change = client.lift if lift else client.place
            return [receipt.table for receipt in await change(wanted, update_id=update_id)]
    except CallFailed as failure:
        raise explain(failure, access.address) from None
