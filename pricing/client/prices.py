"""Calls of PricingService."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc

from pricing.baccarat.v1.pricing_service_pb2 import (
    PriceRequest,
    PriceResponse,
    StreamPricesRequest,
    StreamPricesResponse,
)
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.baccarat.v1.types_pb2 import BetPrice
from pricing.client.calls import Access, CallFailed, Metadata, failing, open_channel, refusal_of

if TYPE_CHECKING:
    from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceAsyncStub

__all__ = ["BetPrice", "PriceClient", "PriceResponse", "PriceStream", "connected"]


class PriceClient:
    """Calls one server. Made by ``connected``."""

    def __init__(self, stub: "PricingServiceAsyncStub", metadata: Metadata) -> None:
        """Call through a stub that somebody else opens and closes."""
        self._stub = stub
        self._metadata = metadata

    async def price(self, request: PriceRequest, *, timeout: float) -> PriceResponse:
        """Price one state of a coup.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        with failing():
            return await self._stub.Price(request, timeout=timeout, metadata=self._metadata)

    @asynccontextmanager
    async def stream(self) -> AsyncIterator["PriceStream"]:
        """Open a stream of prices for as long as the block lasts."""
        call = self._stub.StreamPrices(metadata=self._metadata)
        try:
            yield PriceStream(call)
        finally:
            call.cancel()


class PriceStream:
    """A stream of prices, used one state at a time. Made by ``PriceClient.stream``."""

    def __init__(self, call: grpc.aio.StreamStreamCall[StreamPricesRequest, StreamPricesResponse]) -> None:
        """Talk over a call that somebody else opens and ends."""
        self._call = call

    async def price(self, request: PriceRequest, label: str) -> PriceResponse:
        """Price one state of a coup.

        Args:
            request: The state.
            label: The caller's name for it, which comes back with the answer.

        Raises:
            CallFailed: An error for an answer, or the end of the stream.
        """
        with failing():
            await self._call.write(StreamPricesRequest(correlation_id=label, request=request))
            answer = await self._call.read()
        if not isinstance(answer, StreamPricesResponse):
            raise CallFailed("UNAVAILABLE", "the stream has ended")
        if answer.HasField("error"):
            raise refusal_of(answer.error)
        return answer.response


@asynccontextmanager
async def connected(access: Access) -> AsyncIterator[PriceClient]:
    """Open a connection for as long as the block lasts.

    Raises:
        OSError: A certificate or key that cannot be read.
    """
    async with open_channel(access) as channel:
        yield PriceClient(PricingServiceStub(channel), access.metadata)
