"""What a price was made of, from what is noted of it and the game type that it went by."""

from decimal import Decimal
from fractions import Fraction
from typing import Final

from pricing.baccarat.v1 import history_service_pb2 as pb
from pricing.baccarat.v1.types_pb2 import CardCount, PayTier
from pricing.domain.books import Margin
from pricing.domain.cards import CARDS
from pricing.domain.policy import STANDING
from pricing.domain.policy_text import from_text
from pricing.engine.margins import MODELS
from pricing.engine.terms import BetTerms, bet_terms
from pricing.service.errors import NothingOffered, UnknownSequence
from pricing.service.floor.floor import Floor
from pricing.service.floor.noting import noted_game
from pricing.service.history.history import tiers_of
from pricing.service.images.offers import OfferedBet, read_offer
from pricing.service.messages.convert import game_message
from pricing.store.journal import NoteReader

_DECIMALS: Final = 12


def explained(floor: Floor, notes: NoteReader, name: str, sequence: int, bet_id: str) -> pb.ExplainPriceResponse:
    """What the price of a bet in an image was made of. Waits for the disk.

    Raises:
        UnknownTable, UnknownSequence, UnknownBet: There is no such.
        NothingOffered: The image offers nothing.
    """
    position = floor.table(name).position
    if not 1 <= sequence <= position:
        raise UnknownSequence("sequence", sequence, f"1 to {position}")
    note = notes.offer(name, sequence)
    game_note = notes.game(name, note.number) if note else None
    if note is None or game_note is None:
        older = " that is known of: it is older than the journal's notes" if sequence <= notes.unrecorded(name) else ""
        raise NothingOffered(f"table {name} offered nothing at sequence {sequence}{older}")
    offer = read_offer(note.offer)
    offered = offer.bet(bet_id)
    kind = floor.game_types[game_note.game_hash]
    bet = next(each for each in kind.bets if each.id == bet_id)
    answer = pb.ExplainPriceResponse(
        table=name,
        sequence=sequence,
        bet=bet_id,
        game=noted_game(game_note, kind).reference,
        round=note.round,
        game_type=kind.name,
        rules_version=kind.rules_version,
        game_hash=game_note.game_hash,
        policy_version=offer.policy_version,
        decks=offer.decks,
        remaining=[CardCount(card=CARDS[card], count=count) for card, count in enumerate(offer.remaining) if count],
        unseen_removed=offer.unseen_removed,
        dealt=[CARDS[card] for card in offer.dealt],
        total_ways=offer.total_ways,
        tiers=[PayTier(name=tier.name, ways=tier.ways, odds=tier.odds) for tier in tiers_of(offered, bet)],
        policy=offer.policy,
        ladder=game_message(kind).ladder if bet.priced else (),
    )
    policy = from_text(offer.policy) if offer.policy else STANDING
    answer.MergeFrom(_price_message(offered, offer.total_ways, bet_terms(kind, policy, note.round, bet_id)))
    return answer


def _price_message(offered: OfferedBet, total: int, terms: BetTerms) -> pb.ExplainPriceResponse:
    """The part that is about the price itself."""
    margin = terms.margin
    fair = Fraction(total - offered.push_ways, offered.win_ways) if offered.win_ways else None
    single = fair is not None and not offered.tier_ways
    return pb.ExplainPriceResponse(
        win_ways=offered.win_ways,
        push_ways=offered.push_ways,
        state=offered.state,  # type: ignore[arg-type]  # the domain's numbers are the contract's
        result=offered.result,  # type: ignore[arg-type]
        book=terms.book or "",
        margin_model=margin.model if margin else "",
        margin=str(margin.margin) if margin else "",
        max_return=str(terms.max_return) if margin else "",
        fair_odds=str(fair) if single else "",
        exact_odds=_made_odds(margin, offered, total) if margin else "",
        odds=offered.odds,
    )


def _made_odds(margin: Margin, offered: OfferedBet, total: int) -> str:
    win, lose = offered.win_ways, total - offered.push_ways - offered.win_ways
    if not (win and lose):
        return ""
    made = MODELS[margin.model](win, lose, 10**_DECIMALS, *margin.margin.as_integer_ratio())
    return f"{Decimal(made).scaleb(-_DECIMALS):f}"
