"""TableService as its callers see it: tables are made, events taken, refused, repeated, and shown."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
from service.serving import ServerProcess, refused, server_process
from service.studio import GAME, Studio, event_of, holds, offers, open_round, rounds

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceStub
from pricing.service.calls.tokens import entry
from pricing.service.roles import Role
from pricing.store.reader import open_reader
from pricing.store.rows import Row

NAMES = (f"table-{number}" for number in count(1))
"""Each test has a table of its own at the one server."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[ServerProcess]:
    with server_process("--data", str(data)) as running:
        yield running


@pytest.fixture
def studio(channel: Any) -> Studio:
    return Studio(channel, next(NAMES)).create()


@pytest.fixture
def tables(channel: Any) -> Any:
    return TableServiceStub(channel)


def rows(data: Path, table: str) -> list[Row]:
    with open_reader(data) as journal:
        return list(journal.read(table))


def create(tables: Any, **what: Any) -> tables_pb2.Table:
    request = pb.CreateTableRequest(**{"game_type": GAME.name, "event_id": "made", **what})
    image: tables_pb2.Table = tables.CreateTable(request).table
    return image


def test_a_table_begins_without_a_shoe(tables: Any, data: Path) -> None:
    image = create(tables, table="fresh", test=True)
    assert (image.table, image.game_type, image.test) == ("fresh", GAME.name, True)
    assert (image.state, image.position) == (tables_pb2.TABLE_STATE_OPEN, 1)
    assert list(image.round_windows_ms) == [15_000, 10_000, 10_000]
    assert not any(image.HasField(name) for name in ("shoe", "game", "notice", "source_number"))
    with open_reader(data) as journal:
        assert image.epoch == journal.epoch


def test_a_table_is_made_once(tables: Any, data: Path) -> None:
    first = create(tables, table="once")
    assert create(tables, table="once") == first
    with refused(grpc.StatusCode.ALREADY_EXISTS, "TABLE_EXISTS"):
        create(tables, table="once", event_id="another")
    for other in ({"test": True}, {"game_type": "punto-banco"}, {"round_windows_ms": [1, 2, 3]}):
        with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
            create(tables, table="once", **other)
    assert create(tables, table="once", round_windows_ms=[15_000, 10_000, 10_000]) == first
    assert len(rows(data, "once")) == 1


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({"table": ""}, "table", "INVALID_TABLE"),
        ({"table": "Table"}, "table", "INVALID_TABLE"),
        ({"table": "1st"}, "table", "INVALID_TABLE"),
        ({"table": "a" * 65}, "table", "INVALID_TABLE"),
        ({"table": "a\n"}, "table", "INVALID_TABLE"),
        ({"game_type": "roulette"}, "game_type", "UNKNOWN_GAME_TYPE"),
        ({"round_windows_ms": [1]}, "round_windows_ms", "INVALID_TABLE"),
        ({"round_windows_ms": [1, 1, -1]}, "round_windows_ms", "INVALID_TABLE"),
        ({"round_windows_ms": [0, 0, 3_600_001]}, "round_windows_ms", "INVALID_TABLE"),
        ({"event_id": ""}, "event_id", "INVALID_EVENT"),
        ({"event_id": "two words"}, "event_id", "INVALID_EVENT"),
        ({"event_id": "e" * 129}, "event_id", "INVALID_EVENT"),
    ],
)
def test_a_table_that_cannot_be(tables: Any, given: dict[str, Any], field: str, reason: str) -> None:
    with refused(grpc.StatusCode.INVALID_ARGUMENT, reason) as found:
        create(tables, **{"table": "never", **given})
    assert [path for path, _ in found[0].violations] == [field]
    with refused(grpc.StatusCode.NOT_FOUND, "UNKNOWN_TABLE"):
        tables.GetTable(pb.GetTableRequest(table="never"))


def test_tables_are_listed_by_name_in_pages() -> None:
    with server_process() as other, other.channel() as channel:
        tables: Any = TableServiceStub(channel)
        for name in ("c", "a", "b"):
            Studio(channel, name).create().say(game_opened={})
        first = tables.ListTables(pb.ListTablesRequest(page_size=2))
        assert [image.table for image in first.tables] == ["a", "b"]
        assert not first.tables[0].game.rounds[0].bets
        second = tables.ListTables(pb.ListTablesRequest(page_token=first.next_page_token))
        assert ([image.table for image in second.tables], second.next_page_token) == (["c"], "")


