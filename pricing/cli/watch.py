"""``baccarat-pricing watch``: tables of a server as they are played."""

import asyncio
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console, Group
from rich.live import Live

from pricing.cli.access import read_access, server_options
from pricing.cli.board import make_console
from pricing.cli.flags import finite

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from pricing.client.calls import Access
    from pricing.client.feed import Follower, Update

_REDRAW: Final = 0.25
"""Seconds between looks at what is known: it can get stale without a word."""


@click.command()
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print each image as JSON, a line each.")
@click.option(
    "--images", type=click.IntRange(1), metavar="NUMBER", help="Stop after so many images; with Ctrl-C by default."
)
@click.option("--must-see", is_flag=True, help="Only what ends, settles, cancels or voids anything.")
@click.option(
    "--delay",
    type=click.FloatRange(0, 60),
    callback=finite,
    default=0.0,
    metavar="SECONDS",
    help="Hold everything back for so long, so as not to run ahead of the video.",
)
@server_options(help="The server that keeps the tables.", default="127.0.0.1:50051")
def watch(  # noqa: PLR0913, PLR0917 - the flags
    tables: tuple[str, ...],
    as_json: bool,
    images: int | None,
    must_see: bool,
    delay: float,
    timeout: float,
    **access: Any,
) -> None:
    """Follow tables of a server: a board on a terminal, elsewhere a line for each image.

    It goes on through restarts of the server and faults of the network, and says so on stderr. While anything is in
    doubt, nothing is shown as offered. With --timeout it gives up when the server cannot be reached at first.
    """
    from pricing.client.feed import follow

    reached = read_access(**access)
    console = make_console()
    follower = follow(reached, tables, must_see_only=must_see, delay=delay)
    if console.is_terminal and not as_json:
        shown = _board(follower, reached, images, timeout + delay, tables, console)
    else:
        shown = _lines(follower, reached, images, timeout + delay, as_json=as_json)
    asyncio.run(shown)


async def _lines(follower: "Follower", access: "Access", images: int | None, timeout: float, *, as_json: bool) -> None:
    from pricing.cli.watch_board import line_of
    from pricing.client.messages import line_of_json

    async for update in _updates(follower, access, images, timeout):
        if update.image:
            click.echo(line_of_json(update.image) if as_json else line_of(update.image))
            sys.stdout.flush()
        elif update.why:
            click.echo(f"lost: {update.why}", err=True)


async def _board(  # noqa: PLR0913, PLR0917 - what is shown, of whom, and where
    follower: "Follower",
    access: "Access",
    images: int | None,
    timeout: float,
    tables: tuple[str, ...],
    console: Console,
) -> None:
    from pricing.cli.watch_board import board_of

    with Live(console=console, auto_refresh=False, vertical_overflow="visible") as live:

        def draw() -> None:
            live.update(Group(*(board_of(name, follower.view(name)) for name in tables)), refresh=True)

        async def redraw() -> None:
            while True:
                draw()
                await asyncio.sleep(_REDRAW)

        drawing = asyncio.create_task(redraw())
        try:
            async for _ in _updates(follower, access, images, timeout):
                draw()
        finally:
            drawing.cancel()


async def _updates(
    follower: "Follower", access: "Access", images: int | None, timeout: float
) -> "AsyncGenerator[Update, None]":
    """The updates, up to so many images.

    Raises:
        click.ClickException: The server cannot be reached at first, or refuses.
    """
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed
    from pricing.client.feed import Moment

    seen, last = 0, ""
    try:
        async with aclosing(follower), asyncio.timeout(timeout) as limit:
            async for update in follower:
                if update.moment is not Moment.LOST:
                    limit.reschedule(None)
                last = update.why or last
                yield update
                seen += update.image is not None
                if seen == images:
                    return
    except TimeoutError:
        raise click.ClickException(f"server {access.address}: {last or f'no answer for {timeout:g} seconds'}") from None
    except CallFailed as failure:
        raise explain(failure, access.address) from None
