"""Cards as numbers: index = rank * 4 + suit, ranks A 2 ... K, suits C D H S. Several are ``bytes`` of indexes."""

from collections.abc import Sequence

from pricing.domain.errors import InvalidCard, TooManyEntries
from pricing.domain.numbers import wholes

RANKS = "A23456789TJQK"
SUITS = "CDHS"
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The text of each card, by index."""
POINTS = tuple(index // 4 + 1 if index // 4 < 9 else 0 for index in range(52))
"""What each card counts: ace 1, two to nine their value, ten and faces 0."""

MAX_ENTRIES = 1_000
"""Longest list of cards that is looked at; twelve decks are 624."""

_INDEX = {text: index for index, text in enumerate(CARDS)}


def parse_card(text: object, field: str) -> int:
    """Turn a card's text into its index.

    >>> parse_card("KS", "card")
    51

    Raises:
        InvalidCard: A text that is no card.
    """
    index = _INDEX.get(text) if isinstance(text, str) else None
    if index is None:
        raise InvalidCard(field, text, f'a rank of {RANKS}, then a suit of {SUITS}, as in "AS"')
    return index


def parse_cards(texts: Sequence[str], field: str) -> bytes:
    """Turn card texts into indexes.

    >>> list(parse_cards(["AC", "KS"], "dealt"))
    [0, 51]
    >>> parse_cards(["AC", "XX"], "dealt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pricing.domain.errors.InvalidCard: dealt[1]: got 'XX'; allowed: a rank of A23456789TJQK, then a suit of CDHS...

    Raises:
        TooManyEntries: More than 1,000 texts.
        InvalidCard: A text that is no card.
    """
    check_entries(len(texts), field)
    try:
        return bytes(map(_INDEX.__getitem__, texts))
    except (KeyError, TypeError):  # now one by one, to name the wrong one
        return bytes(parse_card(text, f"{field}[{place}]") for place, text in enumerate(texts))


def parse_indexes(indexes: Sequence[object], field: str) -> bytes:
    """Check card indexes.

    >>> list(parse_indexes([0, 51], "dealt"))
    [0, 51]
    >>> parse_indexes([52], "dealt")
    Traceback (most recent call last):
    pricing.domain.errors.InvalidCard: dealt[0]: got 52; allowed: a whole number, 0 to 51

    Raises:
        TooManyEntries: More than 1,000 indexes.
        InvalidCard: A value that is no index.
    """
    check_entries(len(indexes), field)
    return wholes(indexes, len(CARDS) - 1, field, InvalidCard)


def check_entries(count: int, field: str) -> None:
    """Refuse a list that is too long to be looked at."""
    if count > MAX_ENTRIES:
        raise TooManyEntries(field, f"{count} entries", f"at most {MAX_ENTRIES}")
