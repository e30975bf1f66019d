"""What the two-way books of a quote come to once their odds are rounded."""

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from pricing.domain.books import Margin
from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.engine.quote import Quote
from pricing.engine.terms import round_terms


class BookQuote(NamedTuple):
    """One book in one state of a coup."""

    book: str
    bets: tuple[str, ...]
    margin: Margin
    """That of its first bet: a policy can shift those of a book apart."""
    overround: Decimal | None
    """By how much the chances quoted for its bets sum to more than 1, to nine decimals; None where one of them is not
    on offer, and for a bet that stands alone."""


_PLACES = Decimal("1e-9")


def book_quotes(game: GameType, quote: Quote, policy: Policy = STANDING) -> tuple[BookQuote, ...]:
    """The books behind a quote.

    >>> from pricing.domain.shoe import Shoe
    >>> from pricing.engine.quote import quote
    >>> from pricing.games import load_games
    >>> game = load_games()["bet-on-baccarat"]
    >>> [(each.book, str(each.overround)) for each in book_quotes(game, quote(game, Shoe.without(6), b""))][:2]
    [('player-banker', '0.028447547'), ('small-big', '0.055854714')]
    """
    offered = {bet.bet: bet.odds for bet in quote.bets}
    margins = {terms.bet: terms.margin for terms in round_terms(game, policy, quote.betting_round).bets}
    found = []
    for book in game.books:
        odds = tuple(offered[bet] for bet in book.bets)
        margin = margins[book.bets[0]] or book.margin
        found.append(BookQuote(book.id, book.bets, margin, _overround(odds)))
    return tuple(found)


@lru_cache(maxsize=10_000)
def _overround(odds: tuple[str | None, ...]) -> Decimal | None:
    """Kept, as every image of a game tells it of all rounds, and the exact sum costs more than a quote."""
    made = [each for each in odds if each]
    if len(odds) == 1 or len(made) < len(odds):
        return None
    exact = sum((1 / Fraction(each) for each in made), Fraction(-1))
    return (Decimal(exact.numerator) / exact.denominator).quantize(_PLACES)