def test_a_table_is_closed_between_games_and_once(studio: Studio, tables: Any) -> None:
    close = pb.CloseTableRequest(table=studio.table, event_id="closed")
    studio.say(game_opened={})
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "GAME_RUNNING"):
        tables.CloseTable(close)
    studio.say(games_voided={"reason": "VOID_REASON_OTHER"})
    for _ in range(2):
        assert tables.CloseTable(close).table.state == tables_pb2.TABLE_STATE_CLOSED
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "TABLE_CLOSED"):
        tables.CloseTable(pb.CloseTableRequest(table=studio.table, event_id="closed-again"))
    assert studio.send(studio.event(game_opened={})).refusal.reason == "TABLE_CLOSED"
    assert studio.look().state == tables_pb2.TABLE_STATE_CLOSED


def test_a_table_that_nobody_made(tables: Any) -> None:
    with refused(grpc.StatusCode.NOT_FOUND, "UNKNOWN_TABLE") as found:
        tables.RecordEvent(pb.RecordEventRequest(event=event_of("none", "e", game_opened={})))
    assert found[0].violations[0][0] == "event.table"
    requests = (
        (tables.GetTable, pb.GetTableRequest(table="none")),
        (tables.CloseTable, pb.CloseTableRequest(table="none", event_id="e")),
    )
    for method, request in requests:
        with refused(grpc.StatusCode.NOT_FOUND, "UNKNOWN_TABLE") as found:
            method(request)
        assert found[0].violations[0][0] == "table"


def test_a_receipt_says_where_the_event_is_and_what_the_table_is_at(studio: Studio) -> None:
    opened = studio.say(game_opened={})
    assert (opened.table, opened.event_id, opened.position) == (studio.table, "e2", 3)
    assert opened.game.startswith(f"{studio.table}-20")
    studio.say(betting_closed={"round": 1})
    dealt = studio.say(card_dealt={"card": "9S", "side": "SIDE_PLAYER"}, shoe_position=1, expected_card_state=1)
    assert (dealt.card_state, dealt.position, dealt.game) == (2, 5, opened.game)


def test_the_same_event_gets_the_same_answer_for_ever(studio: Studio, data: Path) -> None:
    """Also when the table has gone on, so that it would be refused now, or its expectations are stale."""
    events = [
        studio.event(game_opened={}),
        studio.event(betting_closed={}),
        studio.event(card_dealt={"card": "9S"}, expected_card_state=1, shoe_position=1),
        studio.event(betting_closed={}),
        studio.event(result_announced={"winner": "WINNER_TIE"}),  # too early: refused
        studio.event(card_dealt={"card": "KD"}),
    ]
    first = [studio.send(event) for event in events]
    assert [receipt.refusal.reason for receipt in first] == ["", "", "", "", "GAME_NOT_ENDED", ""]
    for receipt in first:
        assert not receipt.duplicate
        receipt.duplicate = True
    image = studio.look()
    assert [studio.send(event) for event in events] == first
    assert studio.look() == image
    assert len(rows(data, studio.table)) == len(events) + 2


def test_an_id_belongs_to_one_event(studio: Studio, data: Path) -> None:
    opened = studio.event(game_opened={})
    studio.send(opened)
    before = studio.look()
    changes: list[dict[str, Any]] = [
        {"betting_closed": {}},
        {"source_number": 9},
        {"expected_card_state": 1},
        {"shoe_position": 0},
        {"event_time": {"seconds": 1}},
    ]
    for change in changes:
        other = pb.TableEvent()
        other.CopyFrom(opened)
        other.MergeFrom(pb.TableEvent(**change))
        with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
            studio.send(other)
    with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
        studio.send(studio.event(event_id="made", game_opened={}))
    assert studio.look() == before
    assert len(rows(data, studio.table)) == 3


def test_a_fresh_shoe_with_and_without_its_decks_said(studio: Studio) -> None:
    loaded = studio.event(shoe_loaded={"decks": 8})
    studio.send(loaded)
    assert studio.look().shoe.decks == 8
    assert studio.send(loaded).duplicate
    loaded.shoe_loaded.ClearField("decks")
    assert studio.send(loaded).duplicate  # it says less, but nothing else
    loaded.shoe_loaded.decks = 6
    with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
        studio.send(loaded)


