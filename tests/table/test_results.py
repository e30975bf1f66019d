"""Results: announced, disputed, void, settled anew; bets and compositions that are changed afterwards."""

import pytest
from table.playing import SECOND, Play, card, cards

from pricing.table import events
from pricing.table.events import CancelReason, VoidReason
from pricing.table.state import Game


def kept(play: Play, reference: str) -> Game:
    game = play.table.find_game(reference)
    assert game
    return game


class TestDispute:
    @pytest.mark.parametrize("said", [("banker", None, None), ("player", 8, None), ("player", 9, 1)])
    def test_an_announcement_that_disagrees_holds_the_table(
        self, play: Play, said: tuple[str, int | None, int | None]
    ) -> None:
        play(events.GameOpened())
        play.deal("9S KD KH 2C")
        play(events.ResultAnnounced(*said))
        assert play.holds == ["RESULT_MISMATCH"]
        assert play.game.phase == "ENDED"
        play(events.Resumed())
        assert play.holds == ["RESULT_MISMATCH"]
        play(events.GameOpened(), refused="GAME_RUNNING")

    def disputed(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S KD KH 2C")
        play(events.ResultAnnounced("tie", 9, 9))

    def test_one_that_agrees_lifts_it(self, play: Play) -> None:
        self.disputed(play)
        play(events.ResultAnnounced("player", None, 2))
        assert play.holds == []
        assert play.game.phase == "CONFIRMED"

    def test_a_correction_lifts_it(self, play: Play) -> None:
        self.disputed(play)
        play(events.ScanCorrected(card("9C")))
        assert play.holds == []
        play(events.ResultAnnounced("tie", 9, 9))
        assert play.game.phase == "CONFIRMED"

    def test_a_new_settlement_lifts_it(self, play: Play) -> None:
        self.disputed(play)
        play(events.GameResettled(play.game.reference, cards("9S KD KH 9C")), studio=False)
        assert play.holds == []
        assert play.game.phase == "ENDED"
        play(events.ResultAnnounced("tie", 9, 9))
        assert play.game.phase == "CONFIRMED"

    def test_a_void_lifts_it(self, play: Play) -> None:
        self.disputed(play)
        play(events.GamesVoided((), VoidReason.SCAN_ERROR))
        assert play.holds == []

    def test_what_happens_to_other_games_does_not(self, play: Play) -> None:
        first, second = play.play_game(), play.play_game()
        self.disputed(play)
        play(events.GameResettled(first, cards("9S KD KH 9C")), studio=False)
        play(events.GamesVoided((second,), VoidReason.SCAN_ERROR))
        assert play.holds == ["RESULT_MISMATCH"]


class TestVoid:
    def test_of_a_running_game(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S KS")
        play(events.GamesVoided((), VoidReason.MISDEAL))
        assert play.game.phase == "VOID"
        assert play.outcomes == ["VOIDED"]
        assert set(play.results.values()) == {"VOID"}
        assert play.rounds == ["CANCELLED", "CANCELLED", "CANCELLED"]
        assert play.shoe.left == 310  # the cards have left the shoe all the same
        play(events.GameOpened())
        assert play.table.offering

    def test_of_an_open_round(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.GamesVoided((), VoidReason.MISDEAL))
        assert play.rounds == ["CANCELLED", "SKIPPED", "SKIPPED"]
        assert play.game.rounds[0].close_time == play.now

    def test_after_the_result_it_is_rolled_back_first(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S KD KH 2C")
        play(events.GamesVoided((), VoidReason.DEALING_ORDER))
        assert play.outcomes == ["SETTLED", "ROLLED_BACK", "VOIDED"]
        assert [each.position for each in play.game.outcomes] == [play.table.position - 1, *[play.table.position] * 2]

    def test_of_several_games_at_once(self, play: Play) -> None:
        first, second, third = (play.play_game() for _ in range(3))
        play(events.GameOpened())
        play(events.GamesVoided((first, third, play.game.reference), VoidReason.TECHNICAL_FAILURE))
        phases = [kept(play, each).phase.value for each in (first, second, third, "")]
        assert phases == ["VOID", "CONFIRMED", "VOID", "VOID"]
        assert [each.kind.value for each in kept(play, first).outcomes] == ["SETTLED", "ROLLED_BACK", "VOIDED"]

    def test_all_or_none(self, play: Play) -> None:
        first, second = play.play_game(), play.play_game()
        play(events.GamesVoided((first,), VoidReason.OTHER))
        play(events.GamesVoided((second, first), VoidReason.OTHER), refused="GAME_VOID")
        play(events.GamesVoided((second, "t1-elsewhere-000009"), VoidReason.OTHER), refused="UNKNOWN_GAME")
        play(events.GamesVoided((second, "t1-" + "9" * 5000), VoidReason.OTHER), refused="UNKNOWN_GAME")
        play(events.GamesVoided((second, second), VoidReason.OTHER), refused="GAME_TWICE")
        play(events.GamesVoided((second, ""), VoidReason.OTHER), refused="GAME_TWICE")
        assert kept(play, second).phase == "CONFIRMED"

    def test_a_bad_shuffle_retires_the_shoe(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.GamesVoided((), VoidReason.BAD_SHUFFLE))
        assert play.shoe.phase == "RETIRED"
        play(events.GameOpened(), refused="SHOE_OVER")

    def test_the_bad_shuffle_of_an_earlier_shoe_does_not(self, play: Play) -> None:
        first = play.play_game()
        play.shoe_loaded()
        play(events.GamesVoided((first,), VoidReason.BAD_SHUFFLE))
        assert play.shoe.phase == "ACTIVE"

    def test_a_shoe_retired_under_a_running_game_offers_nothing(self, play: Play) -> None:
        first = play.play_game()
        play(events.GameOpened())
        play(events.GamesVoided((first,), VoidReason.BAD_SHUFFLE))
        assert play.table.offering is None
        play.deal("9S KD KH 2C")
        play.announce()
        assert play.game.phase == "CONFIRMED"
        assert play.rounds == ["CLOSED", "SKIPPED", "SKIPPED"]


class TestNewSettlement:
    def test_is_a_roll_back_and_another_result(self, play: Play) -> None:
        reference = play.play_game("9S KD KH 2C")
        play(events.GameResettled(reference, cards("9S KD KH 9C")), studio=False)
        assert play.outcomes == ["SETTLED", "ROLLED_BACK", "SETTLED"]
        assert play.results["tie"] == "WON"
        assert play.game.phase == "CONFIRMED"
        assert (play.shoe.counts[card("2C")], play.shoe.counts[card("9C")]) == (6, 5)

    def test_the_composition_that_it_changes_moves_the_card_state(self, play: Play) -> None:
        reference = play.play_game("9S KD KH 2C")
        state = play.table.card_state
        play(events.GameResettled(reference, cards("9S 2C KH KD")), studio=False)
        assert play.table.card_state == state
        play(events.GameResettled(reference, cards("9S KD KH 9C")), studio=False)
        assert play.table.card_state == state + 1
        play.shoe_loaded()
        shoe = play.shoe
        play(events.GameResettled(reference, cards("9S KD KH 2C")), studio=False)
        assert (play.shoe, play.table.card_state) == (shoe, state + 2)

    def test_refreshes_the_odds_of_an_open_round(self, play: Play) -> None:
        reference = play.play_game("9S KD KH 2C")
        play(events.GameOpened())
        play(events.GameResettled(reference, cards("9S KD KH 9C")), studio=False)
        assert play.table.offering
        assert play.table.offering.shoe == play.shoe

    def test_can_prove_or_mend_an_impossible_shoe(self, play: Play) -> None:
        reference = play.play_game("9S KD KH 2C")
        while play.shoe.counts[card("AS")]:
            play(events.CardBurned(card("AS")))
        play(events.GameResettled(reference, cards("9S KD KH AS")), studio=False)
        assert play.holds == ["SHOE_UNTRUSTED"]
        play(events.GameResettled(reference, cards("9S KD KH 2C")), studio=False)
        assert play.holds == []

    def test_leaves_a_shoe_alone_that_was_counted_since(self, play: Play) -> None:
        reference = play.play_game("9S KD KH 2C")
        play(events.GameOpened())
        play(events.GamesVoided((), VoidReason.SCAN_ERROR))
        play(events.CompositionCorrected(bytes((4,) * 52), 0))
        shoe = play.shoe
        play(events.GameResettled(reference, cards("9S KD KH 9C")), studio=False)
        assert play.shoe == shoe

    def test_the_last_scan_is_then_no_longer_to_be_corrected(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S KD KH 2C")
        play(events.GameResettled("", cards("9S KD KH 9C")), studio=False)
        play(events.ScanCorrected(card("8C")), refused="NO_CARD")

    def test_nor_after_a_void_of_it_or_of_the_next_game(self, play: Play) -> None:
        reference = play.play_game("9S KD KH 2C")
        play(events.GameOpened())
        play(events.GamesVoided((), VoidReason.OTHER))
        play(events.ScanCorrected(card("8C")), refused="NO_CARD")
        play(events.GameResettled(reference, cards("9S KD KH 9C")), studio=False)
        play(events.GamesVoided((reference,), VoidReason.OTHER))
        play(events.ScanCorrected(card("8C")), refused="NO_CARD")

    def test_needs_a_whole_coup_of_a_game_with_a_result(self, play: Play) -> None:
        reference = play.play_game()
        play(events.GameOpened())

        def refused(game: str, texts: str, reason: str) -> None:
            play(events.GameResettled(game, cards(texts)), studio=False, refused=reason)

        refused(play.game.reference, "9S KD KH 2C", "GAME_NOT_ENDED")
        refused(reference, "9S KD KH", "INVALID_COUP")
        refused(reference, "9S KD KH 2C 3C", "INVALID_COUP")
        refused("t1-20200101T000000-000001", "9S KD KH 2C", "UNKNOWN_GAME")


class TestCancellation:
    def test_of_a_whole_round(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.BetsCancelled("", 1, None, None, None, CancelReason.INCORRECT_ODDS), studio=False)
        assert play.rounds == ["CANCELLED", "PENDING", "PENDING"]
        assert play.game.rounds[0].close_time == play.now
        play.deal("9S")
        assert play.rounds == ["CANCELLED", "OPEN", "PENDING"]

    def test_of_one_bet_or_a_span_the_round_goes_on(self, play: Play) -> None:
        play(events.GameOpened())
        opened = play.now
        play(events.BetsCancelled("", 1, "tie", None, None, CancelReason.INCORRECT_ODDS), studio=False)
        play(events.BetsCancelled("", 1, None, opened, opened + SECOND, CancelReason.LATE_BETS), studio=False)
        assert play.rounds[0] == "OPEN"
        assert play.table.offering
        assert play.cancelled == [
            (1, "tie", None, None, "INCORRECT_ODDS"),
            (1, None, opened, opened + SECOND, "LATE_BETS"),
        ]

    def test_of_a_past_game(self, play: Play) -> None:
        reference = play.play_game()
        play.play_game()
        play(events.BetsCancelled(reference, 3, None, None, None, CancelReason.OTHER), studio=False)
        assert [each.phase.value for each in kept(play, reference).rounds] == ["CLOSED", "CLOSED", "CANCELLED"]
        assert kept(play, reference).results  # the other rounds' bets stay settled

    def test_what_cannot_be(self, play: Play) -> None:
        def refused(reason: str, number: int, bet: str | None = None, span: int | None = None) -> None:
            event = events.BetsCancelled("", number, bet, span, span, CancelReason.OTHER)
            play(event, studio=False, refused=reason)

        refused("UNKNOWN_GAME", 1)
        play(events.GameOpened())
        refused("ROUND_NOT_OPEN", 2)
        refused("ROUND_NOT_OPEN", 9)
        refused("UNKNOWN_BET", 1, bet="lucky-six")
        refused("INVALID_SPAN", 1, span=7)
        play(events.GamesVoided((), VoidReason.OTHER))
        refused("GAME_VOID", 1)


class TestComposition:
    def void(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        play(events.CardBurned(None))
        play(events.GamesVoided((), VoidReason.MISDEAL))

    def test_is_what_was_counted(self, play: Play) -> None:
        self.void(play)
        play(events.CompositionCorrected(bytes((3,) * 52), 6))
        assert play.shoe.left == 150
        assert play.holds == []
        assert (play.shoe.unread, play.shoe.unseen_removed) == (0, 6)
        play(events.ScanCorrected(card("2S")), refused="NO_CARD")

    def test_may_show_that_the_shoe_ends(self, play: Play) -> None:
        self.void(play)
        play(events.CompositionCorrected(bytes((1,) * 39) + bytes(13), 0))
        assert play.shoe.phase == "LAST_GAME"
        play(events.GameOpened(), refused="SHOE_OVER")

    def test_must_be_possible_and_follow_a_void_of_this_shoe(self, play: Play) -> None:
        def refused(reason: str, remaining: bytes, unseen: int = 0) -> None:
            play(events.CompositionCorrected(remaining, unseen), refused=reason)

        refused("GAME_NOT_VOID", bytes((3,) * 52))
        play.play_game()
        refused("GAME_NOT_VOID", bytes((3,) * 52))
        self.void(play)
        refused("INVALID_SHOE", bytes((7,)) + bytes(51))
        refused("INVALID_SHOE", bytes((1,)) + bytes(51), 2)
        refused("INVALID_SHOE", bytes(51))
        play.shoe_loaded()
        refused("GAME_NOT_VOID", bytes((3,) * 52))
