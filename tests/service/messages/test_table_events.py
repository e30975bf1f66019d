"""Events as they are read from messages: what is malformed is told by its path, and nothing is written down."""

from typing import Any, get_args

import pytest

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.domain.cards import CARDS
from pricing.domain.coup import Side
from pricing.domain.errors import PricingError
from pricing.service.errors import RoleTooLow
from pricing.service.messages.table_events import read_report
from pricing.service.roles import Caller, Role
from pricing.table import events
from pricing.table.state import Report

LOCAL = Caller("anonymous", Role.ADMIN, local=True)
CARD = {"card": "9S"}
EXAMPLES: dict[str, dict[str, Any]] = {
    "shoe_loaded": {"decks": 8},
    "game_opened": {},
    "betting_closed": {"round": 2},
    "card_dealt": {"card": "9S", "side": "SIDE_BANKER"},
    "card_burned": CARD,
    "burn_identified": CARD,
    "early_card_resolved": {"dealt": True},
    "cut_card_seen": {},
    "scan_corrected": CARD,
    "result_announced": {"winner": "WINNER_TIE", "player_total": 0, "banker_total": 9},
    "composition_corrected": {"remaining": {"cards": [{"card": "9S", "count": 6}]}, "unseen_removed": 1},
    "resumed": {},
    "notice": {"kind": "NOTICE_KIND_SHUFFLE", "text": "Größe"},
    "games_voided": {"games": ["g1", "g2"], "reason": "VOID_REASON_MISDEAL"},
    "hold_placed": {"reason": "a long lunch"},
    "hold_lifted": {"reason": "a long lunch"},
    "game_resettled": {"game": "g1", "dealt": ["9S", "KD", "KH", "2C"]},
    "bets_cancelled": {"game": "g1", "round": 1, "bet": "tie", "reason": "CANCEL_REASON_LATE_BETS"},
}
"""One of every kind."""
STUDIO_ALONE = list(EXAMPLES)[:13]
TRADER_ALONE = list(EXAMPLES)[-2:]


def read(what: dict[str, Any], caller: Caller = LOCAL) -> Report:
    return read_report(pb.TableEvent(**{"table": "t", "event_id": "e", **what}), caller)


def test_every_kind_of_event_can_be_said() -> None:
    assert set(EXAMPLES) == {field.name for field in pb.TableEvent.DESCRIPTOR.oneofs_by_name["event"].fields}
    read_kinds = {type(read({kind: fields}).event) for kind, fields in EXAMPLES.items()}
    own = {events.TableCreated, events.TableClosed, events.WindowEnded, events.Restarted, events.PolicyChanged}
    assert read_kinds == set(get_args(events.Event)) - own