def test_what_the_rules_forbid_a_studio_is_in_the_journal_and_holds_the_table(studio: Studio, data: Path) -> None:
    studio.say(game_opened={})
    studio.say(betting_closed={})
    receipt = studio.send(studio.event(card_dealt={"card": "9S", "side": "SIDE_BANKER"}))
    assert (receipt.refusal.reason, receipt.card_state) == ("WRONG_SIDE", 1)
    last = rows(data, studio.table)[-1]
    assert (last.event_id, last.kind, "WRONG_SIDE" in last.outcome) == (receipt.event_id, "card_dealt", True)
    image = studio.look()
    assert (image.state, holds(image)) == (tables_pb2.TABLE_STATE_HELD, ["REFUSED_EVENT"])
    assert not image.game.dealt
    studio.say(resumed={})
    assert studio.look().state == tables_pb2.TABLE_STATE_OPEN


def test_what_the_rules_forbid_a_trader_is_not_in_the_journal(studio: Studio, data: Path) -> None:
    game = studio.say(game_opened={}).game
    before = rows(data, studio.table)
    for what, reason in (
        ({"game_resettled": {"game": game, "dealt": ["9S", "KD", "KH", "2C"]}}, "GAME_NOT_ENDED"),
        ({"bets_cancelled": {"game": "no-such", "round": 1, "reason": "CANCEL_REASON_OTHER"}}, "UNKNOWN_GAME"),
        ({"bets_cancelled": {"round": 3, "reason": "CANCEL_REASON_OTHER"}}, "ROUND_NOT_OPEN"),
    ):
        with refused(grpc.StatusCode.FAILED_PRECONDITION, reason):
            studio.send(studio.event(**what))
    assert rows(data, studio.table) == before
    assert studio.look().state == tables_pb2.TABLE_STATE_OPEN


@pytest.mark.parametrize("field", ["expected_card_state", "shoe_position"])
def test_a_view_that_is_not_the_table_s_is_told_the_current_one(studio: Studio, field: str, data: Path) -> None:
    studio.say(card_burned={"card": "AS"})
    before = rows(data, studio.table)
    with refused(grpc.StatusCode.ABORTED, "CARD_STATE_CHANGED") as found:
        studio.send(studio.event(card_burned={"card": "KS"}, **{field: 1}))
    assert dict(found[0].info.metadata) == {field: "2"}
    assert rows(data, studio.table) == before
    studio.send(studio.event(card_burned={"card": "KS"}, **{field: 2}))


def test_a_jump_of_the_source_numbers_holds_the_table(studio: Studio) -> None:
    studio.say(game_opened={}, source_number=5)
    image = studio.look()
    assert (image.source_number, holds(image)) == (5, ["SOURCE_GAP"])
    assert set(offers(image, 1).values()) == {"SUSPENDED"}
    receipt = studio.send(studio.event(betting_closed={}, source_number=5))
    assert receipt.refusal.reason == "OUT_OF_ORDER"
    assert holds(studio.look()) == ["SOURCE_GAP", "REFUSED_EVENT"]
    studio.say(resumed={}, source_number=6)
    assert set(offers(studio.look(), 1).values()) == {"ACTIVE"}


def test_a_game_from_its_opening_to_its_confirmation(studio: Studio) -> None:
    game = studio.say(game_opened={}).game
    image = studio.look()
    assert (open_round(image), rounds(image)) == (1, ["OPEN", "PENDING", "PENDING"])
    assert set(offers(image, 1).values()) == {"ACTIVE"}
    assert offers(image, 2) == {}
    studio.say(betting_closed={})
    image = studio.look()
    assert set(offers(image, 1).values()) == {"SUSPENDED"}
    assert all(bet.HasField("odds") for bet in image.game.rounds[0].bets)
    studio.deal("2D")
    image = studio.look()
    assert (set(offers(image, 1).values()), set(offers(image, 2).values())) == ({"INACTIVE"}, {"ACTIVE"})
    assert not any(bet.HasField("odds") for bet in image.game.rounds[0].bets)
    studio.deal("6H KC 7S")
    image = studio.look()
    assert image.game.next_card == 1
    assert {bet.bet for bet in image.game.rounds[2].bets if bet.result != 1} == {
        "player-pair", "banker-pair", "either-pair", "perfect-pair", "small", "big"
    }  # fmt: skip
    studio.deal("TD 6C")
    image = studio.look()
    assert image.game.state == tables_pb2.GAME_STATE_ENDED
    assert (image.game.player_total, image.game.banker_total, image.game.HasField("next_card")) == (2, 9, False)
    assert all(set(offers(image, number).values()) == {"SETTLED"} for number in (1, 2, 3))
    won = [each.bet for each in image.game.results if each.result == 2]
    assert won == ["banker", "big"]
    studio.say(result_announced={"winner": "WINNER_BANKER", "player_total": 2, "banker_total": 9})
    image = studio.look()
    assert (image.game.state, image.game.game) == (tables_pb2.GAME_STATE_CONFIRMED, game)
    assert (image.shoe.drawn, image.shoe.cards_remaining, image.card_state) == (6, 306, 7)


