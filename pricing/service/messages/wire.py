"""Lists of cards, read off protobuf's own encoding.

A shoe is most of a request, and a text for each of its cards, made and looked up, would cost more than the kernel and
the odds together. As bytes they are all read at once.
"""

from typing import Final

from pricing.baccarat.v1.types_pb2 import RemovedCards
from pricing.domain.cards import RANKS, SUITS, check_entries, parse_cards

_NONE: Final = 255
_ENTRY: Final = b"\x0a\x02"
"""What stands before each card: field 1, two bytes."""


def _table(characters: str, step: int) -> bytes:
    """For each byte what it adds to a card's index, _NONE for those that no card has."""
    table = bytearray([_NONE]) * 256
    for place, character in enumerate(characters):
        table[ord(character)] = place * step
    return bytes(table)


_RANKS: Final = _table(RANKS, len(SUITS))
_SUITS: Final = _table(SUITS, 1)


def read_cards(message: RemovedCards, field: str) -> bytes:
    """The indexes of the cards in a message.

    >>> list(read_cards(RemovedCards(cards=["AC", "KS"]), "removed"))
    [0, 51]

    Raises:
        TooManyEntries: More than 1,000 cards.
        InvalidCard: A text that is no card.
    """
    count = len(message.cards)
    check_entries(count, field)
    data = message.SerializeToString()
    # Entries of two bytes each, nothing else: if the first is one, the second starts where it should, and so on.
    if len(data) == 4 * count and data[::4] == _ENTRY[:1] * count and data[1::4] == _ENTRY[1:] * count:
        ranks, suits = data[2::4].translate(_RANKS), data[3::4].translate(_SUITS)
        if _NONE not in ranks and _NONE not in suits:
            # Byte by byte: no sum is above 51, so none carries over into the next.
            return (int.from_bytes(ranks) + int.from_bytes(suits)).to_bytes(count)
    return parse_cards(message.cards, field)  # which says what is wrong, if anything is
