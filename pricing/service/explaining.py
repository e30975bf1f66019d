"""What a price was made of, from what is noted of it and the game type that it went by."""

from fractions import Fraction

from pricing.baccarat.v1 import history_service_pb2 as pb
from pricing.baccarat.v1.types_pb2 import CardCount, PayTier
from pricing.domain.cards import CARDS
from pricing.service.convert import game_message
from pricing.service.errors import NothingOffered, UnknownSequence
from pricing.service.floor import Floor
from pricing.service.history import tiers_of
from pricing.service.noting import noted_game
from pricing.service.offers import OfferedBet, read_offer
from pricing.store.journal import NoteReader


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
        ladder=game_message(kind).ladder if bet.priced else (),
    )
    answer.MergeFrom(_price_message(offered, offer.total_ways, bet.margin))
    return answer


def _price_message(offered: OfferedBet, total: int, margin: Fraction | None) -> pb.ExplainPriceResponse:
    """The part that is about the price itself."""
    fair = Fraction(total - offered.push_ways, offered.win_ways) if offered.win_ways else None
    single = fair is not None and not offered.tier_ways
    return pb.ExplainPriceResponse(
        win_ways=offered.win_ways,
        push_ways=offered.push_ways,
        state=offered.state,  # type: ignore[arg-type]  # the domain's numbers are the contract's
        result=offered.result,  # type: ignore[arg-type]
        margin="" if margin is None else str(margin),
        fair_odds=str(fair) if single else "",
        exact_odds="" if margin is None or fair is None else str(fair * (1 - margin)),
        odds=offered.odds,
    )
