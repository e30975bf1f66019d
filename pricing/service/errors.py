"""The faults that calls fail with, beside the errors of the domain, of the table and of the journal."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from pricing.domain.errors import PricingError
from pricing.table.state import Refusal


class Fault(Exception):
    """A call that fails for another reason than the values in its request."""

    reason: ClassVar[str]


class MalformedMessage(Fault):
    """Bytes that are not the message of the method."""

    reason = "MALFORMED_MESSAGE"


class Unauthenticated(Fault):
    """Nobody who is known."""

    reason = "UNAUTHENTICATED"


class RoleTooLow(Fault):
    """Somebody who may not call this."""

    reason = "ROLE_TOO_LOW"


class Overloaded(Fault):
    """More calls of a method at one time than are admitted."""

    reason = "OVERLOADED"
    retry_after: ClassVar[float] = 0.1
    """Seconds; clients add their own jitter."""


class SlowReader(Fault):
    """A stream whose reader does not take what is written."""

    reason = "SLOW_READER"


class SlowConsumer(Fault):
    """A subscriber who does not keep up."""

    reason = "SLOW_CONSUMER"

    def __init__(self, why: str, metadata: Mapping[str, str] = MappingProxyType({})) -> None:
        """Keep where they may go on from."""
        super().__init__(why)
        self.metadata = metadata


class EtagMismatch(Fault):
    """Somebody else has changed what was to be changed."""

    reason = "ETAG_MISMATCH"

    def __init__(self, why: str, metadata: Mapping[str, str] = MappingProxyType({})) -> None:
        """Keep what the etag is now."""
        super().__init__(why)
        self.metadata = metadata


class PolicyEdge(PricingError):
    """A policy by which a bettor would gain."""

    reason = "POLICY_EDGE"
    metadata: Mapping[str, str] = MappingProxyType({})
    """The opening, the bet, the round and what it returns."""


class Draining(Fault):
    """The server is about to stop."""

    reason = "DRAINING"


class UnknownTable(PricingError):
    """No table of that name."""

    reason = "UNKNOWN_TABLE"


class UnknownGame(PricingError):
    """No game of that reference."""

    reason = "UNKNOWN_GAME"


class UnknownShoe(PricingError):
    """No shoe of that number."""

    reason = "UNKNOWN_SHOE"


class UnknownSequence(PricingError):
    """No image of that sequence."""

    reason = "UNKNOWN_SEQUENCE"


class NothingOffered(Fault):
    """The table offered nothing then."""

    reason = "NOTHING_OFFERED"


class TableExists(Fault):
    """A table of that name was made before, by another event."""

    reason = "TABLE_EXISTS"


class EventIdReused(Fault):
    """Another event of this table has that id."""

    reason = "EVENT_ID_REUSED"


class Forbidden(Fault):
    """The rules of the table forbid what was asked by somebody who is not the studio; nothing was written down."""

    def __init__(self, refusal: Refusal) -> None:
        """Keep why."""
        super().__init__(refusal.message)
        self.reason = refusal.reason  # type: ignore[misc]  # each has its own
