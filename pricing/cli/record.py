"""``baccarat-pricing record``: events of tables from a file or a pipe to a server."""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from pricing.cli.access import read_access, server_options
from pricing.cli.flags import encodable
from pricing.domain.errors import PricingError

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.client.tables import TableEvent

_LONGEST: Final = 1 << 16
"""Characters of a line; the longest event is far below."""


@click.command()
@click.argument("file", type=click.File("r", encoding="utf-8", errors="surrogateescape"), default="-")
@server_options(help="The server that keeps the tables.", default="127.0.0.1:50051")
def record(file: TextIO, timeout: float, **access: Any) -> None:
    """Send events of tables to a server, a TableEvent in JSON a line, from FILE or stdin.

    Prints the receipt of each event as JSON, a line each, and on stderr what an event failed with. Events that were
    taken before are answered as they were then, so that a file can be sent again after a failure. The exit code is 1 if
    any event was refused or failed, and 2, with nothing sent, if a line is no event.
    """
    # Everything is read before anything is sent: a wrong line sends nothing.
    events = tuple(_events(file))
    refused = asyncio.run(_record(events, read_access(**access), timeout))
    click.get_current_context().exit(1 if refused else 0)


def _events(lines: TextIO) -> "Iterator[TableEvent]":
    for number, line in enumerate(iter(partial(lines.readline, _LONGEST + 1), ""), 1):
        if not line.strip():
            continue
        if len(line) > _LONGEST:
            raise click.UsageError(f"line {number}: got more than {_LONGEST} characters; allowed: as many at most")
        try:
            yield _event(line)
        except ValueError as error:
            wrong = f"line {number}: got {encodable(line[:60])!r}; allowed: a TableEvent in JSON ({error})"
            raise click.UsageError(wrong) from None


def _event(line: str) -> "TableEvent":
    """The event in a line, looked at as the server will.

    Raises:
        ValueError: What is wrong with it.
    """
    from pricing.client.tables import read_event
    from pricing.service.messages.table_events import read_report
    from pricing.service.roles import Caller, Role

    event = read_event(line)
    try:
        read_report(event, Caller("", Role.ADMIN, local=True))
    except PricingError as error:
        raise ValueError(str(error)) from None
    if not event.table:
        raise ValueError("event.table: got nothing; allowed: the name of a table")
    return event


async def _record(events: "Iterable[TableEvent]", access: "Access", timeout: float) -> int:
    """Send the events and print the answers; how many were refused or failed."""
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed
    from pricing.client.messages import line_of_json
    from pricing.client.tables import tables_connected

    refused = 0
    try:
        async with tables_connected(access) as client, asyncio.timeout(None) as limit:
            loop = asyncio.get_running_loop()
            limit.reschedule(loop.time() + timeout)
            async for answer in client.record_all(events):
                limit.reschedule(loop.time() + timeout)  # the time is for each answer, not for all
                if answer.error:
                    what = f"table {answer.table!r}, event {answer.event_id!r}"
                    click.echo(f"{what}: {answer.error.code} {answer.error.reason}: {answer.error}", err=True)
                if answer.receipt:
                    click.echo(line_of_json(answer.receipt))
                    sys.stdout.flush()
                refused += answer.receipt is None or answer.receipt.HasField("refusal")
    except TimeoutError:
        raise click.ClickException(f"server {access.address}: no answer for {timeout:g} seconds") from None
    except CallFailed as failure:
        raise explain(failure, access.address) from None
    return refused
