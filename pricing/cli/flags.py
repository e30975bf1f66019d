"""What the fields that errors name are called on the command line, and flags and checks that commands share."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])

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
    (r"shoe_number", "--shoe"),
)
"""Paths as Python and as the server name them, and the flag; places count from 0 there, from 1 here."""


SHOES: Final = click.IntRange(1, 2**31 - 1)
"""Numbers of shoes, as the contract has them."""

game_option: Final = click.option(
    "--game", default="bet-on-baccarat", show_default=True, metavar="NAME", help="The game type."
)
games_option: Final = click.option(
    "--games",
    type=click.Path(path_type=Path),
    envvar="BACCARAT_PRICING_GAMES",
    show_envvar=True,
    metavar="DIR",
    help="A folder with your own game types, *.toml.",
)


def speed_option(help: str) -> Callable[[_Command], _Command]:
    """The flag --speed, at which nothing is waited for where it is 0."""
    return click.option(
        "--speed",
        type=click.FloatRange(0),
        callback=finite,
        default=1.0,
        show_default=True,
        metavar="X",
        help=help,
    )


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
