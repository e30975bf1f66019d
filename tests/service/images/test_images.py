"""Images of tables through many random histories: every state of every bet, stated a second time from the contract."""

import random

import pytest
from table.playing import TYPES
from table.twin import Twin, anything

from pricing.baccarat.v1 import tables_pb2 as pb
from pricing.baccarat.v1.types_pb2 import BetResult, OfferState
from pricing.domain.shoe import Shoe
from pricing.engine.quote import quote
from pricing.service.images.image import table_message
from pricing.table.state import Table

HISTORIES = 60
OFFERED = {OfferState.OFFER_STATE_ACTIVE, OfferState.OFFER_STATE_SUSPENDED}


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_images_of_many_histories(kind: str) -> None:
    seen: set[int] = set()
    for seed in range(HISTORIES):
        dice = random.Random(f"{kind} {seed}")
        twin, told = Twin(TYPES[kind]), 0
        for _ in range(40):
            anything(twin, dice, 0.3)
            if len(twin.entries) > told:
                told = len(twin.entries)
                seen |= check(twin.table)
    assert seen == set(OfferState.values()) - {OfferState.OFFER_STATE_UNSPECIFIED}


def check(table: Table) -> set[int]:
    """Look at a table's image; the states of bets that were in it."""
    image = table_message(table, "epoch")
    assert image == table_message(table, "epoch")
    whole = [hold for hold in table.holds if hold.bet is None]
    expected = "CLOSED" if table.closed else "HELD" if whole else "OPEN"
    assert image.state == pb.TableState.Value(f"TABLE_STATE_{expected}")
    assert [hold.reason for hold in image.holds] == [hold.reason for hold in table.holds]
    found: set[int] = set()
    for each in image.game.rounds:
        check_round(table, image, each)
        found |= {bet.state for bet in each.bets}
    check_outage(table)
    return found


def check_round(table: Table, image: pb.Table, each: pb.BettingRound) -> None:
    assert table.game
    bets = [bet.id for bet in table.game.game_type.bets]
    assert [bet.bet for bet in each.bets] == (bets if each.HasField("open_time") else [])
    offering = table.offering is not None and table.offering.number == each.round
    over = image.game.state in (pb.GAME_STATE_ENDED, pb.GAME_STATE_CONFIRMED)
    for bet in each.bets:
        cancelled = (
            image.game.state == pb.GAME_STATE_VOID
            or each.state == pb.ROUND_STATE_CANCELLED
            or any(
                cut.round == each.round
                and cut.bet in ("", bet.bet)
                and not (cut.HasField("from_time") or cut.HasField("to_time"))
                for cut in image.game.cancellations
            )
        )
        assert (bet.state == OfferState.OFFER_STATE_CANCELLED) == cancelled
        assert (bet.result == BetResult.BET_RESULT_VOID) == cancelled
        assert (bet.state == OfferState.OFFER_STATE_SETTLED) == (over and not cancelled)
        assert bet.HasField("odds") == (bet.state in OFFERED)
        if bet.state in OFFERED:
            assert bet.result == BetResult.BET_RESULT_UNDECIDED
            assert image.game.state == pb.GAME_STATE_OPEN
            assert table.game.game_type.betting_round(len(image.game.dealt)) == each.round
        if over and not cancelled:
            assert bet.result != BetResult.BET_RESULT_UNDECIDED
        assert (bet.state == OfferState.OFFER_STATE_ACTIVE) <= offering
    if offering:
        check_prices(table, each)


def check_prices(table: Table, each: pb.BettingRound) -> None:
    """What is offered is priced from the cards that are in the shoe now."""
    assert table.game
    assert table.shoe
    gone = table.shoe.unseen_removed + table.shoe.unread
    shoe = Shoe(table.shoe.decks, table.shoe.counts, False, gone)
    now = quote(table.game.game_type, shoe, table.game.dealt, table.policy)
    held = {hold.bet for hold in table.holds}
    assert each.policy_version == now.policy_version
    assert each.total_ways == now.total_ways
    assert {bet.bet: bet.odds for bet in each.bets if bet.state == OfferState.OFFER_STATE_ACTIVE} == {
        bet.bet: bet.odds
        for bet, shown in zip(now.bets, each.bets, strict=True)
        if bet.odds is not None and bet.bet not in held and shown.state != OfferState.OFFER_STATE_CANCELLED
    }


def check_outage(table: Table) -> None:
    """Nothing is offered while nothing can be written down."""
    image = table_message(table, "epoch", outage=1)
    assert image.state == (pb.TABLE_STATE_CLOSED if table.closed else pb.TABLE_STATE_HELD)
    assert ("JOURNAL_UNAVAILABLE" in {hold.reason for hold in image.holds}) != table.closed
    assert not any(bet.state == OfferState.OFFER_STATE_ACTIVE for each in image.game.rounds for bet in each.bets)
