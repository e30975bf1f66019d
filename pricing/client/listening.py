"""One connection to the feed: its messages as they come, and an end to it when it falls silent."""

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Final

import grpc

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub
from pricing.client.calls import Access, failing, open_channel
from pricing.client.view import Pulse

if TYPE_CHECKING:
    from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceAsyncStub

_OPTIONS: Final = (
    # What waits in buffers is old: by default four megabytes of it.
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.lookahead_bytes", 8192),
    # After a fault a connection of its own, not the one that hangs.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
)


async def messages(
    access: Access, request: pb.WatchTablesRequest, pulse: Pulse
) -> AsyncGenerator[pb.WatchTablesResponse, None]:
    """The messages of one connection, until the server ends it; each must be heard while the pulse allows.

    Raises:
        CallFailed: The call has failed.
        TimeoutError: Nothing was heard for too long.
        OSError: A certificate cannot be read.
    """
    async with open_channel(access, _OPTIONS) as channel:
        stub: OddsServiceAsyncStub = OddsServiceStub(channel)
        call = stub.WatchTables(request, metadata=access.metadata)
        try:
            with failing():
                while isinstance(message := await _next(call, pulse), pb.WatchTablesResponse):
                    yield message
        finally:
            call.cancel()


async def _next(
    call: "grpc.aio.UnaryStreamCall[pb.WatchTablesRequest, pb.WatchTablesResponse]", pulse: Pulse
) -> object:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout_at(max(pulse.until, loop.time() + 0.001)):
        return await call.read()
