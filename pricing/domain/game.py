"""A game type: one kind of table, with everything that may differ from another kind."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from pricing.domain.bets import Bet, Result
from pricing.domain.books import Book, Margin, MarginModel, check_books
from pricing.domain.cards import CARDS
from pricing.domain.cells import possible_cells
from pricing.domain.coup import FULL_COUP
from pricing.domain.drawing import STANDARD, DrawingRules
from pricing.domain.errors import InvalidGameType
from pricing.domain.ladder import Ladder
from pricing.domain.numbers import whole
from pricing.domain.policy import PolicyRule, check_scope
from pricing.domain.shoe import DECKS

_GAMES_AFTER = range(100)


@dataclass(frozen=True, slots=True)
class ShoeChange:
    """When a shoe is retired."""

    below: int
    """The game in which fewer than this many cards remain is the last but ``games_after``."""
    games_after: int = 0


WINDOWS_MS: Final = range(3_600_001)
"""How long a betting round may stay open, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Round:
    """A betting round."""

    cards: int
    """Cards on the table while it is open."""
    window_ms: int = 0
    """How long it stays open, in milliseconds; 0 where only an event closes it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GameType:
    """Everything a table of one kind goes by. Compared by identity: two readings of one file are two game types."""

    name: str
    display_name: str
    rules_version: str
    decks: int
    rounds: tuple[Round, ...]
    shoe_change: ShoeChange
    bets: tuple[Bet, ...]
    ladder: Ladder
    policy_version: str
    """Names the margins and payouts in force, by the text they were read from."""
    text: str
    """The file this was read from, whole."""
    drawing: DrawingRules = STANDARD
    books: tuple[Book, ...] = ()
    """The books; in place of those that are not given, one of its own for each bet that has a margin."""
    limits: tuple[PolicyRule, ...] = ()
    """What may be staked unless a policy says otherwise."""
    max_return: Decimal = Decimal(1)
    """Most that a unit staked on a priced bet may return on average."""
    possible_cells: frozenset[int] = field(init=False, repr=False)
    """The cells in which some coup ends."""

    def __post_init__(self) -> None:
        """Check what the parts cannot check alone."""
        whole(self.decks, DECKS, "decks", InvalidGameType)
        whole(self.shoe_change.below, range(self.decks * len(CARDS) + 1), "shoe_change.below", InvalidGameType)
        whole(self.shoe_change.games_after, _GAMES_AFTER, "shoe_change.games_after", InvalidGameType)
        cards = [each.cards for each in self.rounds]
        if not cards or cards != sorted(set(cards)) or not 0 <= cards[0] <= cards[-1] < FULL_COUP:
            raise InvalidGameType("rounds", cards, f"one or more, ascending numbers of cards, 0 to {FULL_COUP - 1}")
        for number, each in enumerate(self.rounds):
            whole(each.window_ms, WINDOWS_MS, f"rounds[{number}].window_ms", InvalidGameType)
        ids = [bet.id for bet in self.bets]
        if not ids or len(set(ids)) < len(ids):
            raise InvalidGameType("bets", ids, "one or more, each id once")
        object.__setattr__(self, "possible_cells", possible_cells(self.drawing))
        for bet in self.bets:
            for row in bet.rows:
                if row.cells.isdisjoint(self.possible_cells):
                    where = f"bets.{bet.id}.rows.{row.name}.cells"
                    raise InvalidGameType(where, "what no coup meets", "conditions that some coup meets")
        alone = tuple(
            Book(bet.id, (bet.id,), Margin(MarginModel.TARGET_RETURN, bet.margin))
            for bet in self.bets
            if bet.margin is not None
        )
        object.__setattr__(self, "books", (*self.books, *alone))
        check_books(self.books, self.bets, len(self.rounds), self.possible_cells)
        if not 0 < self.max_return <= 1:
            raise InvalidGameType("max_return", str(self.max_return), "above 0, at most 1")
        for place, rule in enumerate(self.limits):
            check_scope(rule, ids, len(self.rounds), f"limits[{place}]", InvalidGameType)

    def __repr__(self) -> str:
        """Its name and version: all else is long."""
        return f"<GameType {self.policy_version}>"

    def book_of(self, bet: str) -> Book | None:
        """The book of a bet; None where its payouts are fixed."""
        return next((book for book in self.books if bet in book.bets), None)

    def betting_round(self, cards: int) -> int:
        """The number of the round that is open with so many cards on the table, from 1; 0 when there is none."""
        return next((number for number, each in enumerate(self.rounds, 1) if each.cards == cards), 0)

    def results(self, cells: frozenset[int]) -> tuple[Result, ...]:
        """How each bet ends, in catalogue order, when the coup can end in these cells only."""
        return tuple(bet.result(cells) for bet in self.bets)
