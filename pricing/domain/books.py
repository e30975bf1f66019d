"""Books: the bets whose odds are made together, by which model and with what margin."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum, unique
from fractions import Fraction
from typing import NamedTuple

from pricing.domain.bets import Bet
from pricing.domain.cells import ENDING_CELLS, OPENING_CELLS
from pricing.domain.errors import InvalidGameType


@unique
class MarginModel(StrEnum):
    """How a margin is laid on fair chances; pricing.engine.margins has the formulas."""

    TARGET_RETURN = "target-return"
    ODDS_RATIO = "odds-ratio"
    POWER = "power"
    PROPORTIONAL = "proportional"
    ADDITIVE = "additive"
    SHIN = "shin"


MODELS_BY_SIZE = {
    1: (MarginModel.TARGET_RETURN,),
    2: tuple(model for model in MarginModel if model is not MarginModel.TARGET_RETURN),
}
"""The models that a book of so many bets may have, the usual one first."""


class Margin(NamedTuple):
    """A model and its margin."""

    model: MarginModel
    margin: Fraction
    """0 to below 1. Of a bet that stands alone, what is kept of a fair price; of a two-way book, its overround: the
    quoted chances sum to 1 and this."""


@dataclass(frozen=True, slots=True)
class Book:
    """One bet that stands alone, or two of which exactly one wins where the stake does not come back."""

    id: str
    bets: tuple[str, ...]
    margin: Margin
    rounds: tuple[tuple[int, Margin], ...] = ()
    """Rounds, from 1, that have a margin of their own."""

    def __post_init__(self) -> None:
        """Check that each margin is one for a book of this size."""
        where = f"books.{self.id}"
        if len(self.bets) not in MODELS_BY_SIZE or len(set(self.bets)) < len(self.bets):
            raise InvalidGameType(f"{where}.bets", list(self.bets), "one bet or two")
        allowed = MODELS_BY_SIZE[len(self.bets)]
        numbers = [number for number, _ in self.rounds]
        if len(set(numbers)) < len(numbers):
            raise InvalidGameType(f"{where}.rounds", numbers, "each round once")
        for model, margin in (self.margin, *(own for _, own in self.rounds)):
            if model not in allowed:
                raise InvalidGameType(f"{where}.model", str(model), f"for this book: {', '.join(allowed)}")
            if not 0 <= margin < 1:
                raise InvalidGameType(f"{where}.margin", str(margin), "0 to below 1")

    def in_round(self, number: int) -> Margin:
        """The margin in a betting round, from 1."""
        return dict(self.rounds).get(number, self.margin)


def check_books(books: Sequence[Book], bets: Sequence[Bet], rounds: int, possible: Set[int]) -> None:
    """Check that each priced bet is in one book, and that the two of a book share what can happen.

    Args:
        books: All books of a game type.
        bets: All its bets.
        rounds: How many betting rounds it has.
        possible: The cells in which some coup ends.

    Raises:
        InvalidGameType: What is wrong, by key.
    """
    by_id = {bet.id: bet for bet in bets}
    ids = [book.id for book in books]
    if len(set(ids)) < len(ids):
        raise InvalidGameType("books", ids, "each id once, and none that is a bet with a margin of its own")
    for book in books:
        for place, bet in enumerate(book.bets):
            if bet not in by_id or not by_id[bet].priced:
                priced = ", ".join(each.id for each in bets if each.priced)
                raise InvalidGameType(f"books.{book.id}.bets[{place}]", bet, f"a bet without fixed payouts: {priced}")
        for number, _ in book.rounds:
            if not 1 <= number <= rounds:
                raise InvalidGameType(f"books.{book.id}.rounds", number, f"a betting round, 1 to {rounds}")
        if len(book.bets) > 1:
            _check_two_way(book, by_id[book.bets[0]], by_id[book.bets[1]], possible)
    for bet_id, each in by_id.items():
        found = [book.id for book in books if bet_id in book.bets]
        if len(found) != each.priced:
            allowed = "a margin, or one book that names it" if each.priced else "no book, as its payouts are fixed"
            raise InvalidGameType(f"bets.{bet_id}.margin", f"books {found}" if found else "nothing", allowed)


def _check_two_way(book: Book, one: Bet, other: Bet, possible: Set[int]) -> None:
    kind = possible & (ENDING_CELLS if one.won <= ENDING_CELLS else OPENING_CELLS)
    won = (one.won & possible, other.won & possible, one.pushed & possible)
    if one.pushed & possible != other.pushed & possible or sum(map(len, won)) != len(kind) or set().union(*won) != kind:
        allowed = (
            "two bets of which one wins just where the other loses, and that give the stake back in the same cells"
        )
        raise InvalidGameType(f"books.{book.id}.bets", list(book.bets), allowed)
