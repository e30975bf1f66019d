"""Policies and holds of single bets: what they do at a table, and that they outlast rounds, shoes and restarts."""

from decimal import Decimal

import pytest
from table.playing import MANY_ROUNDS, Play, cards

from pricing.domain.policy import STANDING, Policy, PolicyRule
from pricing.table import events
from pricing.table.apply import apply
from pricing.table.codec import from_plain
from pricing.table.events import HoldOwner, PolicyChanged
from pricing.table.state import Entry, Report

NO_TIE = Policy((PolicyRule(bet="tie", closed=True),))
DEARER = Policy((PolicyRule(margin_shift=Decimal("0.01")),))
FIFTH_ROUND = Policy((PolicyRule(round=5, closed=True),))


def test_the_open_round_goes_by_it_and_a_closed_one_by_what_it_closed_at(play: Play) -> None:
    play(events.GameOpened())
    play(PolicyChanged(NO_TIE, "too many ties"), studio=False)
    play.deal("9S")
    play(PolicyChanged(DEARER, ""), studio=False)
    assert [each.policy for each in play.game.rounds] == [NO_TIE, DEARER, STANDING]
    assert play.table.policy == DEARER
    play.deal("KD KH 2C")
    play(PolicyChanged(STANDING, ""), studio=False)
    assert [each.policy for each in play.game.rounds] == [NO_TIE, DEARER, DEARER]


def test_it_stops_no_card_and_moves_no_card_state(play: Play) -> None:
    play(events.GameOpened())
    before = play.table
    play(PolicyChanged(NO_TIE, ""), studio=False)
    assert play.table.card_state == before.card_state
    assert play.table.offering
    play(events.CardDealt(cards("9S")[0], None))
    play(PolicyChanged(DEARER, ""), studio=False)
    assert play.holds == ["EARLY_CARD"]
    assert play.game.rounds[0].policy == NO_TIE  # its prices are those of before the card, until it is burned
    play(events.EarlyCardResolved(was_dealt=False))
    assert play.game.rounds[0].policy == DEARER


@pytest.mark.parametrize("rule", [PolicyRule(round=4), PolicyRule(bet="lucky-six"), PolicyRule(round=0)])
def test_one_that_names_what_is_not_there_is_refused(play: Play, rule: PolicyRule) -> None:
    play(PolicyChanged(Policy((rule,)), ""), studio=False, refused="INVALID_POLICY")
    assert play.table.policy == STANDING


def test_a_shoe_of_another_game_type_drops_what_does_not_fit() -> None:
    play = Play(MANY_ROUNDS)
    play.shoe_loaded(1)
    play(PolicyChanged(FIFTH_ROUND, ""), studio=False)
    play(events.ShoeLoaded("bet-on-baccarat", 6))
    assert (play.table.policy, play.holds) == (STANDING, ["POLICY_DROPPED"])
    play(events.Resumed())
    assert play.holds == ["POLICY_DROPPED"]
    play(events.GameOpened())
    assert play.table.offering is None
    play(PolicyChanged(NO_TIE, ""), studio=False)
    assert play.holds == []
    assert play.table.offering
    assert play.told_again() == play.table


def test_one_that_fits_goes_on_with_the_next_shoe() -> None:
    play = Play(MANY_ROUNDS)
    play.shoe_loaded(1)
    play(PolicyChanged(NO_TIE, ""), studio=False)
    play(events.ShoeLoaded("bet-on-baccarat", 6))
    assert (play.table.policy, play.holds) == (NO_TIE, [])


def test_a_hold_on_a_bet_leaves_the_table_open(play: Play) -> None:
    play(events.GameOpened())
    play(events.HoldPlaced(HoldOwner.TRADER, "LOOK", "tie"), studio=False)
    assert play.table.phase == "OPEN"
    assert play.table.held_bets == {"tie"}
    assert play.table.offering
    play(events.HoldPlaced(HoldOwner.TRADER, "LOOK", "tie"), studio=False, refused="HOLD_PLACED")
    play(events.HoldPlaced(HoldOwner.TRADER, "LOOK", "lucky-six"), studio=False, refused="UNKNOWN_BET")
    play(events.HoldLifted(HoldOwner.TRADER, "LOOK"), studio=False, refused="NO_SUCH_HOLD")
    play(events.HoldPlaced(HoldOwner.TRADER, "LOOK"), studio=False)
    assert play.table.phase == "HELD"
    assert play.table.held_bets == {"tie"}
    play(events.HoldLifted(HoldOwner.TRADER, "LOOK"), studio=False)
    play(events.HoldLifted(HoldOwner.TRADER, "LOOK", "tie"), studio=False)
    assert play.table.holds == ()


def test_rows_of_before_there_were_holds_on_bets_are_read(play: Play) -> None:
    plain = {"kind": "hold_placed", "owner": "TRADER", "reason": "LOOK"}
    event = from_plain(plain)
    assert event == events.HoldPlaced(HoldOwner.TRADER, "LOOK")
    table = apply(play.table, Entry(play.table.position + 1, play.now, Report("e", event, "a")), {})
    assert [hold.bet for hold in table.holds] == [None]
