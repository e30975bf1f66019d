"""Shoes, games, betting rounds and cards as they come."""

from datetime import UTC, datetime

import pytest
from table.playing import BET_ON_BACCARAT, MANY_ROUNDS, PUNTO_BANCO, SECOND, START, Play, card, cards

from pricing.domain.coup import Side
from pricing.table import events
from pricing.table.events import HoldOwner, NoticeKind, VoidReason
from pricing.table.state import Entry, Report


def test_a_game_from_announcement_to_result(play: Play) -> None:
    play(events.GameOpened())
    assert play.rounds == ["OPEN", "PENDING", "PENDING"]
    assert play.table.offering == play.game.rounds[0]
    play(events.BettingClosed(1))
    assert play.rounds == ["CLOSED", "PENDING", "PENDING"]
    assert play.table.offering is None
    play(events.CardDealt(card("2S"), Side.PLAYER))
    assert play.rounds == ["CLOSED", "OPEN", "PENDING"]
    play.deal("3S")
    assert play.rounds == ["CLOSED", "CLOSED", "OPEN"]
    play.deal("3D 4D")
    assert play.rounds == ["CLOSED", "CLOSED", "CLOSED"]
    assert play.game.phase == "OPEN"
    play.deal("KS")
    assert play.game.phase == "ENDED"
    assert play.outcomes == ["SETTLED"]
    assert play.results == {
        "player": "LOST",
        "banker": "WON",
        "tie": "LOST",
        "player-pair": "LOST",
        "banker-pair": "LOST",
        "either-pair": "LOST",
        "perfect-pair": "LOST",
        "small": "LOST",
        "big": "WON",
    }
    play(events.ResultAnnounced("banker", 5, 7))
    assert play.game.phase == "CONFIRMED"
    assert play.table.phase == "OPEN"


def test_a_tie_pushes_and_pairs_are_seen(play: Play) -> None:
    play(events.GameOpened())
    play.deal("9S 9D KH KH")
    assert play.results["player"] == play.results["banker"] == "PUSH"
    assert {bet for bet, result in play.results.items() if result == "WON"} == {"tie", "small"}
    play.announce()
    play(events.GameOpened())
    play.deal("4S KD 4S KC")
    assert {bet for bet, result in play.results.items() if result == "WON"} >= {"perfect-pair", "banker-pair"}


def test_card_state_counts_cards_burns_and_corrections_only(play: Play) -> None:
    states = [play.table.card_state]

    def after(event: events.Event) -> int:
        states.append(play(event).card_state)
        return states[-1] - states[-2]

    assert after(events.GameOpened()) == 0
    assert after(events.CardBurned(card("2C"))) == 1
    assert after(events.CardBurned(None)) == 1
    assert after(events.BurnIdentified(None)) == 1
    assert after(events.HoldPlaced(HoldOwner.STUDIO, "LOOK")) == 0
    assert after(events.HoldLifted(HoldOwner.STUDIO, "LOOK")) == 0
    assert after(events.Notice(NoticeKind.BREAK, "")) == 0
    assert after(events.BettingClosed(1)) == 0
    assert after(events.CardDealt(card("2S"), None)) == 1
    assert after(events.ScanCorrected(card("2H"))) == 1
    assert after(events.CutCardSeen()) == 0


def test_a_window_ends_by_the_clock() -> None:
    play = Play(windows_ms=(12_000, 0, 8_000))
    play.shoe_loaded()
    play(events.GameOpened())
    assert play.game.rounds[0].close_time == play.now + 12 * SECOND
    play(events.WindowEnded(play.game.reference, 1), studio=False)
    assert play.rounds == ["CLOSED", "PENDING", "PENDING"]
    assert play.game.rounds[0].close_time == play.now
    play(events.BettingClosed(1))  # the dealer says so a moment later
    play.deal("2S")
    assert play.game.rounds[1].close_time is None
    play(events.WindowEnded(play.game.reference, 1), studio=False, refused="ROUND_NOT_OPEN")
    play(events.WindowEnded("t1-another", 2), studio=False, refused="ROUND_NOT_OPEN")
    assert play.told_again() == play.table


def test_a_window_ends_while_the_table_is_held(play: Play) -> None:
    play(events.GameOpened())
    play(events.HoldPlaced(HoldOwner.TRADER, "LOOK"), studio=False)
    assert play.table.offering is None
    assert play.rounds[0] == "OPEN"
    play(events.WindowEnded(play.game.reference, 1), studio=False)
    play(events.HoldLifted(HoldOwner.TRADER, "LOOK"), studio=False)
    assert play.rounds[0] == "CLOSED"
    assert play.table.offering is None


def test_rounds_that_the_table_was_not_made_for_have_windows_of_their_own() -> None:
    """As when the game type was edited since."""
    play = Play(BET_ON_BACCARAT, windows_ms=(1_000,))
    play.shoe_loaded()
    play(events.GameOpened())
    assert play.game.rounds[0].close_time == play.now + SECOND
    play.deal("2S")
    assert play.game.rounds[1].close_time == play.now + BET_ON_BACCARAT.rounds[1].window_ms * 1_000


