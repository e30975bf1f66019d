"""How a card is written, a table of texts for each notation."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import permutations
from types import MappingProxyType
from typing import Final, NamedTuple

from pricing.domain.cards import POINTS, RANKS, SUITS
from pricing.domain.errors import PricingError
from pricing.replay.shoes import UNREAD, Precision


class UnknownFormat(PricingError):
    """Data whose notation is not known, or whose cards cannot be priced."""

    reason = "UNKNOWN_FORMAT"


class Notation(NamedTuple):
    """One way to write cards."""

    name: str
    precision: Precision
    cards: Mapping[str, int]
    """The index, or what stands for it, of each text."""

    def read(self, text: str) -> int | None:
        """The card of a text, ``UNREAD`` for one that nobody could read; None where it is no card."""
        return UNREAD if text in _UNREAD_TEXTS else self.cards.get(text)


_UNREAD_TEXTS: Final = ("?", "??", "null")
_NAMES: Final = [["10"] if rank == "T" else [rank] for rank in RANKS]
_ENOUGH: Final = 0.8
"""The share of a sample's cards that a notation must know to be the one; the rest may be faults."""


def _suited(form: str, ranks: Iterable[Iterable[str]], suits: str = SUITS) -> Mapping[str, int]:
    return {
        form.format(rank=text, suit=letter): rank * 4 + suit
        for rank, texts in enumerate(ranks)
        for text in texts
        for suit, letter in enumerate(suits)
    }


def _numbers(first: int, decks: int, order: str) -> Mapping[str, int]:
    """Suit × 13 + rank, one deck after the other."""
    return {str(first + number): number % 13 * 4 + SUITS.index(order[number // 13 % 4]) for number in range(decks * 52)}


_LETTERS: Final = [["T", "10"] if rank == "T" else [rank] for rank in RANKS]
_RANKS: Final = {text: rank * 4 for rank, texts in enumerate(_LETTERS) for text in texts}

RECOGNISED: Final = (
    Notation("evolution", Precision.CARDS, _suited("{rank}{suit}", _LETTERS)),
    Notation("bbin", Precision.CARDS, _suited("{suit}.{rank}", [[str(value)] for value in range(1, 14)])),
    Notation("playtech", Precision.CARDS, _suited("{suit}{rank}", _NAMES)),
    Notation("vegas-lounge", Precision.CARDS, _suited("{suit}_{rank}", _NAMES)),
    Notation(
        "lower-case",
        Precision.CARDS,
        _suited("{rank}{suit}", [[text.lower() for text in texts] for texts in _LETTERS], SUITS.lower()),
    ),
    Notation("ranks", Precision.RANKS, _RANKS),
)
"""The notations that cannot be taken for another; no text of one is one of another."""

_NUMBERED: Final = (
    Notation("ranks-1-13", Precision.RANKS, {str(value): (value - 1) * 4 for value in range(1, 14)}),
    Notation("points", Precision.POINTS, {str(value): POINTS.index(value) for value in range(10)}),
    *(
        Notation(f"{span}-{''.join(order)}", Precision.CARDS, _numbers(first, decks, "".join(order)))
        for span, first, decks in (("0-51", 0, 1), ("1-52", 1, 1), ("0-415", 0, 8))
        for order in permutations(SUITS)
    ),
)
"""The notations by numbers, which only their user can tell apart; the suits in the order of the numbers."""

NOTATIONS: Final = MappingProxyType({each.name: each for each in (*RECOGNISED, *_NUMBERED)})
"""Every notation by name."""

_ALLOWED: Final = (
    f"one of {', '.join(each.name for each in RECOGNISED)}, ranks-1-13, points, 0-51-CDHS, 1-52-CDHS or 0-415-CDHS, "
    "the last three with the suits in your order"
)
_OUTCOMES: Final = re.compile(r"[BPT012]")


def find_notation(name: str) -> Notation:
    """The notation of that name.

    Raises:
        UnknownFormat: None has it.
    """
    if name not in NOTATIONS:
        raise UnknownFormat("format", name, _ALLOWED)
    return NOTATIONS[name]


def recognise(texts: Iterable[str], source: str) -> Notation:
    """The notation in which a sample of cards is written.

    >>> recognise(["C.7", "H.11"], "a file").name
    'bbin'

    Raises:
        UnknownFormat: None that can be told, or no cards at all.
    """
    counts = Counter(text for text in texts if text not in _UNREAD_TEXTS)
    if not counts:
        raise UnknownFormat(source, "no cards", "games with their cards: outcomes alone cannot be priced")
    for notation in RECOGNISED:
        known = sum(count for text, count in counts.items() if text in notation.cards)
        if known >= _ENOUGH * counts.total():
            return notation
    if all(_OUTCOMES.fullmatch(text) for text in counts):
        raise UnknownFormat(source, "outcomes only", "games with their cards: outcomes alone cannot be priced")
    sample = " ".join([*counts][:8])
    raise UnknownFormat(source, f"cards written as {sample}", f"a notation that is named: {_ALLOWED}")
