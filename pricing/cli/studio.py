"""A studio's side of a table: reports events to it, one after the other."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pricing.client.tables import Table, TableClient


class Studio:
    """Reports to a table what happens at it, as a studio's scanner does, with ids and source numbers of its own."""

    def __init__(self, client: "TableClient", table: str, ids: str, timeout: float, *, last: int = 0) -> None:
        """Report to a table, with event ids that begin so, and wait for each answer as many seconds.

        The table has heard of events up to number ``last``.
        """
        self._client = client
        self.table = table
        self._ids = ids
        self._timeout = timeout
        self._events = last

    async def say(self, what: Mapping[str, Mapping[str, Any]], *, lost: int = 0, times: int = 1) -> None:
        """Report one event.

        Args:
            what: Its kind, and the fields, as a TableEvent has them.
            lost: Source numbers to leave out before it.
            times: How often to send it.

        Raises:
            CallFailed: An error for an answer, or none in time.
            click.ClickException: The table refuses it.
        """
        from pricing.client.tables import TableEvent

        self._events += 1 + lost
        event_id = f"{self._ids}-{self._events}"
        event = TableEvent(table=self.table, event_id=event_id, source_number=self._events, **what)  # type: ignore[arg-type]
        for _ in range(times):
            receipt = await self._client.record(event, timeout=self._timeout)
            if receipt.HasField("refusal"):
                raise click.ClickException(f"the table refuses event {self._events}: {receipt.refusal.message}")

    async def look(self) -> "Table":
        """The table as it stands.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        return await self._client.get(self.table, timeout=self._timeout)
