"""Everything that can be wrong with what a caller gives, one class a kind."""

import reprlib
from typing import ClassVar


class PricingError(ValueError):
    """A value that cannot be used: which field, what was given and what is allowed.

    >>> print(PricingError("decks", 13, "1 to 12"))
    decks: got 13; allowed: 1 to 12

    Attributes:
        reason: Machine-readable kind, UPPER_SNAKE_CASE; stable, fit to branch on.
        field: Path of the wrong field, such as ``removed[3]``.
        given: What was given.
        allowed: What would have been accepted, in words.
    """

    reason: ClassVar[str] = "INVALID_REQUEST"

    def __init__(self, field: str, given: object, allowed: str) -> None:
        """Keep the three facts and make the message of them."""
        self.field = field
        self.given = given
        self.allowed = allowed
        super().__init__(field, given, allowed)

    @property
    def description(self) -> str:
        """The message without the field."""
        return f"got {_short(self.given)}; allowed: {self.allowed}"

    def __str__(self) -> str:
        """Field, what was given and what is allowed, in one line."""
        return f"{self.field}: {self.description}"


class UnknownGameType(PricingError):
    """No game type of that name is configured."""

    reason = "UNKNOWN_GAME_TYPE"


class UnknownBet(PricingError):
    """The game type has no bet of that id."""

    reason = "UNKNOWN_BET"


class InvalidCard(PricingError):
    """A text or number that is no card."""

    reason = "INVALID_CARD"


class InvalidShoe(PricingError):
    """A shoe that cannot be: decks out of range, a card gone more often than the decks hold it, counts out of range."""

    reason = "INVALID_SHOE"


class InvalidCoup(PricingError):
    """Dealt cards that no coup has, such as a card after a natural."""

    reason = "INVALID_COUP"


class NotEnoughCards(PricingError):
    """Too few cards can still be dealt for the coup to be certain to end."""

    reason = "NOT_ENOUGH_CARDS"


class TooManyEntries(PricingError):
    """A list longer than is looked at."""

    reason = "TOO_MANY_ENTRIES"


class InvalidGameType(PricingError):
    """A game type file that cannot be used."""

    reason = "INVALID_GAME_TYPE"


class InvalidLimit(PricingError):
    """Bounds of stakes that cannot be used."""

    reason = "INVALID_LIMIT"


class InvalidPolicy(PricingError):
    """A policy that cannot be used."""

    reason = "INVALID_POLICY"


_LONGEST = 80


class _Repr(reprlib.Repr):
    """Short texts of values, also of those whose own text is too long to be made."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = _LONGEST

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write numbers of more than 4,300 digits.
        return super().repr_int(x, level) if x.bit_length() < 1_000 else "a number of more than 300 digits"


_repr = _Repr()


def _short(value: object) -> str:
    """What was given, in one line and never too long; whatever it is, to show it does not fail."""
    try:
        text = _repr.repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 20]}...{line[-17:]}"
