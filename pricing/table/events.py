"""What can happen to a table, one frozen value a kind. Times are microseconds since 1970 UTC, cards are indexes."""

from dataclasses import dataclass
from enum import StrEnum, unique

from pricing.domain.coup import Side
from pricing.domain.policy import Policy


@unique
class VoidReason(StrEnum):
    """Why a game is void (rules 4, cancelling)."""

    SCAN_ERROR = "SCAN_ERROR"
    MISDEAL = "MISDEAL"
    DEALING_ORDER = "DEALING_ORDER"
    DAMAGED_CARD = "DAMAGED_CARD"
    BAD_SHUFFLE = "BAD_SHUFFLE"
    SHOE_UNTRUSTED = "SHOE_UNTRUSTED"
    TECHNICAL_FAILURE = "TECHNICAL_FAILURE"
    OTHER = "OTHER"


@unique
class CancelReason(StrEnum):
    """Why bets of a round are cancelled."""

    LATE_BETS = "LATE_BETS"
    INCORRECT_ODDS = "INCORRECT_ODDS"
    TECHNICAL_FAILURE = "TECHNICAL_FAILURE"
    OTHER = "OTHER"


@unique
class NoticeKind(StrEnum):
    """What the dealer or the studio tells that moves no price."""

    BREAK = "BREAK"
    SHUFFLE = "SHUFFLE"
    DEALER_CHANGE = "DEALER_CHANGE"
    MAINTENANCE = "MAINTENANCE"


@unique
class HoldOwner(StrEnum):
    """Whose hold it is: each side lifts its own."""

    STUDIO = "STUDIO"
    TRADER = "TRADER"
    SYSTEM = "SYSTEM"


@dataclass(frozen=True, slots=True)
class TableCreated:
    """A table comes into being."""

    game_type: str
    game_hash: str
    """Of the game type's text."""
    test: bool
    windows_ms: tuple[int, ...]
    """How long each betting round stays open; 0 where only an event closes it."""


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is no more."""


@dataclass(frozen=True, slots=True)
class ShoeLoaded:
    """A fresh shoe, between games."""

    game_hash: str
    """Of the game type's text that is in force for this shoe."""
    decks: int


@dataclass(frozen=True, slots=True)
class GameOpened:
    """A game is announced; round 1 opens."""


@dataclass(frozen=True, slots=True)
class BettingClosed:
    """The open betting round closes."""

    round: int | None
    """Its number, checked if given."""


@dataclass(frozen=True, slots=True)
class WindowEnded:
    """The clock closes a betting round."""

    game: str
    round: int


@dataclass(frozen=True, slots=True)
class CardDealt:
    """The next card of the coup is scanned."""

    card: int
    side: Side | None
    """The side it went to, checked against the rules if given."""


@dataclass(frozen=True, slots=True)
class CardBurned:
    """A card leaves the shoe for the discards."""

    card: int | None
    """None when the scanner could not read it."""


@dataclass(frozen=True, slots=True)
class BurnIdentified:
    """An unread burned card is keyed in, or declared gone but unknown."""

    card: int | None


@dataclass(frozen=True, slots=True)
class EarlyCardResolved:
    """What became of a card that was scanned while betting was open."""

    was_dealt: bool
    """True when it was dealt, False when it was burned, as is the rule."""


@dataclass(frozen=True, slots=True)
class CutCardSeen:
    """The cut card appears."""


@dataclass(frozen=True, slots=True)
class ScanCorrected:
    """The last card was another one."""

    card: int


@dataclass(frozen=True, slots=True)
class ResultAnnounced:
    """The dealer announces the result."""

    winner: str
    """player, banker or tie."""
    player_total: int | None
    banker_total: int | None


@dataclass(frozen=True, slots=True)
class GamesVoided:
    """Games are void: every bet on them is returned at 1.00."""

    games: tuple[str, ...]
    """Their references; empty means the running or last game."""
    reason: VoidReason


@dataclass(frozen=True, slots=True)
class GameResettled:
    """A game that ended had other cards than were scanned."""

    game: str
    dealt: bytes


@dataclass(frozen=True, slots=True)
class BetsCancelled:
    """Bets of a round are cancelled: all, one bet, those of a span of time."""

    game: str
    round: int
    bet: str | None
    from_time: int | None
    to_time: int | None
    reason: CancelReason


@dataclass(frozen=True, slots=True)
class CompositionCorrected:
    """After a void, what is really left in the shoe."""

    remaining: bytes
    """Counts of the 52 cards."""
    unseen_removed: int


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    """Betting waits until the same side lifts its hold."""

    owner: HoldOwner
    reason: str
    bet: str | None = None
    """None for every bet."""
    everywhere: bool = False
    """Whether it was for all tables that there were."""


@dataclass(frozen=True, slots=True)
class HoldLifted:
    """A side's hold is over."""

    owner: HoldOwner
    reason: str
    bet: str | None = None
    """Of a hold on one bet."""
    everywhere: bool = False
    """Whether it was for all tables that there were."""


@dataclass(frozen=True, slots=True)
class PolicyChanged:
    """From now on a table's prices and limits go by another policy."""

    policy: Policy
    comment: str
    """Why, in the trader's words."""
    everywhere: bool = False
    """Whether it was for all tables that there were."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The studio has looked at the table and goes on: system holds that wait for it are over."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell that moves no price."""

    notice: NoticeKind
    text: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """The service starts again and has rebuilt the table."""


Event = (
    TableCreated
    | TableClosed
    | ShoeLoaded
    | GameOpened
    | BettingClosed
    | WindowEnded
    | CardDealt
    | CardBurned
    | BurnIdentified
    | EarlyCardResolved
    | CutCardSeen
    | ScanCorrected
    | ResultAnnounced
    | GamesVoided
    | GameResettled
    | BetsCancelled
    | CompositionCorrected
    | HoldPlaced
    | HoldLifted
    | PolicyChanged
    | Resumed
    | Notice
    | Restarted
)
"""Any event."""