def test_what_is_out_of_turn_is_refused_and_holds_the_table(play: Play) -> None:
    def refused(event: events.Event, reason: str) -> None:
        play(event, refused=reason)
        assert play.holds == ["REFUSED_EVENT"]
        play(events.Resumed())
        assert play.holds == []

    refused(events.CardDealt(0, None), "NO_GAME")
    refused(events.BettingClosed(None), "NO_GAME")
    refused(events.ResultAnnounced("tie", None, None), "GAME_NOT_ENDED")
    refused(events.EarlyCardResolved(True), "NO_EARLY_CARD")
    refused(events.BurnIdentified(0), "NO_UNREAD_CARD")
    refused(events.ScanCorrected(0), "NO_CARD")
    refused(events.GamesVoided((), VoidReason.OTHER), "UNKNOWN_GAME")
    refused(events.CompositionCorrected(bytes(52), 0), "GAME_NOT_VOID")
    refused(events.TableCreated("x", "x", True, ()), "TABLE_EXISTS")
    refused(events.ShoeLoaded("bet-on-baccarat", 13), "INVALID_SHOE")
    play(events.GameOpened())
    refused(events.GameOpened(), "GAME_RUNNING")
    refused(events.ShoeLoaded("bet-on-baccarat", 6), "GAME_RUNNING")
    refused(events.TableClosed(), "GAME_RUNNING")
    refused(events.BettingClosed(2), "ROUND_NOT_OPEN")
    refused(events.CardDealt(0, Side.BANKER), "WRONG_SIDE")
    play.deal("9S")
    refused(events.CardDealt(0, Side.PLAYER), "WRONG_SIDE")
    play.deal("KS KD KH")
    refused(events.CardDealt(0, None), "NO_GAME")
    refused(events.GameOpened(), "GAME_RUNNING")
    refused(events.ShoeLoaded("bet-on-baccarat", 6), "GAME_RUNNING")
    play.announce()
    refused(events.ResultAnnounced("player", None, None), "GAME_NOT_ENDED")


def test_nothing_begins_without_a_shoe() -> None:
    play = Play()
    for event in (events.GameOpened(), events.CardBurned(0), events.CutCardSeen()):
        play(event, refused="NO_SHOE")


def test_a_round_of_a_custom_game_may_end_with_the_coup(many_rounds: Play) -> None:
    many_rounds(events.GameOpened())
    many_rounds.deal("2S 3S 3D 3H")
    assert many_rounds.rounds == ["CLOSED", "CLOSED", "CLOSED", "OPEN", "PENDING"]
    many_rounds.deal("8S")  # Banker stands on 6 against an 8
    assert many_rounds.rounds == ["CLOSED", "CLOSED", "CLOSED", "CLOSED", "SKIPPED"]


