"""Calls of TradingService."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from pricing.baccarat.v1 import trading_service_pb2 as pb
from pricing.baccarat.v1.trading_service_pb2 import GetPolicyResponse, Policy, TradingReceipt, UpdatePolicyResponse
from pricing.baccarat.v1.trading_service_pb2_grpc import TradingServiceStub
from pricing.client.calls import Access, Metadata, failing, open_channel

if TYPE_CHECKING:
    from pricing.baccarat.v1.trading_service_pb2_grpc import TradingServiceAsyncStub

__all__ = [
    "GetPolicyResponse",
    "HeldBy",
    "Policy",
    "TradingClient",
    "TradingReceipt",
    "UpdatePolicyResponse",
    "trading_connected",
]


class HeldBy(NamedTuple):
    """A hold of the traders."""

    tables: Sequence[str]
    """Names; none for all tables."""
    reason: str
    bet: str | None = None
    """None for every bet."""


class TradingClient:
    """Calls one server. Made by ``trading_connected``.

    Every call raises CallFailed where an error is answered, or nothing in time.
    """

    def __init__(self, stub: "TradingServiceAsyncStub", metadata: Metadata, timeout: float) -> None:
        """Call through a stub that somebody else opens and closes."""
        self._stub = stub
        self._metadata = metadata
        self._timeout = timeout

    async def policy(self, table: str) -> GetPolicyResponse:
        """The policy of a table, its etag, and what follows from it."""
        request = pb.GetPolicyRequest(table=table)
        with failing():
            return await self._stub.GetPolicy(request, timeout=self._timeout, metadata=self._metadata)

    async def update(
        self,
        policy: Policy,
        etags: Mapping[str, str | None] | None,
        *,
        update_id: str,
        comment: str = "",
        validate_only: bool = False,
    ) -> UpdatePolicyResponse:
        """Set a policy at several tables, or at none.

        Args:
            policy: In place of the one they have.
            etags: By table, the etag that it must still have if that matters; None for all tables.
            update_id: Makes the call idempotent.
            comment: Why.
            validate_only: Whether only to see that it can be done.
        """
        request = pb.UpdatePolicyRequest(
            targets=[pb.PolicyTarget(table=table, etag=etag) for table, etag in (etags or {}).items()],
            all_tables=etags is None,
            policy=policy,
            validate_only=validate_only,
            comment=comment,
            update_id=update_id,
        )
        with failing():
            return await self._stub.UpdatePolicy(request, timeout=self._timeout, metadata=self._metadata)

    async def place(self, hold: HeldBy, *, update_id: str) -> Sequence[TradingReceipt]:
        """Hold tables, or a bet at them."""
        request = pb.PlaceHoldRequest(
            tables=hold.tables, all_tables=not hold.tables, bet=hold.bet, reason=hold.reason, update_id=update_id
        )
        with failing():
            return (await self._stub.PlaceHold(request, timeout=self._timeout, metadata=self._metadata)).receipts

    async def lift(self, hold: HeldBy, *, update_id: str) -> Sequence[TradingReceipt]:
        """Lift a hold as it was placed."""
        request = pb.LiftHoldRequest(
            tables=hold.tables, all_tables=not hold.tables, bet=hold.bet, reason=hold.reason, update_id=update_id
        )
        with failing():
            return (await self._stub.LiftHold(request, timeout=self._timeout, metadata=self._metadata)).receipts


@asynccontextmanager
async def trading_connected(access: Access, *, timeout: float) -> AsyncIterator[TradingClient]:
    """Open a connection for as long as the block lasts; every call on it may take so many seconds.

    Raises:
        OSError: A certificate or key that cannot be read.
    """
    async with open_channel(access) as channel:
        yield TradingClient(TradingServiceStub(channel), access.metadata, timeout)
