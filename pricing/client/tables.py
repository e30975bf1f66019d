"""Calls of TableService."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from google.protobuf.json_format import Parse, ParseError

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.table_service_pb2 import EventReceipt, TableEvent
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceStub
from pricing.baccarat.v1.tables_pb2 import Table
from pricing.client.calls import Access, CallFailed, Metadata, failing, open_channel, refusal_of
from pricing.client.messages import word

if TYPE_CHECKING:
    from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceAsyncStub

__all__ = [
    "Answer",
    "EventReceipt",
    "Table",
    "TableClient",
    "TableEvent",
    "TableSummary",
    "read_event",
    "summarize",
    "tables_connected",
]

_IN_FLIGHT: Final = 64
"""Events of a stream that may be without an answer."""


class TableSummary(NamedTuple):
    """A table in a few words."""

    table: str
    state: str
    shoe: str
    """Empty where there is none, as all that follows."""
    cards_remaining: int
    game: str
    game_state: str
    dealt: tuple[str, ...]
    open_round: int
    """0 where none is."""
    holds: tuple[str, ...]


def summarize(table: Table) -> TableSummary:
    """A table in a few words."""
    shoe, game = table.shoe, table.game
    return TableSummary(
        table=table.table,
        state=word(tables_pb2.TableState.Name(table.state)),
        shoe=word(tables_pb2.ShoeState.Name(shoe.state)) if table.HasField("shoe") else "",
        cards_remaining=shoe.cards_remaining,
        game=game.game,
        game_state=word(tables_pb2.GameState.Name(game.state)) if table.HasField("game") else "",
        dealt=tuple(game.dealt),
        open_round=sum(each.round for each in game.rounds if each.state == tables_pb2.ROUND_STATE_OPEN),
        holds=tuple(map(held_by, table.holds)),
    )


def held_by(hold: tables_pb2.Hold) -> str:
    """A hold in a few words: whose, why, and on which bet if on one."""
    owner = word(tables_pb2.HoldOwner.Name(hold.owner))
    return f"{owner}: {hold.reason}" + (f" ({hold.bet})" if hold.HasField("bet") else "")


def read_event(text: str) -> TableEvent:
    """An event from protobuf's JSON.

    Raises:
        ValueError: What is wrong with it.
    """
    try:
        return Parse(text, TableEvent())
    except (ParseError, UnicodeEncodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


class Answer(NamedTuple):
    """What became of an event that was sent on a stream: either its receipt, or what it failed with."""

    table: str
    event_id: str
    receipt: EventReceipt | None
    error: CallFailed | None


class TableClient:
    """Calls one server. Made by ``tables_connected``."""

    def __init__(self, stub: "TableServiceAsyncStub", metadata: Metadata) -> None:
        """Call through a stub that somebody else opens and closes."""
        self._stub = stub
        self._metadata = metadata

    async def create(  # noqa: PLR0913 - the fields of the message
        self, name: str, game: str, *, test: bool, event_id: str, timeout: float, windows_ms: Sequence[int] = ()
    ) -> Table:
        """Make a table; doing so again with the same event id answers the same table.

        Args:
            name: Of the table.
            game: Its game type.
            test: Whether nothing on it counts.
            event_id: Makes the call idempotent.
            timeout: Seconds to wait.
            windows_ms: How long each betting round stays open; empty for the game type's own.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        request = pb.CreateTableRequest(
            table=name, game_type=game, test=test, event_id=event_id, round_windows_ms=windows_ms
        )
        with failing():
            return (await self._stub.CreateTable(request, timeout=timeout, metadata=self._metadata)).table

    async def get(self, table: str, *, timeout: float) -> Table:
        """A whole image of a table.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        request = pb.GetTableRequest(table=table)
        with failing():
            return (await self._stub.GetTable(request, timeout=timeout, metadata=self._metadata)).table

    async def tables(self, *, timeout: float) -> AsyncIterator[Table]:
        """All tables by name.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        token = ""
        while True:
            request = pb.ListTablesRequest(page_token=token)
            with failing():
                page = await self._stub.ListTables(request, timeout=timeout, metadata=self._metadata)
            for table in page.tables:
                yield table
            token = page.next_page_token
            if not token:
                return

    async def record(self, event: TableEvent, *, timeout: float) -> EventReceipt:
        """Have one event taken down.

        Raises:
            CallFailed: An error for an answer, or none in time: then the same event may be sent again.
        """
        request = pb.RecordEventRequest(event=event)
        with failing():
            return (await self._stub.RecordEvent(request, timeout=timeout, metadata=self._metadata)).receipt

    async def close(self, table: str, *, event_id: str, timeout: float) -> Table:
        """End a table between games; doing so again with the same event id answers the same table.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        request = pb.CloseTableRequest(table=table, event_id=event_id)
        with failing():
            return (await self._stub.CloseTable(request, timeout=timeout, metadata=self._metadata)).table

    async def record_all(self, events: Iterable[TableEvent]) -> AsyncIterator[Answer]:
        """Have events taken down over one stream, those of one table in order.

        Yields:
            The answer to each event: of those of one table the receipts in order, those of different tables in any. An
            event that cannot be read is answered at once.

        Raises:
            CallFailed: The stream has failed. Events without an answer may be taken or not: send them again.
        """
        call = self._stub.StreamEvents(metadata=self._metadata)
        waiting = 0
        try:
            with failing():
                for event in events:
                    if waiting == _IN_FLIGHT:
                        yield _answer(await call.read())
                        waiting -= 1
                    await call.write(pb.StreamEventsRequest(event=event))
                    waiting += 1
                await call.done_writing()
                for _ in range(waiting):
                    yield _answer(await call.read())
        finally:
            call.cancel()


def _answer(message: object) -> Answer:
    if not isinstance(message, pb.StreamEventsResponse):
        raise CallFailed("UNAVAILABLE", "the stream has ended")
    error = refusal_of(message.error) if message.HasField("error") else None
    return Answer(message.table, message.event_id, None if error else message.receipt, error)


@asynccontextmanager
async def tables_connected(access: Access) -> AsyncIterator[TableClient]:
    """Open a connection for as long as the block lasts.

    Raises:
        OSError: A certificate or key that cannot be read.
    """
    async with open_channel(access) as channel:
        yield TableClient(TableServiceStub(channel), access.metadata)
