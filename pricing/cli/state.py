"""The state of a coup that the caller asks about, as the command line gives it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pricing.cli.flags import encodable
from pricing.domain.cards import parse_cards
from pricing.domain.errors import InvalidCard
from pricing.domain.shoe import Shoe
from pricing.engine.quote import Quote, quote
from pricing.games import Catalogue, find_game


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a shoe and the cards dealt from it."""

    game: str
    dealt: tuple[str, ...]
    removed: tuple[str, ...] | None
    remaining: tuple[tuple[str, object], ...] | None
    """Cards and counts; a count that is no whole number is kept as text, for the error."""
    decks: int | None
    unseen: int

    def price(self, games: Catalogue) -> Quote:
        """Price it here.

        Raises:
            PricingError: A value that cannot be used.
        """
        game = find_game(games, self.game)
        decks = game.decks if self.decks is None else self.decks
        if self.remaining is None:
            shoe = Shoe.without(decks, parse_cards(self.removed or (), "removed"), self.unseen)
        else:
            # What is no whole number is refused there, with what is allowed.
            shoe = Shoe.of_listed(decks, self.remaining, self.unseen)  # type: ignore[arg-type]
        return quote(game, shoe, parse_cards(self.dealt, "dealt"))


def split_cards(texts: Sequence[str]) -> tuple[str, ...]:
    """Cards between spaces or commas.

    >>> split_cards(["AS KD", "9H,9H"])
    ('AS', 'KD', '9H', '9H')
    """
    return tuple(card for text in texts for card in re.split(r"[\s,]+", encodable(text)) if card)


def split_counts(texts: Sequence[str]) -> tuple[tuple[str, object], ...]:
    """Cards with counts.

    >>> split_counts(["AS:3 KD:1"])
    (('AS', 3), ('KD', 1))
    >>> split_counts(["AS"])
    Traceback (most recent call last):
    pricing.domain.errors.InvalidCard: remaining[0]: got 'AS'; allowed: a card and its count, as in "AS:3"
    """
    return tuple(_card_and_count(text, place) for place, text in enumerate(split_cards(texts)))


def _card_and_count(text: str, place: int) -> tuple[str, object]:
    card, colon, count = text.partition(":")
    if not (card and colon and count):
        raise InvalidCard(f"remaining[{place}]", text, 'a card and its count, as in "AS:3"')
    return card, int(count) if re.fullmatch(r"-?[0-9]{1,18}", count) else count
