"""Holds: independent reasons to offer nothing, each lifted by its own side."""

from enum import StrEnum, unique
from typing import NamedTuple

from pricing.table.events import HoldOwner


@unique
class HoldReason(StrEnum):
    """Why the system holds a table."""

    EARLY_CARD = "EARLY_CARD"
    UNREAD_CARD = "UNREAD_CARD"
    SHOE_UNTRUSTED = "SHOE_UNTRUSTED"
    RESULT_MISMATCH = "RESULT_MISMATCH"
    SOURCE_GAP = "SOURCE_GAP"
    REFUSED_EVENT = "REFUSED_EVENT"
    RESTART = "RESTART"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    """The service has failed at an event of the studio."""


class Hold(NamedTuple):
    """A reason for which the table offers nothing."""

    owner: HoldOwner
    reason: str
    since: int


Holds = tuple[Hold, ...]

STUDIO_MAY_RESUME = (
    HoldReason.SOURCE_GAP,
    HoldReason.REFUSED_EVENT,
    HoldReason.RESTART,
    HoldReason.INTERNAL_ERROR,
)
"""System holds that are over when the studio says that it has looked. The others end with their cause."""


def place(holds: Holds, reason: str, since: int, owner: HoldOwner = HoldOwner.SYSTEM) -> Holds:
    """The holds with one more; one that is there already stays as it is."""
    return holds if has(holds, reason, owner) else (*holds, Hold(owner, str(reason), since))


def lift(holds: Holds, *reasons: str, owner: HoldOwner = HoldOwner.SYSTEM) -> Holds:
    """The holds without these of one side."""
    return tuple(hold for hold in holds if hold.owner != owner or hold.reason not in reasons)


def has(holds: Holds, reason: str, owner: HoldOwner = HoldOwner.SYSTEM) -> bool:
    """Whether one side holds the table for this reason."""
    return any(hold.owner == owner and hold.reason == reason for hold in holds)
