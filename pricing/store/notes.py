"""What is noted beside a row, in the same commit, to be found again without reading the table's rows before it.

Notes follow from the rows and can be made from them anew; the chain of hashes does not go through them.
"""

from typing import Final, NamedTuple


class GameNote(NamedTuple):
    """A game as it stands after an event; takes the place of the one before."""

    table: str
    number: int
    shoe: int
    open_time: int
    """Microseconds since 1970 UTC."""
    state: str
    ending: int | None
    """Number of the cell that the game ended in; None while no result stands."""
    opening: int | None
    """Number of the cell of its pairs, likewise."""
    game_hash: str
    """Of the game type's text."""
    packed: bytes
    """The game itself, for whoever packed it."""


class OfferNote(NamedTuple):
    """What was offered after an event."""

    table: str
    position: int
    number: int
    """Of the game."""
    round: int
    offer: str


class Notes(NamedTuple):
    """All that is noted beside one row."""

    games: tuple[GameNote, ...] = ()
    offers: tuple[OfferNote, ...] = ()


NOTHING: Final = Notes()


class Wanted(NamedTuple):
    """Which games are asked for; None where any will do."""

    table: str | None = None
    shoe: int | None = None
    from_time: int | None = None
    """Opened then or later."""
    to_time: int | None = None
    """Opened before then."""
    state: str | None = None


class Place(NamedTuple):
    """A game's place in the list of all, newest first."""

    open_time: int
    table: str
    number: int


def sql_of(wanted: Wanted, after: Place | None) -> tuple[str, list[str | int]]:
    """The condition of a query for games, and what its question marks stand for."""
    asked: list[tuple[str, str | int | None]] = [
        ("table_name = ?", wanted.table),
        ("shoe = ?", wanted.shoe),
        ("open_time >= ?", wanted.from_time),
        ("open_time < ?", wanted.to_time),
        ("state = ?", wanted.state),
    ]
    given = [(condition, value) for condition, value in asked if value is not None]
    conditions, values = [condition for condition, _ in given], [value for _, value in given]
    if after:
        conditions.append("(open_time, table_name, number) < (?, ?, ?)")
        values.extend(after)
    return " AND ".join(conditions) or "true", values
