"""OddsService: unpack, watch, pack."""

from typing import Any, Final

import grpc
from google.protobuf.duration_pb2 import Duration

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceServicer
from pricing.domain.errors import PricingError
from pricing.service.feed.feed import Feed
from pricing.service.feed.published import Own
from pricing.service.feed.wish import Wish

_MOST_TABLES: Final = 1_000
_MOST_SEQUENCES: Final = 20_000
"""Who watches all tables goes on with all of them, whatever their number; a larger message is not taken anyway."""


class InvalidWatch(PricingError):
    """A way of watching that is not on offer."""

    reason = "INVALID_WATCH"


class OddsServicer(OddsServiceServicer):
    """Tells what is offered at tables."""

    def __init__(self, feed: Feed) -> None:
        """Serve this feed."""
        self._feed = feed

    async def WatchTables(  # type: ignore[override]  # answers are written, as bytes
        self, request: pb.WatchTablesRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> None:
        """Tell of tables for as long as the caller listens."""
        with self._feed.subscribe(read_wish(request)) as subscriber:
            # By itself: with a first message that is not taken it would stand in the way of the status of the call.
            await context.send_initial_metadata(())
            await subscriber.run(context.write)

    async def GetOdds(self, request: pb.GetOddsRequest, context: object) -> pb.GetOddsResponse:
        """The newest image of a table."""
        own = Own(previous=0, historical=False, reason=pb.SNAPSHOT_REASON_NEW)
        return pb.GetOddsResponse(image=self._feed.newest(request.table).image(own, self._feed.now()))


def read_wish(request: pb.WatchTablesRequest) -> Wish:
    """What a request asks for.

    Raises:
        InvalidWatch: A length of time, or more tables than one call may name.
    """
    for field, given, most in (
        ("tables", len(request.tables), _MOST_TABLES),
        ("resume.sequences", len(request.resume.sequences), _MOST_SEQUENCES),
    ):
        if given > most:
            raise InvalidWatch(field, f"{given} entries", f"at most {most}")
    heartbeat = request.heartbeat_interval if request.HasField("heartbeat_interval") else Duration(seconds=1)
    return Wish(
        tables=frozenset(request.tables),
        must_see_only=request.must_see_only,
        epoch=request.resume.epoch,
        sequences={each.table: each.sequence for each in request.resume.sequences},
        heartbeat=_seconds(heartbeat, "heartbeat_interval", 0.5, 5),
        delay=_seconds(request.publish_delay, "publish_delay", 0, 60),
    )


def _seconds(given: Duration, field: str, least: float, most: float) -> float:
    seconds = given.seconds + given.nanos / 1e9
    if not least <= seconds <= most:
        raise InvalidWatch(field, f"{seconds:g} s", f"{least:g} to {most:g} seconds")
    return seconds


def add_odds_service(servicer: OddsServicer, server: grpc.aio.Server) -> None:
    """Register a servicer as generated code does, but for images, which are bytes already when they are written."""
    service = pb.DESCRIPTOR.services_by_name["OddsService"].full_name
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "WatchTables": grpc.unary_stream_rpc_method_handler(
            servicer.WatchTables,
            request_deserializer=pb.WatchTablesRequest.FromString,
        ),
        "GetOdds": grpc.unary_unary_rpc_method_handler(
            servicer.GetOdds,
            request_deserializer=pb.GetOddsRequest.FromString,
            response_serializer=pb.GetOddsResponse.SerializeToString,
        ),
    }
    server.add_registered_method_handlers(service, handlers)