def test_a_burn_refreshes_the_odds_of_the_open_round(studio: Studio) -> None:
    studio.say(game_opened={})
    before = studio.look().game.rounds[0]
    studio.say(card_burned={"card": "AS"})
    after = studio.look().game.rounds[0]
    assert after.total_ways < before.total_ways
    studio.say(card_burned={})
    assert (holds(studio.look()), set(offers(studio.look(), 1).values())) == (["UNREAD_CARD"], {"SUSPENDED"})
    studio.say(burn_identified={"card": "KS"})
    assert set(offers(studio.look(), 1).values()) == {"ACTIVE"}


def test_an_early_card_waits_for_its_resolution(studio: Studio) -> None:
    studio.say(game_opened={})
    seen = studio.look().game.open_time
    seen.nanos += 1_000  # by the studio's clock, a microsecond after betting began
    studio.say(card_dealt={"card": "9S"}, event_time=seen)
    image = studio.look()
    assert (holds(image), image.game.early_card, list(image.game.dealt)) == (["EARLY_CARD"], "9S", [])
    assert set(offers(image, 1).values()) == {"SUSPENDED"}
    studio.say(early_card_resolved={"dealt": True})
    image = studio.look()
    assert (list(image.game.dealt), open_round(image)) == (["9S"], 2)
    (late,) = image.game.cancellations
    assert (late.round, late.from_time, late.reason) == (1, seen, tables_pb2.CANCEL_REASON_LATE_BETS)


def test_a_corrected_scan_keeps_what_was_offered(studio: Studio) -> None:
    """The round was priced from a card that was another one; the image still lists it, at the odds of then."""
    studio.say(game_opened={})
    studio.deal("9S")
    before = studio.look().game.rounds[1]
    studio.say(betting_closed={})
    studio.say(scan_corrected={"card": "9C"})
    image = studio.look()
    assert list(image.game.dealt) == ["9C"]
    assert image.game.cancellations[0].reason == tables_pb2.CANCEL_REASON_INCORRECT_ODDS
    assert image.game.rounds[1].total_ways == before.total_ways
    assert [bet.win_ways for bet in image.game.rounds[1].bets] == [bet.win_ways for bet in before.bets]


def test_voids_resettlements_and_cancellations_are_all_kept(studio: Studio) -> None:
    game = studio.play_game()
    studio.say(bets_cancelled={"game": game, "round": 1, "bet": "tie", "reason": "CANCEL_REASON_INCORRECT_ODDS"})
    studio.say(bets_cancelled={"round": 2, "reason": "CANCEL_REASON_OTHER"})
    studio.say(game_resettled={"game": game, "dealt": ["9S", "6H", "KC", "3C"]})
    image = studio.look()
    kinds = [tables_pb2.OutcomeKind.Name(each.kind).removeprefix("OUTCOME_KIND_") for each in image.game.outcomes]
    assert kinds == ["SETTLED", "ROLLED_BACK", "SETTLED"]
    assert [each.bet for each in image.game.results if each.result == 4] == ["player", "banker"]  # 9 to 9
    assert (offers(image, 1)["tie"], offers(image, 1)["player"]) == ("CANCELLED", "SETTLED")
    assert (rounds(image)[1], set(offers(image, 2).values())) == ("CANCELLED", {"CANCELLED"})
    studio.say(games_voided={"games": [game], "reason": "VOID_REASON_MISDEAL"})
    image = studio.look()
    assert image.game.state == tables_pb2.GAME_STATE_VOID
    assert image.game.outcomes[-1].reason == "MISDEAL"
    assert {each.result for each in image.game.results} == {5}