class TestEndOfTheShoe:
    def test_a_game_may_start_with_exactly_forty(self, play: Play) -> None:
        play.burn_down_to(40)
        assert play.shoe.phase == "ACTIVE"
        play(events.GameOpened())
        assert play.shoe.phase == "ACTIVE"
        play.deal("KS")
        assert play.shoe.phase == "LAST_GAME"
        assert play.table.offering  # the game in progress is finished as any other
        play.deal("KD 9H KH")
        play.announce()
        assert play.shoe.phase == "RETIRED"
        play(events.GameOpened(), refused="SHOE_OVER")
        play.shoe_loaded()
        assert play.shoe.number == 2
        play(events.GameOpened())

    def test_no_game_starts_below_forty(self, play: Play) -> None:
        play.burn_down_to(39)
        assert play.shoe.phase == "LAST_GAME"
        play(events.GameOpened(), refused="SHOE_OVER")

    def test_it_may_have_games_after_the_announcement(self, many_rounds: Play) -> None:
        many_rounds.burn_down_to(40)
        many_rounds(events.GameOpened())
        many_rounds.deal("KS QD 9S JH")
        assert many_rounds.shoe.phase == "LAST_GAME"
        many_rounds.announce()
        assert many_rounds.shoe.phase == "LAST_GAME"
        many_rounds.play_game("KD QS 9D JS")
        assert many_rounds.shoe.phase == "RETIRED"

    def test_the_cut_card(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CutCardSeen())
        assert play.shoe.phase == "LAST_GAME"
        play(events.CutCardSeen())
        play.deal("9S KD KH 2C")
        assert play.shoe.phase == "LAST_GAME"
        play.announce()
        assert play.shoe.phase == "RETIRED"

    def test_the_cut_card_is_not_forgotten_by_a_correction(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        play(events.CutCardSeen())
        play(events.ScanCorrected(card("8S")))
        assert play.shoe.phase == "LAST_GAME"

    def test_a_void_game_may_be_the_last(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CutCardSeen())
        play(events.GamesVoided((), VoidReason.MISDEAL))
        assert play.shoe.phase == "RETIRED"

    def test_too_few_cards_for_a_coup(self) -> None:
        play = Play(PUNTO_BANCO)
        play.shoe_loaded(1)
        play(events.GameOpened())
        play.burn_down_to(6)
        assert play.table.offering
        assert play.game.rounds[0].shoe == play.shoe
        play.burn_down_to(5)
        assert play.rounds == ["OPEN"]
        assert play.table.offering is None
        assert play.game.rounds[0].shoe
        assert play.game.rounds[0].shoe.left == 6  # the last that could be priced

    def test_no_game_without_six_cards(self, many_rounds: Play) -> None:
        many_rounds.burn_down_to(6)
        many_rounds(events.GameOpened())
        many_rounds(events.GamesVoided((), VoidReason.OTHER))
        many_rounds.shoe_loaded(1)
        many_rounds.burn_down_to(5)
        many_rounds(events.GameOpened(), refused="NOT_ENOUGH_CARDS")

    def test_the_game_of_an_earlier_shoe_does_not_retire_it(self, play: Play) -> None:
        play.play_game()
        play.shoe_loaded()
        play(events.CutCardSeen())
        play(events.GamesVoided((), VoidReason.OTHER))
        assert play.shoe.phase == "LAST_GAME"

    def test_more_cards_than_there_are(self, many_rounds: Play) -> None:
        for _ in range(52):
            many_rounds(events.CardBurned(None))
        assert many_rounds.shoe.left == 0
        assert many_rounds.shoe.phase == "LAST_GAME"
        many_rounds(events.CardBurned(None))
        assert many_rounds.shoe.left == 0
        assert many_rounds.shoe.phase == "UNTRUSTED"

    def test_any_shoe_may_be_loaded_between_games(self, play: Play) -> None:
        play.shoe_loaded()
        play.play_game()
        play.shoe_loaded(8)
        assert play.shoe.left == 416
        assert play.shoe.number == 3


class TestReferences:
    def test_they_say_table_time_and_number(self, play: Play) -> None:
        play(events.GameOpened())
        moment = datetime.fromtimestamp(play.now // SECOND, UTC)
        assert play.game.reference == f"t1-{moment:%Y%m%dT%H%M%S}-000001"

    def test_they_sort_even_if_the_clock_goes_back(self, play: Play) -> None:
        references = [play.play_game()]
        for hours in (5, -7, 3, -24):
            play.now += hours * 3600 * SECOND
            references.append(play.play_game())
        assert references == sorted(set(references))

    def test_time_never_goes_back(self, play: Play) -> None:
        play(events.GameOpened())
        opened = play.now
        play.now = START - 3600 * SECOND
        play(events.BettingClosed(1))
        assert play.game.rounds[0].close_time == opened == play.table.time


def test_a_closed_table_takes_nothing_more(play: Play) -> None:
    play.play_game()
    closed = play(events.TableClosed(), studio=False, number=None)
    assert closed.phase == "CLOSED"
    for event in (events.Resumed(), events.GameOpened(), events.Restarted(), events.TableClosed()):
        after = play(event, refused="TABLE_CLOSED", number=100)
        assert after == closed._replace(position=after.position, time=after.time)


def test_a_notice_moves_nothing(play: Play) -> None:
    play(events.GameOpened())
    offering = play.table.offering
    play(events.Notice(NoticeKind.DEALER_CHANGE, "Ayşe"))
    assert play.table.notice == (NoticeKind.DEALER_CHANGE, "Ayşe")
    assert play.table.offering == offering


def test_a_new_shoe_brings_its_game_type(play: Play) -> None:
    play.play_game()
    play(events.ShoeLoaded(MANY_ROUNDS.name, 6))
    assert play.game.game_type is BET_ON_BACCARAT
    first = play.game
    play(events.GameOpened())
    assert play.game.game_type is MANY_ROUNDS
    kept = play.table.find_game(first.reference)
    assert kept
    assert kept.game_type is BET_ON_BACCARAT


@pytest.mark.parametrize("event", [events.GameOpened(), events.Restarted()])
def test_a_journal_begins_with_the_table(event: events.Event) -> None:
    from pricing.table.apply import create

    with pytest.raises(ValueError, match="first event"):
        create("t1", Entry(1, START, Report("e1", event, "studio")), {})


def test_prices_are_made_of_what_is_known(play: Play) -> None:
    """Each round keeps the shoe of its last moment, and the next game lets go of them."""
    play(events.GameOpened())
    play(events.CardBurned(card("2C")))
    play.deal("9S")
    play(events.BettingClosed(2))
    play(events.CardBurned(card("3C")))
    counts = [each.shoe.counts if each.shoe else None for each in play.game.rounds]
    full = bytes((6,) * 52)
    assert counts[0] == bytes(count - (each in cards("2C")) for each, count in enumerate(full))
    assert counts[1] == bytes(count - (each in cards("2C 9S")) for each, count in enumerate(full))
    assert counts[2] is None
