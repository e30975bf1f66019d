"""Whether what is offered ever gives a bettor the edge, in the openings of a fresh shoe."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from pricing.domain.cards import CARDS
from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.domain.shoe import Shoe
from pricing.engine.odds import FixedPayouts
from pricing.engine.quote import OfferState, quote
from pricing.engine.terms import round_terms


class Edge(NamedTuple):
    """A bet that is worth more than its stake."""

    dealt: bytes
    """The cards on the table, from a fresh shoe."""
    round: int
    bet: str
    gain: Fraction
    """What one unit staked wins on average."""

    def __str__(self) -> str:
        """The opening, the bet and what it wins, in one line."""
        opening = " ".join(CARDS[card] for card in self.dealt) or "no card"
        return f"{self.bet} in round {self.round} after {opening} wins {float(self.gain):.4%} of its stake on average"


def find_edge(game: GameType, policy: Policy = STANDING) -> Edge | None:
    """The bet and the opening in which a bettor has the greatest edge; None where the house has it everywhere.

    Openings are those of a fresh shoe with no card, one card or two on the table. Odds that are made from chances never
    return more than the cap on them, so that only fixed payouts can be too high.
    """
    return max(_edges(game, policy), key=lambda edge: edge.gain, default=None)


def _edges(game: GameType, policy: Policy) -> Iterator[Edge]:
    shoe = Shoe.without(game.decks)
    for number, each in enumerate(game.rounds, 1):
        fixed = [
            (place, terms.offering)
            for place, terms in enumerate(round_terms(game, policy, number).bets)
            if isinstance(terms.offering, FixedPayouts)
        ]
        if not fixed or each.cards > 2:
            continue
        for dealt in _openings(game.decks, each.cards):
            found = quote(game, shoe, dealt, policy)
            for place, offering in fixed:
                bet = found.bets[place]
                ways = [tier.ways for tier in bet.tiers] or [bet.win_ways]
                gain = offering.gain(ways, bet.push_ways, found.total_ways)
                if gain > 0 and bet.state is OfferState.ACTIVE:
                    yield Edge(dealt, number, bet.bet, gain)


def _openings(decks: int, cards: int) -> Iterator[bytes]:
    """All that can be dealt; two of one card take two decks."""
    for dealt in product(range(len(CARDS)), repeat=cards):
        if decks > 1 or len(set(dealt)) == cards:
            yield bytes(dealt)
