"""``baccarat-pricing health``: whether a server serves, for what restarts or routes around one that does not."""

import asyncio
from typing import Any

import click

from pricing.cli.access import read_access, server_options


@click.command()
@click.option(
    "--service", default="", metavar="NAME", help="Ask for one service; by default for the server as a whole."
)
@server_options(help="The server to ask.", default="127.0.0.1:50051")
def health(service: str, timeout: float, **access: Any) -> None:
    """Ask a server whether it serves, by gRPC's health service: exit code 0 if so, else 1."""
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed
    from pricing.client.health import serves

    reached = read_access(**access)
    try:
        serving = asyncio.run(serves(reached, service, timeout=timeout))
    except CallFailed as failure:
        raise explain(failure, reached.address) from None
    if not serving:
        raise click.ClickException(f"server {reached.address}: not serving")
    click.echo("serving")
