"""What is known of the cards in the shoe."""

from collections.abc import Sequence
from dataclasses import dataclass

from pricing.domain.cards import CARDS, check_entries, parse_card
from pricing.domain.coup import FULL_COUP, Coup
from pricing.domain.errors import InvalidShoe, NotEnoughCards
from pricing.domain.numbers import whole, wholes

MAX_DECKS = 12
"""Up to here the 64-bit counts of the kernel are exact: 624 * 623 * ... * 619 is 5.8e16."""
DECKS = range(1, MAX_DECKS + 1)
_UNSEEN = range(MAX_DECKS * len(CARDS) + 1)


@dataclass(frozen=True, slots=True)
class Shoe:
    """A shoe, with or without the cards dealt in the coup to be priced.

    >>> from pricing.domain.cards import parse_cards
    >>> shoe = Shoe.without(6, parse_cards(["AS", "KD"], "removed"))
    >>> sum(shoe.remaining(parse_cards(["9S"], "dealt")))
    309
    """

    decks: int
    counts: bytes
    """How many of each of the 52 cards, by index."""
    holds_dealt: bool
    """Whether the counts still hold the cards dealt in the coup to be priced."""
    unseen_removed: int = 0
    """Cards that left without being seen: as likely as any other, so no chance moves; only fewer can be dealt."""

    @classmethod
    def without(cls, decks: int, removed: bytes = b"", unseen_removed: int = 0) -> "Shoe":
        """A shoe of so many decks that these cards have left, face up.

        Raises:
            InvalidShoe: Decks or unseen removals out of range, a card gone more often than the decks hold it.
        """
        decks, unseen_removed = _check(decks, unseen_removed)
        counts = [decks] * len(CARDS)
        for card in removed:
            counts[card] -= 1
        if (fewest := min(counts)) < 0:
            card = counts.index(fewest)
            place = [place for place, other in enumerate(removed) if other == card][decks]
            raise InvalidShoe(f"removed[{place}]", CARDS[card], f"each card at most {decks} times, once for each deck")
        return cls(decks, bytes(counts), True, unseen_removed)

    @classmethod
    def of_remaining(cls, decks: int, counts: Sequence[object], unseen_removed: int = 0) -> "Shoe":
        """A shoe with these counts of the 52 cards, the coup's dealt cards not among them.

        Raises:
            InvalidShoe: Decks or unseen removals out of range, a count below 0 or above the decks.
        """
        decks, unseen_removed = _check(decks, unseen_removed)
        if len(counts) != len(CARDS):
            raise InvalidShoe("remaining", f"{len(counts)} counts", f"{len(CARDS)} counts")
        return cls(decks, wholes(counts, decks, "remaining", InvalidShoe), False, unseen_removed)

    @classmethod
    def of_listed(cls, decks: int, listed: Sequence[tuple[str, int]], unseen_removed: int = 0) -> "Shoe":
        """A shoe with these cards and counts, all others absent, the coup's dealt cards not among them.

        Raises:
            TooManyEntries: More than 1,000 cards and counts.
            InvalidCard: A text that is no card.
            InvalidShoe: A card listed twice, or as in ``of_remaining``.
        """
        decks, unseen_removed = _check(decks, unseen_removed)
        check_entries(len(listed), "remaining")
        counts: dict[int, int] = {}
        for place, (text, count) in enumerate(listed):
            card = parse_card(text, f"remaining[{place}].card")
            if card in counts:
                raise InvalidShoe(f"remaining[{place}].card", text, "each card once")
            counts[card] = whole(count, range(decks + 1), f"remaining[{place}].count", InvalidShoe)
        return cls(decks, bytes(counts.get(card, 0) for card in range(len(CARDS))), False, unseen_removed)

    def remaining(self, dealt: bytes) -> bytes:
        """The counts once these cards are on the table.

        Raises:
            InvalidShoe: A card gone or dealt more often than the decks hold it.
        """
        for place, card in enumerate(dealt):
            dealable = self.counts[card] if self.holds_dealt else self.decks - self.counts[card]
            if dealt[:place].count(card) >= dealable:
                raise InvalidShoe(f"dealt[{place}]", CARDS[card], f"a card of which {self.decks} decks still hold one")
        if not self.holds_dealt:
            return self.counts
        counts = bytearray(self.counts)
        for card in dealt:
            counts[card] -= 1
        return bytes(counts)

    def drawable(self, remaining: bytes, coup: Coup) -> int:
        """How many cards can still be dealt from these counts, checked to be enough for the coup to end.

        Raises:
            InvalidShoe: More cards gone unseen than there are.
            NotEnoughCards: Fewer than six less the dealt ones, in a coup that is not complete.
        """
        cards = sum(remaining)
        if self.unseen_removed > cards:
            raise InvalidShoe("unseen_removed", self.unseen_removed, f"at most the {cards} cards not seen")
        left = cards - self.unseen_removed
        needed = 0 if coup.complete else FULL_COUP - len(coup.dealt)
        if left < needed:
            allowed = f"at least {needed} that can be dealt, as the coup is not complete with {len(coup.dealt)} cards"
            raise NotEnoughCards("shoe", f"{left} cards", allowed)
        return left


def _check(decks: object, unseen_removed: object) -> tuple[int, int]:
    """Decks and unseen removals, in range."""
    return whole(decks, DECKS, "decks", InvalidShoe), whole(unseen_removed, _UNSEEN, "unseen_removed", InvalidShoe)