def test_what_is_said_is_what_is_read() -> None:
    report = read(
        {
            "card_dealt": EXAMPLES["card_dealt"],
            "event_time": {"seconds": 1_700_000_000, "nanos": 1_999},
            "source_number": 2**63 - 1,
            "shoe_position": 1,
            "expected_card_state": 0,
        }
    )
    assert report == Report(
        event_id="e",
        event=events.CardDealt(CARDS.index("9S"), Side.BANKER),
        actor="anonymous",
        studio=True,
        event_time=1_700_000_000_000_001,
        source_number=2**63 - 1,
        shoe_position=1,
        expected_card_state=0,
    )
    plain = read({"card_burned": {}})
    assert (plain.event, plain.event_time, plain.source_number) == (events.CardBurned(None), None, None)
    assert read({"shoe_loaded": {}}).event == events.ShoeLoaded("", 0)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "event"),
    ({"game_opened": {}, "event_id": ""}, "event.event_id"),
    ({"game_opened": {}, "event_id": "two words"}, "event.event_id"),
    ({"game_opened": {}, "event_id": "e" * 129}, "event.event_id"),
    ({"game_opened": {}, "event_id": "ß"}, "event.event_id"),
    ({"game_opened": {}, "event_id": "e\0"}, "event.event_id"),
    ({"game_opened": {}, "source_number": -1}, "event.source_number"),
    ({"game_opened": {}, "shoe_position": -1}, "event.shoe_position"),
    ({"game_opened": {}, "expected_card_state": -1}, "event.expected_card_state"),
    ({"game_opened": {}, "event_time": {"seconds": 2**62}}, "event.event_time"),
    ({"game_opened": {}, "event_time": {"seconds": 1, "nanos": -1}}, "event.event_time"),
    ({"game_opened": {}, "event_time": {"seconds": 1, "nanos": 10**9}}, "event.event_time"),
    ({"shoe_loaded": {"decks": 0}}, "event.shoe_loaded.decks"),
    ({"shoe_loaded": {"decks": 13}}, "event.shoe_loaded.decks"),
    ({"betting_closed": {"round": 0}}, "event.betting_closed.round"),
    ({"card_dealt": {}}, "event.card_dealt.card"),
    ({"card_dealt": {"card": "1S"}}, "event.card_dealt.card"),
    ({"card_dealt": {"card": "9S", "side": 0}}, "event.card_dealt.side"),
    ({"card_dealt": {"card": "9S", "side": 3}}, "event.card_dealt.side"),
    ({"card_burned": {"card": ""}}, "event.card_burned.card"),
    ({"burn_identified": {"card": "XX"}}, "event.burn_identified.card"),
    ({"early_card_resolved": {}}, "event.early_card_resolved"),
    ({"early_card_resolved": {"dealt": False}}, "event.early_card_resolved"),
    ({"scan_corrected": {}}, "event.scan_corrected.card"),
    ({"result_announced": {}}, "event.result_announced.winner"),
    ({"result_announced": {"winner": 4}}, "event.result_announced.winner"),
    ({"result_announced": {"winner": 1, "player_total": 10}}, "event.result_announced.player_total"),
    ({"result_announced": {"winner": 1, "banker_total": -1}}, "event.result_announced.banker_total"),
    ({"composition_corrected": {}}, "event.composition_corrected.remaining"),
    (
        {"composition_corrected": {"remaining": {"cards": [{"card": "XX"}]}}},
        "event.composition_corrected.remaining.cards[0].card",
    ),
    (
        {"composition_corrected": {"remaining": {"cards": [{"card": "9S", "count": 13}]}}},
        "event.composition_corrected.remaining.cards[0].count",
    ),
    (
        {"composition_corrected": {"remaining": {}, "unseen_removed": -1}},
        "event.composition_corrected.unseen_removed",
    ),
    ({"notice": {}}, "event.notice.kind"),
    ({"notice": {"kind": 99}}, "event.notice.kind"),
    ({"notice": {"kind": 1, "text": "x" * 201}}, "event.notice.text"),
    ({"notice": {"kind": 1, "text": "two\nlines"}}, "event.notice.text"),
    ({"games_voided": {}}, "event.games_voided.reason"),
    ({"games_voided": {"games": ["g", "g"], "reason": 1}}, "event.games_voided.games"),
    ({"games_voided": {"games": ["g", ""], "reason": 1}}, "event.games_voided.games[1]"),
    ({"games_voided": {"games": [f"g{number}" for number in range(102)], "reason": 1}}, "event.games_voided.games"),
    ({"hold_placed": {}}, "event.hold_placed.reason"),
    ({"hold_lifted": {"reason": "x" * 65}}, "event.hold_lifted.reason"),
    ({"game_resettled": {"dealt": ["9S", "KX"]}}, "event.game_resettled.dealt[1]"),
    ({"game_resettled": {"game": "g" * 129}}, "event.game_resettled.game"),
    ({"bets_cancelled": {"round": 1}}, "event.bets_cancelled.reason"),
    ({"bets_cancelled": {"round": 1, "bet": "", "reason": 1}}, "event.bets_cancelled.bet"),
    (
        {"bets_cancelled": {"round": 1, "reason": 1, "from_time": {"seconds": 2}, "to_time": {"seconds": 2}}},
        "event.bets_cancelled.to_time",
    ),
]


@pytest.mark.parametrize(("what", "field"), WRONG, ids=[f"{number} {path}" for number, (_, path) in enumerate(WRONG)])
def test_what_is_malformed_is_told_by_its_path(what: dict[str, Any], field: str) -> None:
    with pytest.raises(PricingError) as found:
        read(what)
    assert found.value.field == field


@pytest.mark.parametrize("kind", EXAMPLES)
def test_who_may_report_what(kind: str) -> None:
    allowed = (
        {Role.STUDIO} if kind in STUDIO_ALONE else {Role.TRADER} if kind in TRADER_ALONE else {Role.STUDIO, Role.TRADER}
    )
    for role in Role:
        caller = Caller("somebody", role)
        if role in allowed:
            report = read({kind: EXAMPLES[kind]}, caller)
            assert (report.actor, report.studio) == ("somebody", role is Role.STUDIO)
        else:
            with pytest.raises(RoleTooLow):
                read({kind: EXAMPLES[kind]}, caller)
    assert read({kind: EXAMPLES[kind]}).studio == (kind not in TRADER_ALONE)
