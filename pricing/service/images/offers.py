"""What a table offers after an event, as it is noted beside the journal's row: what everybody was told, in numbers."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from pricing.domain.bets import Result
from pricing.domain.errors import UnknownBet
from pricing.domain.policy import STANDING
from pricing.domain.policy_text import to_text
from pricing.engine.quote import BetQuote, OfferState
from pricing.service.images.offered import round_quote
from pricing.table.state import Table

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


class OfferedBet(NamedTuple):
    """A bet as it was offered."""

    bet: str
    state: OfferState
    result: Result
    win_ways: int
    push_ways: int
    odds: str | None
    tier_ways: Sequence[int]


class Offer(NamedTuple):
    """A betting round as it was offered, and the cards that its prices were made from."""

    policy_version: str
    policy: str
    """The policy's text; empty where none was set."""
    total_ways: int
    decks: int
    remaining: bytes
    """Counts of the 52 cards not yet seen, by index."""
    unseen_removed: int
    """Cards among them that left without being seen."""
    dealt: bytes
    """Cards on the table, in dealing order."""
    bets: tuple[OfferedBet, ...]
    """In catalogue order."""

    def bet(self, bet: str) -> OfferedBet:
        """One bet, by id.

        Raises:
            UnknownBet: There was none.
        """
        for each in self.bets:
            if each.bet == bet:
                return each
        raise UnknownBet("bet", bet, f"one of {', '.join(each.bet for each in self.bets)}")


def offer_of(table: Table) -> Offer | None:
    """What a table offers as it stands; None where that is nothing."""
    offering, game = table.offering, table.game
    if offering is None or game is None or offering.shoe is None:
        return None
    quote = round_quote(table, game, offering, held=False)
    if quote is None:
        return None
    shoe = offering.shoe
    bets = tuple(map(_offered, quote.bets))
    unseen = shoe.unseen_removed + shoe.unread
    policy = "" if offering.policy == STANDING else to_text(offering.policy)
    return Offer(quote.policy_version, policy, quote.total_ways, shoe.decks, shoe.counts, unseen, offering.dealt, bets)


def _offered(bet: BetQuote) -> OfferedBet:
    ways = [tier.ways for tier in bet.tiers]
    return OfferedBet(bet.bet, bet.state, bet.result, bet.win_ways, bet.push_ways, bet.odds, ways)


def write_offer(offer: Offer) -> str:
    """An offer as text; cards and counts are in hex, two digits each."""
    return _ENCODER.encode((*offer[:4], offer.remaining.hex(), offer.unseen_removed, offer.dealt.hex(), offer.bets))


def read_offer(text: str) -> Offer:
    """The offer of a text, as ``write_offer`` made it.

    Raises:
        ValueError: It did not.
    """
    try:
        name, policy, total, decks, remaining, unseen, dealt, bets = json.loads(text)
        cards, table = bytes.fromhex(remaining), bytes.fromhex(dealt)
        return Offer(name, policy, total, decks, cards, unseen, table, tuple(map(_read_bet, bets)))
    except (TypeError, KeyError) as error:
        raise ValueError(f"no offer: {error}") from error


def _read_bet(values: Sequence[object]) -> OfferedBet:
    bet = OfferedBet(*values)  # type: ignore[arg-type]  # what is wrong with them is found by comparing
    return bet._replace(state=OfferState(bet.state), result=Result(bet.result))
