"""Cards that are early, burned, unread, scanned wrong, or cannot be."""

from table.playing import SECOND, Play, card, cards

from pricing.table import events
from pricing.table.events import HoldOwner, VoidReason


def burn_all(play: Play, text: str) -> None:
    """Burn every card of a kind that is left."""
    for _ in range(play.shoe.counts[card(text)]):
        play(events.CardBurned(card(text)))


class TestEarlyCard:
    def test_it_leaves_the_shoe_and_stops_betting(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        assert play.holds == ["EARLY_CARD"]
        assert play.table.offering is None
        assert play.rounds[0] == "OPEN"
        assert play.game.dealt == b""
        assert play.shoe.left == 311
        assert play.game.rounds[0].shoe
        assert play.game.rounds[0].shoe.left == 312  # the odds that were offered

    def test_nothing_more_is_scanned_before_it_is_resolved(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        play(events.CardDealt(card("8S"), None), refused="EARLY_CARD")
        play(events.CardBurned(card("8S")), refused="EARLY_CARD")

    def test_its_time_is_not_before_the_round(self, play: Play) -> None:
        opened = play(events.GameOpened()).time
        play(events.CardDealt(card("9S"), None), seen_at=-62_135_596_800_000_000)
        play(events.EarlyCardResolved(True))
        assert [cut.from_time for cut in play.game.cancellations] == [opened]

    def test_burned_betting_goes_on_at_fresh_odds(self, play: Play) -> None:
        play(events.GameOpened())
        state = play(events.CardDealt(card("9S"), None)).card_state
        play(events.EarlyCardResolved(False))
        assert play.table.card_state == state + 1
        assert play.holds == []
        assert play.table.offering == play.game.rounds[0]
        assert play.game.rounds[0].shoe == play.shoe
        assert play.game.dealt == b""
        assert play.cancelled == []

    def test_dealt_the_round_is_over_and_late_bets_are_cancelled(self, play: Play) -> None:
        play(events.GameOpened())
        seen = play.now + SECOND // 4
        play(events.CardDealt(card("9S"), None), seen_at=seen)
        play(events.EarlyCardResolved(True))
        assert play.rounds == ["CLOSED", "OPEN", "PENDING"]
        assert play.game.dealt == cards("9S")
        assert play.cancelled == [(1, None, seen, None, "LATE_BETS")]
        assert play.table.offering == play.game.rounds[1]
        assert play.shoe.left == 311

    def test_it_was_not_seen_after_it_was_recorded(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None), seen_at=play.now + 3600 * SECOND)
        recorded = play.now
        play(events.EarlyCardResolved(True))
        assert play.cancelled == [(1, None, recorded, None, "LATE_BETS")]

    def test_the_round_may_close_meanwhile(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        play(events.WindowEnded(play.game.reference, 1), studio=False)
        assert play.holds == ["EARLY_CARD"]
        play(events.EarlyCardResolved(True))
        assert play.rounds == ["CLOSED", "OPEN", "PENDING"]
        assert play.cancelled[0][-1] == "LATE_BETS"

    def test_burned_after_the_round_closed(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        play(events.BettingClosed(1))
        play(events.EarlyCardResolved(False))
        play.deal("8S")
        assert play.game.dealt == cards("8S")
        assert play.shoe.left == 310

    def test_it_is_early_at_a_table_that_is_held_as_well(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.HoldPlaced(HoldOwner.TRADER, "LOOK"), studio=False)
        play(events.CardDealt(card("9S"), None))
        assert play.holds == ["LOOK", "EARLY_CARD"]
        assert play.game.dealt == b""

    def test_it_may_be_corrected_while_it_waits(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        play(events.ScanCorrected(card("2S")))
        assert play.holds == ["EARLY_CARD"]
        play(events.EarlyCardResolved(True))
        assert play.game.dealt == cards("2S")
        assert play.shoe.counts[card("9S")] == 6
        assert [reason for *_, reason in play.cancelled] == ["LATE_BETS"]

    def test_it_may_be_corrected_once_dealt(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        play(events.EarlyCardResolved(True))
        dealt = play.now
        play(events.ScanCorrected(card("2S")))
        assert play.game.dealt == cards("2S")
        assert play.cancelled[1:] == [(2, None, dealt, play.now, "INCORRECT_ODDS")]

    def test_a_void_ends_the_wait(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardDealt(card("9S"), None))
        play(events.GamesVoided((), VoidReason.DAMAGED_CARD))
        assert play.holds == []
        play(events.EarlyCardResolved(True), refused="NO_EARLY_CARD")
        play(events.ScanCorrected(card("2S")))
        assert play.game.phase == "VOID"
        assert play.game.dealt == b""
        assert play.shoe.counts[card("9S")] == 6


class TestBurns:
    def test_a_burn_in_a_round_refreshes_its_odds(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardBurned(card("9S")))
        assert play.table.offering
        assert play.table.offering.shoe == play.shoe
        assert play.shoe.counts[card("9S")] == 5

    def test_betting_waits_for_every_unread_card(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardBurned(None))
        play(events.CardBurned(None))
        assert play.holds == ["UNREAD_CARD"]
        assert play.shoe.left == 310
        assert sum(play.shoe.counts) == 312
        play(events.BurnIdentified(card("9S")))
        assert play.holds == ["UNREAD_CARD"]
        play(events.BurnIdentified(None))
        assert play.holds == []
        assert (play.shoe.unread, play.shoe.unseen_removed, play.shoe.left) == (0, 1, 310)
        assert sum(play.shoe.counts) == 311
        assert play.table.offering

    def test_a_fresh_shoe_has_no_unread_cards(self, play: Play) -> None:
        play(events.CardBurned(None))
        play.shoe_loaded()
        assert play.holds == []

    def test_an_identified_card_survives_a_correction_of_the_next(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardBurned(None))
        play(events.CardBurned(card("2S")))
        play(events.BurnIdentified(card("9S")))
        play(events.ScanCorrected(card("3S")))
        assert play.holds == []
        assert play.shoe.unread == 0
        gone = [each for each, count in enumerate(play.shoe.counts) if count < 6]
        assert gone == sorted(cards("9S 3S"))

    def test_an_identification_can_be_corrected(self, play: Play) -> None:
        play(events.CardBurned(None))
        play(events.ScanCorrected(card("2S")), refused="NO_CARD")
        play(events.BurnIdentified(card("9S")))
        play(events.ScanCorrected(card("2S")))
        assert play.shoe.counts[card("9S")] == 6
        assert play.shoe.counts[card("2S")] == 5


class TestCorrections:
    def test_of_a_dealt_card(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        opened = play.now
        state = play.table.card_state
        play(events.ScanCorrected(card("8S")))
        assert play.game.dealt == cards("8S")
        assert play.table.card_state == state + 1
        assert (play.shoe.counts[card("9S")], play.shoe.counts[card("8S")]) == (6, 5)
        assert play.shoe.drawn == 1
        assert play.cancelled == [(2, None, opened, play.now, "INCORRECT_ODDS")]
        assert play.table.offering == play.game.rounds[1]
        assert play.table.offering.shoe == play.shoe

    def test_to_the_same_card_cancels_nothing(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        shoe = play.shoe
        play(events.ScanCorrected(card("9S")))
        assert play.shoe == shoe
        assert play.cancelled == []

    def test_a_round_that_closed_stays_closed(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        play(events.BettingClosed(2))
        play(events.ScanCorrected(card("8S")))
        assert play.rounds == ["CLOSED", "CLOSED", "PENDING"]
        assert [(number, reason) for number, *_, reason in play.cancelled] == [(2, "INCORRECT_ODDS")]

    def test_of_a_burned_card_cancels_what_was_struck_since(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.CardBurned(card("9S")))
        burned = play.now
        play(events.ScanCorrected(card("8S")))
        assert play.cancelled == [(1, None, burned, play.now, "INCORRECT_ODDS")]

    def test_of_a_card_burned_between_games(self, play: Play) -> None:
        play.play_game()
        play(events.CardBurned(card("9S")))
        play(events.GameOpened())
        opened = play.now
        play(events.ScanCorrected(card("8S")))
        assert play.cancelled == [(1, None, opened, play.now, "INCORRECT_ODDS")]

    def test_of_a_card_that_ended_the_coup(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("2S 3S 2D 6S")  # Banker has a natural
        assert play.game.phase == "ENDED"
        play(events.ScanCorrected(card("2C")))
        assert play.game.phase == "OPEN"
        assert play.outcomes == ["SETTLED", "ROLLED_BACK"]
        assert play.game.results == ()
        play.deal("5S")
        assert play.outcomes == ["SETTLED", "ROLLED_BACK"]
        play.deal("KD")
        assert play.outcomes == ["SETTLED", "ROLLED_BACK", "SETTLED"]

    def test_of_a_card_that_only_changes_the_result(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S KD KH 2C")
        assert play.results["player"] == "WON"
        play(events.ScanCorrected(card("9D")))
        assert play.game.phase == "ENDED"
        assert play.outcomes == ["SETTLED", "ROLLED_BACK", "SETTLED"]
        assert play.results["tie"] == "WON"

    def test_skipped_rounds_revive(self, many_rounds: Play) -> None:
        many_rounds(events.GameOpened())
        many_rounds.deal("2S 3S 2D 6S")
        assert many_rounds.rounds == ["CLOSED", "CLOSED", "CLOSED", "SKIPPED", "SKIPPED"]
        many_rounds(events.ScanCorrected(card("2C")))
        assert many_rounds.rounds == ["CLOSED", "CLOSED", "CLOSED", "OPEN", "PENDING"]

    def test_an_open_round_ends_with_the_coup(self, many_rounds: Play) -> None:
        many_rounds(events.GameOpened())
        many_rounds.deal("2S 3S 2D 2C")
        assert many_rounds.rounds[3] == "OPEN"
        many_rounds(events.ScanCorrected(card("6S")))
        assert many_rounds.game.phase == "ENDED"
        assert many_rounds.rounds == ["CLOSED", "CLOSED", "CLOSED", "CLOSED", "SKIPPED"]
        assert [(number, reason) for number, *_, reason in many_rounds.cancelled] == [(4, "INCORRECT_ODDS")]

    def test_not_past_a_card_that_nobody_could_read(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        play(events.CardBurned(None))
        play(events.ScanCorrected(card("8S")), refused="NO_CARD")

    def test_only_of_the_last_card_and_only_in_its_game(self, play: Play) -> None:
        play(events.GameOpened())
        play(events.ScanCorrected(card("9S")), refused="NO_CARD")
        play.deal("9S KD KH 2C")
        play.announce()
        play(events.ScanCorrected(card("3C")), refused="NO_CARD")
        play(events.GameOpened())
        play(events.ScanCorrected(card("3C")), refused="NO_CARD")

    def test_of_a_void_games_card_mends_the_shoe_only(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        play(events.GamesVoided((), VoidReason.SCAN_ERROR))
        play(events.ScanCorrected(card("8S")))
        assert play.game.phase == "VOID"
        assert play.game.dealt == cards("9S")
        assert play.shoe.counts[card("8S")] == 5
        assert play.cancelled == []
        assert play.outcomes == ["VOIDED"]

    def test_a_shoe_that_a_bad_shuffle_retired_stays_so(self, play: Play) -> None:
        play.play_game()
        play(events.CardBurned(card("2S")))
        play(events.GamesVoided((), VoidReason.BAD_SHUFFLE))
        play(events.ScanCorrected(card("3S")))
        assert play.shoe.phase == "RETIRED"

    def test_the_last_games_count_survives_it(self, many_rounds: Play) -> None:
        many_rounds(events.CutCardSeen())
        many_rounds(events.CardBurned(card("2S")))
        many_rounds(events.GameOpened())
        many_rounds(events.ScanCorrected(card("3S")))
        many_rounds.deal("KS QD 9S JH")
        many_rounds.announce()
        assert many_rounds.shoe.phase == "RETIRED"


class TestImpossibleCards:
    def test_nothing_more_is_offered(self, play: Play) -> None:
        burn_all(play, "AS")
        assert play.shoe.phase == "ACTIVE"
        play(events.GameOpened())
        play.deal("AS")
        assert play.shoe.phase == "UNTRUSTED"
        assert play.holds == ["SHOE_UNTRUSTED"]
        assert play.rounds == ["CLOSED", "SKIPPED", "PENDING"]
        assert play.shoe.left == 305

    def test_the_game_is_settled_if_its_cards_are_complete(self, play: Play) -> None:
        burn_all(play, "AS")
        play(events.GameOpened())
        play.deal("AS KS 8S KD")
        assert play.results["player"] == "WON"
        play.announce()
        play(events.GameOpened(), refused="SHOE_OVER")
        play.shoe_loaded()
        assert play.holds == ["REFUSED_EVENT"]
        assert play.game.phase == "CONFIRMED"

    def test_a_settled_game_must_be_announced_first(self, play: Play) -> None:
        burn_all(play, "AS")
        play(events.GameOpened())
        play.deal("AS KS 8S KD")
        play(events.ShoeLoaded("bet-on-baccarat", 6), refused="GAME_RUNNING")

    def test_a_scan_is_corrected_twice(self, play: Play) -> None:
        play(events.GameOpened())
        play.deal("9S")
        play(events.BettingClosed(2))
        play(events.ScanCorrected(card("8S")))
        play(events.ScanCorrected(card("7S")))
        assert play.game.dealt == cards("7S")
        assert [(number, reason) for number, *_, reason in play.cancelled] == [(2, "INCORRECT_ODDS")]

    def test_else_it_is_void_at_the_next_shoe(self, play: Play) -> None:
        burn_all(play, "AS")
        play(events.GameOpened())
        play.deal("AS KS")
        play.shoe_loaded()
        assert play.game.phase == "VOID"
        assert play.game.outcomes[-1].reason == "SHOE_UNTRUSTED"
        assert play.rounds == ["CANCELLED", "SKIPPED", "SKIPPED"]
        assert play.holds == []

    def test_a_correction_makes_it_possible_again(self, play: Play) -> None:
        burn_all(play, "AS")
        play(events.GameOpened())
        play.deal("AS")
        play(events.ScanCorrected(card("AD")))
        assert play.shoe.phase == "ACTIVE"
        assert play.holds == []
        assert play.rounds == ["CLOSED", "OPEN", "PENDING"]
        assert play.table.offering
        assert (play.shoe.counts[card("AS")], play.shoe.counts[card("AD")]) == (0, 5)
        assert play.cancelled == []  # nothing was offered at odds it made

    def test_a_later_correction_leaves_it_impossible(self, play: Play) -> None:
        burn_all(play, "AS")
        play(events.GameOpened())
        play.deal("AS KS")
        play(events.ScanCorrected(card("QS")))
        assert play.shoe.phase == "UNTRUSTED"
        assert play.rounds == ["CLOSED", "SKIPPED", "SKIPPED"]

    def test_burned_identified_and_early_ones(self, play: Play) -> None:
        burn_all(play, "AS")
        play(events.CardBurned(None))
        play(events.BurnIdentified(card("AS")))
        assert play.shoe.phase == "UNTRUSTED"
        play(events.ScanCorrected(card("AD")))
        play(events.CardBurned(card("AS")))
        assert play.shoe.phase == "UNTRUSTED"
        play(events.ScanCorrected(card("AD")))
        play(events.GameOpened())
        play(events.CardDealt(card("AS"), None))
        assert play.holds == ["EARLY_CARD", "SHOE_UNTRUSTED"]
        play(events.EarlyCardResolved(True))
        assert play.holds == ["SHOE_UNTRUSTED"]
        assert play.rounds == ["CLOSED", "SKIPPED", "PENDING"]

    def test_counting_the_cards_after_a_void_ends_the_doubt(self, play: Play) -> None:
        burn_all(play, "AS")
        play(events.GameOpened())
        play.deal("AS")
        play(events.GamesVoided((), VoidReason.SHOE_UNTRUSTED))
        play(events.GameOpened(), refused="SHOE_OVER")
        play(events.Resumed())
        play(events.CompositionCorrected(bytes((5,) * 52), 0))
        assert play.shoe.phase == "ACTIVE"
        assert play.holds == []
        play(events.GameOpened())


def test_the_past_is_bounded(play: Play) -> None:
    references = []
    for number in range(130):
        if number % 5 == 0:
            play.shoe_loaded()
        references.append(play.play_game())
    assert len(play.table.past.packed) == 100
    found = [play.table.find_game(reference) for reference in references]
    assert [game.reference if game else None for game in found] == [None] * 29 + references[29:]
