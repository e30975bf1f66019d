"""What the fields that errors name are called on the command line, and checks that flags share."""

import math
import re
from typing import Final

import click

_FLAGS: Final = (
    (r"(?:shoe\.)?removed(?:\.cards)?\[(\d+)\]", "--removed, card {}"),
    (r"(?:shoe\.)?remaining(?:\.cards)?\[(\d+)\](?:\.card|\.count)?", "--remaining, entry {}"),
    (r"dealt\[(\d+)\]", "--dealt, card {}"),
    (r"(?:shoe\.)?removed(?:\.cards)?", "--removed"),
    (r"(?:shoe\.)?remaining(?:\.cards)?", "--remaining"),
    (r"dealt", "--dealt"),
    (r"(?:shoe\.)?decks", "--decks"),
    (r"(?:shoe\.)?unseen_removed", "--unseen"),
    (r"game|game_type", "--game"),
    (r"games", "--games"),
    (r"shoe", "the shoe"),
)
"""Paths as Python and as the server name them, and the flag; places count from 0 there, from 1 here."""


def describe(field: str, description: str) -> str:
    """An error's message with the flag in place of the field.

    >>> describe("dealt[1]", "got 'KX'; allowed: a card")
    "--dealt, card 2: got 'KX'; allowed: a card"
    >>> describe("shoe.removed.cards[3]", "got 'KX'; allowed: a card")
    "--removed, card 4: got 'KX'; allowed: a card"

    A setting of the server is called the same as a flag and in a file:

    >>> describe("tls_key", "got None; allowed: tls-cert and tls-key, or neither")
    'tls-key: got None; allowed: tls-cert and tls-key, or neither'
    """
    for pattern, flag in _FLAGS:
        if found := re.fullmatch(pattern, field):
            return f"{flag.format(*(int(place) + 1 for place in found.groups()))}: {description}"
    return f"{field.replace('_', '-') if field.isidentifier() else field}: {description}"


def finite(_context: click.Context, option: click.Parameter, value: float) -> float:
    """A callback that refuses what is a number by name only."""
    if not math.isfinite(value):
        raise click.UsageError(f"--{option.name}: got {value}; allowed: a finite number")
    return value


def encodable(text: str) -> str:
    """The text with a question mark, as Unicode has it, for each byte of it that was no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
