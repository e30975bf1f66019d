"""Holds: each for its own reason, each lifted by its own side; cards are taken all the while."""

import pytest
from table.playing import Play, card, cards

from pricing.table import events
from pricing.table.apply import apply
from pricing.table.decide import CardStateChanged, check_expected
from pricing.table.events import HoldOwner
from pricing.table.state import Entry, HoldReason, Refusal, Report


def test_each_side_lifts_its_own(play: Play) -> None:
    play(events.GameOpened())
    for owner in (HoldOwner.STUDIO, HoldOwner.TRADER):
        play(events.HoldPlaced(owner, "LOOK"))
    play(events.HoldPlaced(HoldOwner.TRADER, "LOOK"), studio=False, refused="HOLD_PLACED")
    play(events.HoldLifted(HoldOwner.TRADER, "LOOK"), studio=False)
    assert [(hold.owner.value, hold.reason) for hold in play.table.holds] == [("STUDIO", "LOOK")]
    assert play.table.phase == "HELD"
    play(events.HoldLifted(HoldOwner.TRADER, "LOOK"), studio=False, refused="NO_SUCH_HOLD")
    play(events.Resumed())
    assert play.holds == ["LOOK"]
    play(events.HoldLifted(HoldOwner.STUDIO, "LOOK"))
    assert play.table.phase == "OPEN"
    assert play.table.offering


def test_cards_are_taken_while_the_table_is_held(play: Play) -> None:
    play(events.GameOpened())
    play(events.HoldPlaced(HoldOwner.TRADER, "LOOK"), studio=False)
    play.deal("9S")
    assert play.rounds == ["CLOSED", "OPEN", "PENDING"]
    assert play.table.offering is None
    play.deal("KD KH 2C")
    play.announce()
    assert play.over
    assert play.shoe.left == 308


class TestSourceNumbers:
    def test_a_jump_says_that_an_event_was_lost(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        assert play.holds == []
        play(events.BettingClosed(1), number=8)
        assert play.holds == []
        play(events.CardDealt(card("9S"), None), number=10)
        assert play.holds == ["SOURCE_GAP"]
        assert play.game.dealt == cards("9S")  # taken all the same
        play(events.CardBurned(0), number=11)
        assert play.holds == ["SOURCE_GAP"]
        play(events.Resumed(), number=12)
        assert play.holds == []

    def test_a_resumption_may_itself_come_after_a_gap(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        play(events.Resumed(), number=20)
        assert play.holds == []

    def test_a_resumption_may_count_anew(self, play: Play) -> None:
        play(events.GameOpened(), number=2**63 - 1)
        play(events.BettingClosed(1), number=1, refused="OUT_OF_ORDER")
        play(events.Resumed(), number=1)
        assert play.holds == []
        play(events.BettingClosed(1), number=2)
        assert play.holds == []

    def test_what_comes_late_is_refused_and_moves_nothing_back(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        for number in (7, 3):
            play(events.CardBurned(0), number=number, refused="OUT_OF_ORDER")
            assert play.table.source_number == 7
            assert play.holds == ["REFUSED_EVENT"]
        play(events.Resumed(), number=8)
        assert play.holds == []

    def test_a_refused_event_is_no_lost_event(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        play(events.GameOpened(), number=8, refused="GAME_RUNNING")
        play(events.BettingClosed(1), number=9)
        assert play.holds == ["REFUSED_EVENT"]

    def test_only_the_studio_has_them(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        play(events.HoldPlaced(HoldOwner.TRADER, "LOOK"), studio=False, number=3)
        assert play.table.source_number == 7

    def test_events_without_one_do_no_harm(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        play(events.CardBurned(0))
        play(events.BettingClosed(1), number=8)
        assert play.holds == []


class TestRestart:
    def test_closes_the_open_round_and_holds(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.Restarted(), studio=False)
        assert play.rounds == ["CLOSED", "PENDING", "PENDING"]
        assert play.holds == ["RESTART"]
        play(events.CardDealt(card("9S"), None))
        assert play.holds == ["RESTART"]
        play(events.Resumed())
        assert play.holds == []
        assert play.table.offering == play.game.rounds[1]

    def test_a_number_that_continues_lifts_it(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        play(events.Restarted(), studio=False)
        play(events.CardDealt(card("9S"), None), number=8)
        assert play.holds == []

    def test_one_that_jumps_does_not(self, play: Play) -> None:
        play(events.GameOpened(), number=7)
        play(events.Restarted(), studio=False)
        play(events.CardDealt(card("9S"), None), number=9)
        assert play.holds == ["RESTART", "SOURCE_GAP"]

    def test_nor_does_a_refused_event_or_the_first_number(self, play: Play) -> None:
        play(events.Restarted(), studio=False)
        play(events.GameOpened(), number=7)
        assert play.holds == ["RESTART"]
        play(events.GameOpened(), number=8, refused="GAME_RUNNING")
        assert play.holds == ["RESTART", "REFUSED_EVENT"]

    def test_other_holds_survive_it(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        play(events.Restarted(), studio=False)
        assert play.holds == ["EARLY_CARD", "RESTART"]
        play(events.EarlyCardResolved(True))
        assert play.holds == ["RESTART"]
        assert play.rounds == ["CLOSED", "OPEN", "PENDING"]


def test_the_studio_resumes_after_an_error_of_the_service(play: Play) -> None:
    play(events.HoldPlaced(HoldOwner.SYSTEM, HoldReason.INTERNAL_ERROR), studio=False)
    play(events.HoldPlaced(HoldOwner.TRADER, HoldReason.INTERNAL_ERROR), studio=False)
    play(events.Resumed())
    assert [hold.owner for hold in play.table.holds] == [HoldOwner.TRADER]


def test_a_refused_event_of_another_side_holds_nothing(play: Play) -> None:
    entry = Entry(play.table.position + 1, play.now, Report("x", events.GameOpened(), "trader"), Refusal("NO", "no"))
    assert apply(play.table, entry, {}) == play.table._replace(position=entry.position)


class TestExpectations:
    def check(self, play: Play, event: events.Event, **expected: int) -> str | None:
        try:
            check_expected(play.table, Report("x", event, "studio", True, **expected))
        except CardStateChanged as error:
            return f"{error.field} {error.expected} {error.current}"
        return None

    def test_of_the_card_state(self, play: Play) -> None:
        state = play.table.card_state
        assert self.check(play, events.GameOpened(), expected_card_state=state) is None
        assert self.check(play, events.GameOpened(), expected_card_state=9) == f"expected_card_state 9 {state}"

    @pytest.mark.parametrize("event", [events.CardDealt(0, None), events.CardBurned(None)])
    def test_of_the_place_of_the_next_card(self, play: Play, event: events.Event) -> None:
        assert self.check(play, event, shoe_position=1) is None
        play(events.CardBurned(3))
        assert self.check(play, event, shoe_position=2) is None
        assert self.check(play, event, shoe_position=1) == "shoe_position 1 2"

    def test_of_the_place_of_the_last_card(self, play: Play) -> None:
        play(events.CardBurned(3))
        assert self.check(play, events.ScanCorrected(4), shoe_position=1) is None
        assert self.check(play, events.ScanCorrected(4), shoe_position=2) == "shoe_position 2 1"

    def test_without_a_shoe(self) -> None:
        assert self.check(Play(), events.CardBurned(3), shoe_position=1) is None
