"""Historical shoes as values.

Cards are indexes as in ``pricing.domain.cards`` whatever is known of them: where only ranks are, the club of that rank
stands for it, where only points are, the lowest club that counts as much (the ten for 0), so that totals and drawing
rules hold as they are. A card that nobody could read is ``UNREAD``.
"""

from dataclasses import dataclass
from enum import IntEnum, unique
from typing import Final, NamedTuple

UNREAD: Final = 255
"""In place of a card's index: it has left the shoe, but nobody knows what it was."""


@unique
class Precision(IntEnum):
    """What is known of the cards; a greater number is less."""

    CARDS = 1
    RANKS = 2
    POINTS = 3


class Coup(NamedTuple):
    """A game of a shoe."""

    number: int
    places: tuple[int, ...]
    """Where its cards are among the shoe's, in dealing order."""
    void: bool = False
    usable: bool = True
    """False where something is wrong with it: neither priced nor scored, though its cards have left the shoe."""


@dataclass(frozen=True, slots=True)
class ShoeRecord:
    """A shoe as it was dealt."""

    shoe: str
    """Its id, as the source has it."""
    decks: int
    precision: Precision
    cards: bytes
    """All cards that left it, in that order; those of no coup were burned."""
    coups: tuple[Coup, ...]
    source: str = ""
    """The file it was read from."""

    def dealt(self, coup: Coup) -> bytes:
        """The cards of one of its coups, in dealing order.

        >>> shoe = ShoeRecord("1", 6, Precision.CARDS, bytes([7, 0, 4, 8, 12]), (Coup(1, (1, 2, 3, 4)),))
        >>> list(shoe.dealt(shoe.coups[0]))
        [0, 4, 8, 12]
        """
        return bytes(self.cards[place] for place in coup.places)
