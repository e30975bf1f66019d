"""The terms on which each bet is offered in a betting round: the game type's, and what a policy sets over it."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from pricing.domain.bets import Bet, Row
from pricing.domain.books import Margin
from pricing.domain.game import GameType
from pricing.domain.limits import Limit
from pricing.domain.policy import Policy, terms_of
from pricing.domain.policy_text import version
from pricing.engine.odds import FixedPayouts, MadeOdds

Offering: TypeAlias = MadeOdds | FixedPayouts


class BetTerms(NamedTuple):
    """One bet's terms in a round."""

    bet: str
    tiers: tuple[Row, ...]
    """The winning rows, if there are several."""
    offering: Offering | None
    """What makes the offer; None where the bet is closed."""
    book: str | None
    """The book whose margin it has; None where payouts are fixed."""
    margin: Margin | None
    """The book's margin as the policy shifts it."""
    max_return: Fraction
    """Most that a unit staked may return on average, if the odds are made from the chance."""
    limits: Mapping[str, Limit]
    """What may be staked, by currency; none where nothing is set."""


class RoundTerms(NamedTuple):
    """The terms of all bets in a round."""

    policy_version: str
    """Names the game type's text, and the policy where one is set."""
    bets: tuple[BetTerms, ...]
    """In catalogue order."""


@lru_cache(maxsize=4096)
def round_terms(game: GameType, policy: Policy, number: int) -> RoundTerms:
    """The terms of a betting round, from 1; those of the first for a state of a coup that is in none.

    >>> from pricing.domain.policy import STANDING
    >>> from pricing.games import load_games
    >>> terms = round_terms(load_games()["bet-on-baccarat"], STANDING, 2)
    >>> [str(each.margin.model) for each in terms.bets][:3]
    ['odds-ratio', 'odds-ratio', 'target-return']
    """
    own = version(policy)
    name = f"{game.policy_version}+{own}" if own else game.policy_version
    return RoundTerms(name, tuple(_bet_terms(game, policy, max(number, 1), bet) for bet in game.bets))


def bet_terms(game: GameType, policy: Policy, number: int, bet: str) -> BetTerms:
    """The terms of one bet, which the game type has."""
    return next(terms for terms in round_terms(game, policy, number).bets if terms.bet == bet)


def _bet_terms(game: GameType, policy: Policy, number: int, bet: Bet) -> BetTerms:
    shift, closed, limits = terms_of(chain(game.limits, policy.rules), number, bet.id)
    tiers = bet.winning_rows if len(bet.winning_rows) > 1 else ()
    cap = Fraction(game.max_return if policy.max_return is None else min(policy.max_return, game.max_return))
    book = game.book_of(bet.id)
    if book is None:
        return BetTerms(bet.id, tiers, None if closed else FixedPayouts(bet.winning_rows), None, None, cap, limits)
    model, margin = book.in_round(number)
    shifted = Margin(model, margin + Fraction(shift))
    offering = None if closed else MadeOdds(shifted, game.ladder, cap)
    return BetTerms(bet.id, tiers, offering, book.id, shifted, cap, limits)
