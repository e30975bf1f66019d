"""Bets as data: an id and rows, each a set of cells and what it pays."""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum, unique
from fractions import Fraction
from itertools import combinations

from pricing.domain.cells import ENDING_CELLS, OPENING_CELLS
from pricing.domain.errors import InvalidGameType

PUSH = Decimal(1)
"""The payout of a stake that comes back."""


@unique
class Result(IntEnum):
    """How a bet ends; the numbers are those of the public contract."""

    UNDECIDED = 1
    WON = 2
    LOST = 3
    PUSH = 4
    VOID = 5


@dataclass(frozen=True, slots=True)
class Row:
    """Some of the ways a coup can end, and what the bet pays then."""

    name: str
    """What wins it, such as "banker-wins-with-6"."""
    cells: frozenset[int]
    """Numbers of cells, all endings or all openings."""
    pays: Decimal | None
    """Decimal odds, 1 for a push; None where the odds are made from the chance."""

    @property
    def odds(self) -> str:
        """What it pays, with at least two places; empty where the odds are made from the chance."""
        return "" if self.pays is None else f"{self.pays:.{max(2, -int(self.pays.as_tuple().exponent))}f}"


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet of a game type; in cells of no row it loses."""

    id: str
    name: str
    rule: str
    """The rule by which it is settled, in words."""
    rows: tuple[Row, ...]
    margin: Fraction | None
    """What is kept of a fair price, 0 to below 1, where the bet is a book of its own; else None."""
    winning_rows: tuple[Row, ...] = field(init=False, repr=False)
    """The rows that pay more than the stake, or are priced."""
    won: frozenset[int] = field(init=False, repr=False)
    """The cells in which it is won."""
    pushed: frozenset[int] = field(init=False, repr=False)
    """The cells in which the stake comes back."""

    def __post_init__(self) -> None:
        """Check that the rows make a bet, and sort them."""
        self._check_rows()
        self._check_payouts()
        winning = tuple(row for row in self.rows if row.pays != PUSH)
        if not winning:
            raise InvalidGameType(
                f"bets.{self.id}.rows", "no winning row", "a row that is priced or pays more than 1.00"
            )
        object.__setattr__(self, "winning_rows", winning)
        object.__setattr__(self, "won", _cells(winning))
        object.__setattr__(self, "pushed", _cells(self.rows) - self.won)

    @property
    def priced(self) -> bool:
        """Whether the odds are made from its chance, and not fixed."""
        return any(row.pays is None for row in self.rows)

    def result(self, cells: frozenset[int]) -> Result:
        """How the bet ends when the coup can end in these cells only: undecided if they differ."""
        played = cells & (ENDING_CELLS if self.won <= ENDING_CELLS else OPENING_CELLS)
        if played <= self.won:
            return Result.WON
        if played <= self.pushed:
            return Result.PUSH
        return Result.LOST if played.isdisjoint(self.won) and played.isdisjoint(self.pushed) else Result.UNDECIDED

    def _check_rows(self) -> None:
        where = f"bets.{self.id}.rows"
        names = [row.name for row in self.rows]
        if not names or len(set(names)) < len(names):
            raise InvalidGameType(where, names, "one or more, each name once")
        cells = _cells(self.rows)
        if not (cells <= ENDING_CELLS or cells <= OPENING_CELLS):
            allowed = "conditions on totals and numbers of cards, or on pairs: the two are counted apart, not jointly"
            raise InvalidGameType(where, "conditions of both kinds", allowed)
        for first, second in combinations(self.rows, 2):
            if first.cells & second.cells:
                raise InvalidGameType(where, f"{first.name!r} and {second.name!r} overlap", "rows that share no cell")

    def _check_payouts(self) -> None:
        where = f"bets.{self.id}.rows"
        pays = [row.pays for row in self.rows]
        if any(each is not None and each < PUSH for each in pays):
            raise InvalidGameType(where, [str(each) for each in pays], "payouts of 1.00 or more")
        priced = pays.count(None)
        if priced and (priced > 1 or any(each is not None and each > PUSH for each in pays)):
            allowed = "one row without pays beside rows that pay 1.00, or pays in all"
            raise InvalidGameType(where, [str(each) for each in pays], allowed)
        if self.margin is not None and not priced:
            raise InvalidGameType(f"bets.{self.id}.margin", str(self.margin), "no margin where all rows have pays")
        if self.margin is not None and not 0 <= self.margin < 1:
            raise InvalidGameType(f"bets.{self.id}.margin", str(self.margin), "0 to below 1")


def _cells(rows: tuple[Row, ...]) -> frozenset[int]:
    """The cells of any of the rows."""
    return frozenset(cell for row in rows for cell in row.cells)
