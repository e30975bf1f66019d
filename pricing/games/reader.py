"""The one reader of game type files (TOML). What it does not know it refuses, by file and key."""

import hashlib
import tomllib
from decimal import Decimal
from fractions import Fraction
from itertools import chain

from pricing.domain.bets import Bet, Row
from pricing.domain.cells import CELLS, Ending, Opening
from pricing.domain.drawing import STANDARD
from pricing.domain.errors import InvalidGameType, PricingError
from pricing.domain.game import GameType, Round, ShoeChange
from pricing.domain.ladder import Ladder, Step
from pricing.domain.ladders import LADDERS
from pricing.games.terms import read_book, read_drawing, read_limit
from pricing.games.toml_table import Table

MAX_TEXT = 100_000
"""Most characters of a file, so that none takes long to read."""
_MAX_LINE = 2_000

_ENDING_KEYS = (*Ending._fields, "winner", "cards")
_KEYS: dict[str, type[Ending | Opening]] = {
    **dict.fromkeys(_ENDING_KEYS, Ending),
    **dict.fromkeys(Opening._fields, Opening),
}
"""What a condition may ask, and of which kind of cell."""

_VALUES = {key: {getattr(cell, key) for cell in CELLS if isinstance(cell, kind)} for key, kind in _KEYS.items()}


def read_game_type(text: str, source: str) -> GameType:
    """Read a game type from the text of a TOML file.

    Args:
        text: The file's text.
        source: Its name, for errors.

    Raises:
        InvalidGameType: What is wrong, by file and key.
    """
    if len(text) > MAX_TEXT or max(map(len, text.split("\n"))) > _MAX_LINE:
        allowed = f"at most {MAX_TEXT} characters, and {_MAX_LINE} in a line"
        raise InvalidGameType(source, f"{len(text)} characters", allowed)
    try:
        digest = hashlib.sha256(text.encode()).hexdigest()
        values = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise InvalidGameType(source, str(error), "a TOML file") from None
    try:
        return _game_type(Table(values, ""), text, digest[:12])
    except PricingError as error:
        raise InvalidGameType(f"{source}: {error.field}", error.given, error.allowed) from None


def _game_type(table: Table, text: str, digest: str) -> GameType:
    name = table.id("name")
    game = GameType(
        name=name,
        display_name=table.text("display_name"),
        rules_version=table.text("rules_version"),
        decks=table.take("decks", int),
        rounds=table.tables("rounds", _round),
        shoe_change=_shoe_change(Table(table.take("shoe_change", dict), "shoe_change")),
        ladder=_ladder(table),
        bets=table.tables("bets", _bet),
        books=table.tables("books", read_book) if "books" in table else (),
        limits=table.tables("limits", read_limit) if "limits" in table else (),
        max_return=table.decimal("max_return") if "max_return" in table else Decimal(1),
        drawing=read_drawing(Table(table.take("drawing", dict), "drawing")) if "drawing" in table else STANDARD,
        policy_version=f"{name}@{digest}",
        text=text,
    )
    table.end()
    return game


def _round(table: Table) -> Round:
    found = Round(table.take("cards", int), table.take("window_ms", int, 0))
    table.end()
    return found


def _shoe_change(table: Table) -> ShoeChange:
    change = ShoeChange(table.take("below", int), table.take("games_after", int, 0))
    table.end()
    return change


def _ladder(table: Table) -> Ladder:
    if not isinstance(table.get("ladder"), str):
        return Ladder(table.tables("ladder", _step))
    name = table.id("ladder")
    if name not in LADDERS:
        raise InvalidGameType(table.at("ladder"), name, f"{', '.join(LADDERS)}, or a list of steps")
    return LADDERS[name]


def _step(table: Table) -> Step:
    step = Step(table.decimal("from"), table.decimal("step"), table.decimal("to"))
    table.end()
    return step


def _bet(table: Table) -> Bet:
    bet = Bet(
        id=table.id("id"),
        name=table.text("name"),
        rule=table.text("rule"),
        margin=Fraction(table.decimal("margin")) if "margin" in table else None,
        rows=table.tables("rows", _row),
    )
    table.end()
    return bet


def _row(table: Table) -> Row:
    name = table.id("name")
    cells = frozenset(chain.from_iterable(table.tables("cells", _cells)))
    pays = table.decimal("pays") if "pays" in table else None
    table.end()
    return Row(name, cells, pays)


def _cells(table: Table) -> frozenset[int]:
    """The cells that meet every part of one condition."""
    asked = {key: _values(table, key, value) for key, value in table.rest().items()}
    kinds = {_KEYS[key] for key in asked}
    if len(kinds) != 1:
        allowed = f"some of {', '.join(_ENDING_KEYS)}, or some of {', '.join(Opening._fields)}"
        raise InvalidGameType(table.field, sorted(asked), allowed)
    return frozenset(
        number
        for number, cell in enumerate(CELLS)
        if type(cell) in kinds and all(getattr(cell, key) in allowed for key, allowed in asked.items())
    )


def _values(table: Table, key: str, value: object) -> frozenset[object]:
    if key not in _KEYS:
        raise InvalidGameType(table.at(key), "an unknown key", f"one of {', '.join(_KEYS)}")
    values = value if isinstance(value, list) else [value]
    for each in values:
        if not any(each == known and type(each) is type(known) for known in _VALUES[key]):
            raise InvalidGameType(table.at(key), each, f"one or a list of {sorted(_VALUES[key])}")
    return frozenset(values)
