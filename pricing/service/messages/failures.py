"""What a caller is told of an error: one table from its kind to the status, and the details that go with it."""

import logging
from collections.abc import Mapping
from typing import Final, NamedTuple

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RequestInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from pricing.domain.errors import PricingError
from pricing.service.errors import (
    Draining,
    EtagMismatch,
    EventIdReused,
    Fault,
    Forbidden,
    MalformedMessage,
    NothingOffered,
    Overloaded,
    RoleTooLow,
    SlowConsumer,
    SlowReader,
    TableExists,
    Unauthenticated,
    UnknownGame,
    UnknownSequence,
    UnknownShoe,
    UnknownTable,
)
from pricing.store.journal import JournalDamaged, JournalUnavailable
from pricing.table.decide import CardStateChanged

_logger = logging.getLogger(__name__)
_DOMAIN: Final = "pricing.baccarat"

_CODES: Mapping[type[Exception], grpc.StatusCode] = {
    PricingError: grpc.StatusCode.INVALID_ARGUMENT,
    UnknownTable: grpc.StatusCode.NOT_FOUND,
    UnknownGame: grpc.StatusCode.NOT_FOUND,
    UnknownShoe: grpc.StatusCode.NOT_FOUND,
    UnknownSequence: grpc.StatusCode.NOT_FOUND,
    CardStateChanged: grpc.StatusCode.ABORTED,
    TableExists: grpc.StatusCode.ALREADY_EXISTS,
    EventIdReused: grpc.StatusCode.ALREADY_EXISTS,
    EtagMismatch: grpc.StatusCode.ABORTED,
    Forbidden: grpc.StatusCode.FAILED_PRECONDITION,
    NothingOffered: grpc.StatusCode.FAILED_PRECONDITION,
    JournalUnavailable: grpc.StatusCode.UNAVAILABLE,
    JournalDamaged: grpc.StatusCode.UNAVAILABLE,
    MalformedMessage: grpc.StatusCode.INVALID_ARGUMENT,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    RoleTooLow: grpc.StatusCode.PERMISSION_DENIED,
    Overloaded: grpc.StatusCode.RESOURCE_EXHAUSTED,
    SlowReader: grpc.StatusCode.RESOURCE_EXHAUSTED,
    SlowConsumer: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Draining: grpc.StatusCode.UNAVAILABLE,
}
"""The status of each kind of error; of any other INTERNAL."""


class Failure(NamedTuple):
    """What the caller is told."""

    code: grpc.StatusCode
    reason: str
    message: str
    violations: tuple[tuple[str, str], ...] = ()
    """Each wrong field, by its path in the request, and what is wrong with it."""
    retry_after: float | None = None
    """Seconds."""
    request_id: str | None = None
    metadata: Mapping[str, str] = {}
    """More for machines, beside the reason."""

    @property
    def number(self) -> int:
        """The canonical number of the code."""
        number: int = self.code.value[0]
        return number

    def status(self) -> grpc.Status:
        """The status with its details, fit to abort a call with."""
        details: list[Message] = [ErrorInfo(reason=self.reason, domain=_DOMAIN, metadata=self.metadata)]
        if self.violations:
            fields = [BadRequest.FieldViolation(field=field, description=text) for field, text in self.violations]
            details.append(BadRequest(field_violations=fields))
        if self.retry_after is not None:
            seconds, rest = divmod(round(self.retry_after * 1e9), 1_000_000_000)
            details.append(RetryInfo(retry_delay=Duration(seconds=seconds, nanos=rest)))
        if self.request_id is not None:
            details.append(RequestInfo(request_id=self.request_id))
        return rpc_status.to_status(Status(code=self.number, message=self.message, details=map(_packed, details)))


def failure(error: Exception, request_id: str) -> Failure:
    """What to tell the caller of an error; of one that nobody foresaw, only an id under which it is logged."""
    if isinstance(error, DecodeError):
        error = MalformedMessage("the bytes are not the request of this method, in protobuf's encoding and UTF-8")
    code = next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), grpc.StatusCode.INTERNAL)
    more = getattr(error, "metadata", {})
    if isinstance(error, PricingError):
        return Failure(code, error.reason, str(error), ((error.field, error.description),), metadata=more)
    if isinstance(error, Fault):
        return Failure(code, error.reason, str(error), retry_after=getattr(error, "retry_after", None), metadata=more)
    if isinstance(error, CardStateChanged):
        return Failure(code, "CARD_STATE_CHANGED", str(error), metadata={error.field: str(error.current)})
    if isinstance(error, JournalUnavailable):
        return Failure(code, "JOURNAL_UNAVAILABLE", "nothing can be written down at the moment", retry_after=1.0)
    if isinstance(error, JournalDamaged):
        return Failure(code, "JOURNAL_UNAVAILABLE", "nothing can be written down before the journal is repaired")
    _logger.error("internal error", exc_info=error, extra={"facts": {"request_id": request_id}})
    return Failure(code, "INTERNAL", f"internal error, logged as {request_id}", request_id=request_id)


def _packed(detail: Message) -> Any:
    packed = Any()
    packed.Pack(detail)
    return packed
