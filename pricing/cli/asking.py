"""How commands ask a server about the past."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.client.history import HistoryClient

_Answer = TypeVar("_Answer")


def ask_history(access: "Access", call: "Callable[[HistoryClient], Awaitable[_Answer]]") -> _Answer:
    """Ask the history of a server.

    Raises:
        click.ClickException: What went wrong, as the command line tells it.
    """
    from pricing.cli.remote import explain
    from pricing.client.calls import CallFailed
    from pricing.client.history import history_connected

    async def asked() -> _Answer:
        async with history_connected(access) as client:
            return await call(client)

    try:
        return asyncio.run(asked())
    except CallFailed as failure:
        raise explain(failure, access.address) from None