def test_a_shoe_that_cannot_be_is_taken_and_not_trusted(studio: Studio) -> None:
    for _ in range(7):
        studio.say(card_burned={"card": "AS"})
    image = studio.look()
    assert (image.shoe.state, holds(image)) == (tables_pb2.SHOE_STATE_UNTRUSTED, ["SHOE_UNTRUSTED"])
    assert studio.send(studio.event(game_opened={})).refusal.reason == "SHOE_OVER"


def test_a_hold_is_lifted_by_its_own_side(tmp_path: Path) -> None:
    """And who may report what goes by the event, and by the caller's credential."""
    callers = {role: f"token of {role}" for role in Role}
    file = tmp_path / "callers.toml"
    file.write_text("\n\n".join(entry(f"the-{role}", role, token) for role, token in callers.items()), "utf-8")
    data = tmp_path / "data"
    with server_process("--tokens", str(file), "--data", str(data)) as server, server.channel() as channel:
        tables: Any = TableServiceStub(channel)
        studio = Studio(channel, "t")

        def by(role: Role, call: Any, request: Any) -> Any:
            return call(request, metadata=[("authorization", f"Bearer {callers[role]}")])

        def record(role: Role, **what: Any) -> pb.EventReceipt:
            receipt: pb.EventReceipt = by(
                role, tables.RecordEvent, pb.RecordEventRequest(event=studio.event(**what))
            ).receipt
            return receipt

        made = pb.CreateTableRequest(table="t", game_type=GAME.name, event_id="made")
        for role in (Role.READER, Role.STUDIO, Role.TRADER):
            with refused(grpc.StatusCode.PERMISSION_DENIED, "ROLE_TOO_LOW"):
                by(role, tables.CreateTable, made)
        by(Role.ADMIN, tables.CreateTable, made)
        for role in (Role.READER, Role.ADMIN, Role.TRADER):
            with refused(grpc.StatusCode.PERMISSION_DENIED, "ROLE_TOO_LOW"):
                record(role, shoe_loaded={})
            assert by(role, tables.GetTable, pb.GetTableRequest(table="t")).table.position == 1
        with refused(grpc.StatusCode.PERMISSION_DENIED, "ROLE_TOO_LOW"):
            record(Role.STUDIO, bets_cancelled={"round": 1, "reason": "CANCEL_REASON_OTHER"})
        with refused(grpc.StatusCode.PERMISSION_DENIED, "ROLE_TOO_LOW"):
            by(Role.STUDIO, tables.CloseTable, pb.CloseTableRequest(table="t", event_id="closed"))
        studio.number = 0
        record(Role.STUDIO, hold_placed={"reason": "lunch"})
        record(Role.TRADER, hold_placed={"reason": "lunch"})
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "HOLD_PLACED"):
            record(Role.TRADER, hold_placed={"reason": "lunch"})
        record(Role.TRADER, hold_lifted={"reason": "lunch"})
        image = by(Role.READER, tables.GetTable, pb.GetTableRequest(table="t")).table
        assert [(hold.owner, hold.reason) for hold in image.holds] == [(tables_pb2.HOLD_OWNER_STUDIO, "lunch")]
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "NO_SUCH_HOLD"):
            record(Role.TRADER, hold_lifted={"reason": "lunch"})
        assert [row.actor for row in rows(data, "t")] == ["the-admin", "the-studio", "the-trader", "the-trader"]


def test_metrics(server: ServerProcess, studio: Studio) -> None:
    before = server.metrics()
    studio.say(notice={"kind": "NOTICE_KIND_BREAK", "text": "back at five"})
    again = studio.event(notice={"kind": "NOTICE_KIND_BREAK"}, event_id="again")
    assert [studio.send(again).duplicate for _ in range(2)] == [False, True]
    studio.send(studio.event(early_card_resolved={"burned": True}))
    after = server.metrics()

    def grown(name: str) -> float:
        return after[name] - before[name]

    events = "baccarat_pricing_events_total"
    assert grown(f'{events}{{kind="notice",outcome="taken"}}') == 2
    assert grown(f'{events}{{kind="notice",outcome="repeated"}}') == 1
    assert grown(f'{events}{{kind="early_card_resolved",outcome="refused"}}') == 1
    assert grown("baccarat_pricing_journal_append_seconds_count") == 3
    assert grown('baccarat_pricing_tables{state="held"}') == 1
    assert grown('baccarat_pricing_tables{state="open"}') == -1
    assert after["baccarat_pricing_journal_fault"] == 0
