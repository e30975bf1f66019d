"""PricingService: unpack, price, pack."""

import asyncio
from typing import Any

import grpc

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceServicer
from pricing.domain.cards import parse_cards
from pricing.domain.errors import PricingError
from pricing.games import Catalogue
from pricing.service.calls.call import failed
from pricing.service.errors import SlowReader
from pricing.service.messages.convert import (
    error_message,
    game_message,
    in_message,
    price_message,
    read_batch,
    read_state,
)
from pricing.service.messages.pages import page
from pricing.service.telemetry.quoting import quote

_SLICE = 16
"""States of a batch that are priced, about a millisecond and a half, before other calls have their turn."""


class PricingServicer(PricingServiceServicer):
    """Prices states of coups; keeps nothing."""

    def __init__(self, games: Catalogue, write_timeout: float) -> None:
        """Serve these game types.

        Args:
            games: Game types by name.
            write_timeout: Seconds that a stream waits for its reader.
        """
        self._games = games
        self._write_timeout = write_timeout
        self._listed = {name: game_message(game) for name, game in games.items()}

    async def Price(self, request: pb.PriceRequest, context: object) -> pb.PriceResponse:
        """One state."""
        return self._price(request)

    async def BatchPrice(self, request: pb.BatchPriceRequest, context: object) -> pb.BatchPriceResponse:
        """Many states of one shoe; no coups, no prices."""
        try:
            game, shoe = read_batch(request, self._games)
        except PricingError as error:
            raise in_message(error) from None
        prices = []
        for place, coup in enumerate(request.coups):
            if place % _SLICE == _SLICE - 1:
                await asyncio.sleep(0)
            try:
                prices.append(price_message(quote(game, shoe, parse_cards(coup.dealt, "dealt"))))
            except PricingError as error:
                raise in_message(error, place) from None
        return pb.BatchPriceResponse(prices=prices)

    async def StreamPrices(  # type: ignore[override]  # the types know answers that are yielded, not written
        self, request_iterator: object, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> None:
        """One state after the other.

        Nothing is read before the last answer is handed over: order is kept, and a reader that takes nothing is sent
        nothing, while the requests behind it wait on the caller's side.
        """
        while isinstance(request := await context.read(), pb.StreamPricesRequest):
            answer = self._answer(request)
            try:
                async with asyncio.timeout(self._write_timeout):
                    await context.write(answer)
            except TimeoutError:
                raise SlowReader(f"no answer was taken for {self._write_timeout:g} seconds") from None

    async def ListGameTypes(self, request: pb.ListGameTypesRequest, context: object) -> pb.ListGameTypesResponse:
        """The game types, in pages."""
        names, token = page(list(self._listed), request.page_size, request.page_token)
        return pb.ListGameTypesResponse(game_types=[self._listed[name] for name in names], next_page_token=token)

    def _price(self, request: pb.PriceRequest) -> pb.PriceResponse:
        try:
            return price_message(quote(*read_state(request, self._games)))
        except PricingError as error:
            raise in_message(error) from None

    def _answer(self, request: pb.StreamPricesRequest) -> pb.StreamPricesResponse:
        """The answer to one message of a stream; what it would fail with alone does not end the stream."""
        label = request.correlation_id
        try:
            return pb.StreamPricesResponse(correlation_id=label, response=self._price(request.request))
        except Exception as error:
            return pb.StreamPricesResponse(correlation_id=label, error=error_message(failed(error)))
