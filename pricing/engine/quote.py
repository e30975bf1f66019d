"""A quote: everything that is known and offered in one state of a coup."""

from collections.abc import Iterator, Sequence
from enum import IntEnum, unique
from typing import NamedTuple

from pricing.domain.bets import Result
from pricing.domain.coup import Side
from pricing.domain.errors import UnknownBet
from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.domain.shoe import Shoe
from pricing.engine.chances import way_counter
from pricing.engine.situation import situation
from pricing.engine.terms import BetTerms, round_terms


@unique
class OfferState(IntEnum):
    """Whether a bet may be shown and backed; the numbers are those of the public contract."""

    ACTIVE = 1
    SUSPENDED = 2
    INACTIVE = 3
    SETTLED = 4
    CANCELLED = 5


class Tier(NamedTuple):
    """One payout of a bet that has several."""

    name: str
    ways: int
    odds: str


class BetQuote(NamedTuple):
    """One bet's exact chance and what is offered for it."""

    bet: str
    state: OfferState
    result: Result
    """Set as soon as the cards on the table decide it whatever the shoe holds."""
    win_ways: int
    push_ways: int
    win_probability: float
    push_probability: float
    fair_odds: float | None
    """Decimal odds at which the bet is fair; None without a winning way and for bets with several payouts."""
    odds: str | None
    """Decimal odds on offer; None when not on offer."""
    return_to_player: float | None
    """What one unit staked returns on average at what is on offer; None when nothing is."""
    tiers: tuple[Tier, ...]
    """Each payout and its ways, for bets with several; empty for all others."""


class Quote(NamedTuple):
    """One state of a coup, priced."""

    game: str
    policy_version: str
    betting_round: int
    """The betting round of this state of the coup, from 1; 0 when there is none."""
    total_ways: int
    """The denominator of all ways."""
    bets: tuple[BetQuote, ...]
    """Every bet of the game type, in catalogue order."""
    next_card: Side | None
    """Who gets the next card; None once the coup is complete."""
    player_total: int
    banker_total: int
    cards_remaining: int
    """Cards that can still be dealt from the shoe."""

    def bet(self, bet: str) -> BetQuote:
        """The quote of one bet, by id.

        Raises:
            UnknownBet: The game type has no such bet.
        """
        for each in self.bets:
            if each.bet == bet:
                return each
        raise UnknownBet("bet", bet, f"one of {', '.join(each.bet for each in self.bets)}")


def quote(game: GameType, shoe: Shoe, dealt: bytes, policy: Policy = STANDING) -> Quote:
    """Price one state of a coup.

    Args:
        game: The game type.
        shoe: What is known of the shoe.
        dealt: The coup's cards in dealing order, by index.
        policy: What is set over the game type.

    Raises:
        InvalidCoup: More cards than the coup takes.
        InvalidShoe: A card gone or dealt more often than the decks hold it, or more unseen removals than cards.
        NotEnoughCards: Too few cards for the coup to be certain to end.
    """
    seen = situation(game, dealt)
    remaining = shoe.remaining(dealt)
    drawable = shoe.drawable(remaining, seen.coup)
    total, ways, tier_ways = way_counter(game).count(remaining, dealt)
    closed = OfferState.SETTLED if seen.coup.complete else OfferState.INACTIVE
    state = _State(total, seen.betting_round > 0, closed, iter(tier_ways.tolist()))
    terms = round_terms(game, policy, seen.betting_round)
    bets = [
        _bet_quote(each, state, result, win, push)
        for each, result, (win, push) in zip(terms.bets, seen.results, ways.tolist(), strict=True)
    ]
    return Quote(
        game.name,
        terms.policy_version,
        seen.betting_round,
        total,
        tuple(bets),
        seen.coup.next_side,
        seen.player_total,
        seen.banker_total,
        drawable,
    )


class _State(NamedTuple):
    """What a state of a coup has for all its bets."""

    total: int
    betting: bool
    closed: OfferState
    """The state of a bet that is not on offer."""
    tier_ways: Iterator[int]
    """Ways of the tiers, taken off bet by bet."""


def _bet_quote(terms: BetTerms, state: _State, result: Result, win: int, push: int) -> BetQuote:
    total, betting, offered, tier_ways = state
    offering = terms.offering
    at_stake = total - push
    tiers: tuple[Tier, ...] = ()
    ways: Sequence[int] = (win,)
    if terms.tiers:
        tiers = tuple([Tier(row.name, next(tier_ways), row.odds) for row in terms.tiers])
        ways = [tier.ways for tier in tiers]
    odds = returned = None
    # Where all or none of the ways in which the stake does not come back win, there is nothing to bet on.
    if offering and betting and 0 < win < at_stake and (offer := offering.offer(ways, push, total)):
        offered = OfferState.ACTIVE
        odds, returned = offer
    fair_odds = at_stake / win if win and not tiers else None
    # Half the price of calling the class, nine times a quote.
    return tuple.__new__(
        BetQuote,
        (terms.bet, offered, result, win, push, win / total, push / total, fair_odds, odds, returned, tiers),
    )
