"""TradingService: unpack, change, pack."""

from collections.abc import Iterable, Sequence

from pricing.baccarat.v1 import trading_service_pb2 as pb
from pricing.baccarat.v1.trading_service_pb2_grpc import TradingServiceServicer
from pricing.domain.errors import PricingError
from pricing.domain.policy_text import version
from pricing.service.calls.call import caller
from pricing.service.floor.floor import Floor
from pricing.service.floor.joint import JointChange
from pricing.service.floor.policies import Policies, PolicyUpdate
from pricing.service.floor.records import Receipt
from pricing.service.messages.policy_messages import etag_of, policy_message, read_policy, terms_messages
from pricing.service.messages.table_events import read_event_id, read_text
from pricing.table.events import HoldLifted, HoldOwner, HoldPlaced
from pricing.table.state import Report

_MOST_TABLES = 1_000


class InvalidChange(PricingError):
    """A change of tables that cannot be read."""

    reason = "INVALID_CHANGE"


class TradingServicer(TradingServiceServicer):
    """Takes down what traders decide."""

    def __init__(self, floor: Floor, policies: Policies) -> None:
        """Serve these tables."""
        self._floor = floor
        self._policies = policies

    async def GetPolicy(self, request: pb.GetPolicyRequest, context: object) -> pb.GetPolicyResponse:
        """The policy of a table, and what follows from it."""
        table = self._floor.table(request.table)
        return pb.GetPolicyResponse(
            table=table.name,
            policy=policy_message(table.policy),
            version=version(table.policy),
            etag=etag_of(table.policy),
            terms=terms_messages(table.game_type, table.policy),
        )

    async def UpdatePolicy(self, request: pb.UpdatePolicyRequest, context: object) -> pb.UpdatePolicyResponse:
        """Set the policy of tables."""
        names = _names((each.table for each in request.targets), request.all_tables, "targets")
        etags = {each.table: each.etag if each.HasField("etag") else None for each in request.targets}
        if not request.HasField("policy"):
            raise InvalidChange("policy", "none", "a policy; an empty one sets nothing")
        policy = read_policy(request.policy)
        update = PolicyUpdate(
            policy=policy,
            comment=read_text(request.comment, "comment", least=0, most=200),
            etags=None if names is None else etags,
            update_id=read_event_id(request.update_id, "update_id"),
            actor=caller().name,
            dry=request.validate_only,
        )
        receipts = map(_receipt_message, await self._policies.update(update))
        return pb.UpdatePolicyResponse(receipts=receipts, version=version(policy), etag=etag_of(policy))

    async def PlaceHold(self, request: pb.PlaceHoldRequest, context: object) -> pb.PlaceHoldResponse:
        """Hold tables, or a bet at them."""
        return pb.PlaceHoldResponse(receipts=await self._hold(request, HoldPlaced))

    async def LiftHold(self, request: pb.LiftHoldRequest, context: object) -> pb.LiftHoldResponse:
        """Lift a hold."""
        return pb.LiftHoldResponse(receipts=await self._hold(request, HoldLifted))

    async def _hold(
        self, request: pb.PlaceHoldRequest | pb.LiftHoldRequest, kind: type[HoldPlaced] | type[HoldLifted]
    ) -> list[pb.TradingReceipt]:
        names = _names(request.tables, request.all_tables, "tables")
        bet = read_text(request.bet, "bet", most=64) if request.HasField("bet") else None
        event = kind(HoldOwner.TRADER, read_text(request.reason, "reason", most=64), bet, everywhere=names is None)
        report = Report(read_event_id(request.update_id, "update_id"), event, caller().name)
        change = JointChange(report, names, check=lambda _table: None, skips=True)
        return [_receipt_message(each) for each in await self._floor.joint.change(change)]


def _names(given: Iterable[str], all_tables: bool, field: str) -> Sequence[str] | None:
    """Names of tables, each once; None for all.

    Raises:
        InvalidChange: None, some beside all, one twice, or too many.
    """
    names = list(given)
    if all_tables == bool(names):
        what = f"{len(names)} and all_tables {str(all_tables).lower()}"
        raise InvalidChange(field, what, "tables, or all_tables: one of the two")
    if len(names) > _MOST_TABLES or len(set(names)) < len(names):
        raise InvalidChange(field, f"{len(names)} tables", f"at most {_MOST_TABLES}, each once")
    return None if all_tables else names


def _receipt_message(receipt: Receipt) -> pb.TradingReceipt:
    return pb.TradingReceipt(table=receipt.table, position=receipt.position, duplicate=receipt.duplicate)
