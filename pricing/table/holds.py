"""Holds: independent reasons to offer nothing, or not a bet, each lifted by its own side."""

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
    PRICE_ERROR = "PRICE_ERROR"
    """A price has changed with neither a card, a burn nor a policy behind it."""
    POLICY_DROPPED = "POLICY_DROPPED"
    """The traders' policy does not fit the game type of the shoe that was loaded."""


class Hold(NamedTuple):
    """A reason for which the table offers nothing, or not one of its bets."""

    owner: HoldOwner
    reason: str
    since: int
    bet: str | None = None
    """None for every bet."""


Holds = tuple[Hold, ...]

STUDIO_MAY_RESUME = (
    HoldReason.SOURCE_GAP,
    HoldReason.REFUSED_EVENT,
    HoldReason.RESTART,
    HoldReason.INTERNAL_ERROR,
    HoldReason.PRICE_ERROR,
)
"""System holds that are over when the studio says that it has looked. The others end with their cause."""


def place(holds: Holds, reason: str, since: int, owner: HoldOwner = HoldOwner.SYSTEM, bet: str | None = None) -> Holds:
    """The holds with one more; one that is there already stays as it is."""
    return holds if has(holds, reason, owner, bet) else (*holds, Hold(owner, str(reason), since, bet))


def lift(holds: Holds, *reasons: str, owner: HoldOwner = HoldOwner.SYSTEM, bet: str | None = None) -> Holds:
    """The holds without these of one side on the table, or on a bet."""
    return tuple(hold for hold in holds if (hold.owner, hold.bet) != (owner, bet) or hold.reason not in reasons)


def has(holds: Holds, reason: str, owner: HoldOwner = HoldOwner.SYSTEM, bet: str | None = None) -> bool:
    """Whether one side holds the table, or a bet, for this reason."""
    return any((hold.owner, hold.reason, hold.bet) == (owner, reason, bet) for hold in holds)
