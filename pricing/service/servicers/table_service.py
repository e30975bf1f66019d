"""TableService: unpack, line up, pack."""

import asyncio
from typing import Any, TypeAlias

import grpc

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceServicer
from pricing.service.calls.call import caller, failed
from pricing.service.errors import SlowReader
from pricing.service.floor.floor import Floor
from pricing.service.floor.maker import NewTable
from pricing.service.floor.records import Receipt
from pricing.service.images.image import table_message
from pricing.service.messages.convert import error_message
from pricing.service.messages.pages import page
from pricing.service.messages.table_events import InvalidEvent, read_event_id, read_report
from pricing.table.events import TableClosed
from pricing.table.state import Report, Table

_IN_FLIGHT = 512
"""Events of one stream without an answer, after which no further one is read."""
_LARGEST = 1 << 14
"""Bytes of an event: far more than any needs, so that a stream's events without an answer are few megabytes."""


class TableServicer(TableServiceServicer):
    """Takes down what happens at tables."""

    def __init__(self, floor: Floor, write_timeout: float) -> None:
        """Serve these tables.

        Args:
            floor: The tables.
            write_timeout: Seconds that a stream waits for its reader.
        """
        self._floor = floor
        self._write_timeout = write_timeout

    async def CreateTable(self, request: pb.CreateTableRequest, context: object) -> pb.CreateTableResponse:
        """Make a table."""
        table = await self._floor.create(
            NewTable(request.table, request.game_type, request.test, tuple(request.round_windows_ms)),
            event_id=read_event_id(request.event_id, "event_id"),
            actor=caller().name,
        )
        return pb.CreateTableResponse(table=self._image(table))

    async def GetTable(self, request: pb.GetTableRequest, context: object) -> pb.GetTableResponse:
        """A whole image of a table."""
        return pb.GetTableResponse(table=self._image(self._floor.table(request.table)))

    async def ListTables(self, request: pb.ListTablesRequest, context: object) -> pb.ListTablesResponse:
        """The tables, in pages."""
        tables = {table.name: table for table in self._floor.tables()}
        names, token = page(list(tables), request.page_size, request.page_token)
        found = [self._image(tables[name], prices=False) for name in names]
        return pb.ListTablesResponse(tables=found, next_page_token=token)

    async def CloseTable(self, request: pb.CloseTableRequest, context: object) -> pb.CloseTableResponse:
        """End a table."""
        report = Report(read_event_id(request.event_id, "event_id"), TableClosed(), caller().name)
        return pb.CloseTableResponse(table=self._image(await self._floor.close_table(request.table, report)))

    async def RecordEvent(self, request: pb.RecordEventRequest, context: object) -> pb.RecordEventResponse:
        """Take down one event."""
        return pb.RecordEventResponse(receipt=_receipt_message(await self._submit(request.event)))

    async def StreamEvents(  # type: ignore[override]  # the types know answers that are yielded, not written
        self, request_iterator: object, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> None:
        """Take down one event after the other; those of different tables do not wait for each other."""
        ready: _Ready = asyncio.Queue()
        slots = asyncio.Semaphore(_IN_FLIGHT)

        async def write() -> None:
            while answered := await ready.get():
                try:
                    async with asyncio.timeout(self._write_timeout):
                        await context.write(_answer(*answered))
                except TimeoutError:
                    raise SlowReader(f"no answer was taken for {self._write_timeout:g} seconds") from None
                slots.release()

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(write())
                while isinstance(request := await context.read(), pb.StreamEventsRequest):
                    await slots.acquire()
                    self._line_up(request.event, ready)
                for _ in range(_IN_FLIGHT):  # when all are free, all are answered
                    await slots.acquire()
                ready.put_nowait(None)
        except* Exception as failures:
            # One thing ends a stream: its reader is slow, or its call is over.
            raise failures.exceptions[0] from None

    def _line_up(self, event: pb.TableEvent, ready: "_Ready") -> None:
        """Have one event of a stream answered; what it would fail with alone does not end the stream."""
        label = event.table[:_LABEL], event.event_id[:_LABEL]
        try:
            waiting = self._submit(event)
        except Exception as error:
            ready.put_nowait((label, error))
        else:
            waiting.add_done_callback(lambda done: ready.put_nowait((label, _outcome(done))))

    def _submit(self, event: pb.TableEvent) -> "asyncio.Future[Receipt]":
        if (size := event.ByteSize()) > _LARGEST:
            raise InvalidEvent("event", f"{size} bytes", f"at most {_LARGEST}")
        return self._floor.submit(event.table, read_report(event, caller()))

    def _image(self, table: Table, *, prices: bool = True) -> tables_pb2.Table:
        return table_message(table, self._floor.epoch, self._floor.outage.since, prices=prices)


_LABEL = 128
"""Characters of a table's name and of an event's id that an answer repeats; none that is right has more."""
_Label: TypeAlias = tuple[str, str]
_Ready: TypeAlias = "asyncio.Queue[tuple[_Label, Receipt | Exception] | None]"
"""Tables and ids of a stream's events with what came of them; None after the last."""


def _outcome(done: "asyncio.Future[Receipt]") -> Receipt | Exception:
    try:
        return done.result()
    except Exception as error:
        return error


def _answer(label: _Label, outcome: Receipt | Exception) -> pb.StreamEventsResponse:
    table, event_id = label
    answer = pb.StreamEventsResponse(table=table, event_id=event_id)
    if isinstance(outcome, Receipt):
        answer.receipt.CopyFrom(_receipt_message(outcome))
    else:
        answer.error.CopyFrom(error_message(failed(outcome)))
    return answer


def _receipt_message(receipt: Receipt) -> pb.EventReceipt:
    refusal = receipt.refusal
    return pb.EventReceipt(
        table=receipt.table,
        event_id=receipt.event_id,
        position=receipt.position,
        card_state=receipt.card_state,
        duplicate=receipt.duplicate,
        refusal=pb.Refusal(reason=refusal.reason, message=refusal.message) if refusal else None,
        game=receipt.game,
    )
