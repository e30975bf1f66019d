"""TradingService as traders see it: policies set, checked and refused, limits and books in images, holds by scope."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
from service.serving import ServerProcess, refused, server_process
from service.studio import BY_EVENT, Studio, offers

from pricing.baccarat.v1 import odds_service_pb2, tables_pb2
from pricing.baccarat.v1 import table_service_pb2 as table_pb
from pricing.baccarat.v1 import trading_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceStub
from pricing.baccarat.v1.trading_service_pb2_grpc import TradingServiceStub
from pricing.service.calls.tokens import entry
from pricing.service.roles import Role

NAMES = (f"table-{number}" for number in count(1))
IDS = (f"u{number}" for number in count(1))
NO_TIE = pb.Policy(rules=[pb.PolicyRule(bet="tie", closed=True)])
DEARER = pb.Policy(rules=[pb.PolicyRule(bet="tie", margin_shift="0.03")])
GENEROUS = """
name = "generous"
display_name = "Generous"
rules_version = "1"
decks = 8
rounds = [{ cards = 0 }, { cards = 2 }]
shoe_change = { below = 8 }
ladder = [{ from = "1.01", step = "0.01", to = "1000.00" }]

[[bets]]
id = "natural-tie"
name = "Tie at 60 to 1"
rule = "Pays 60 to 1 on a Tie."
rows = [{ name = "tie", cells = [{ winner = "tie" }], pays = "61.00" }]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    games = tmp_path_factory.mktemp("games")
    (games / "generous.toml").write_text(GENEROUS, "utf-8")
    with server_process("--games", str(games)) as running:
        yield running


@pytest.fixture
def studio(channel: Any) -> Studio:
    return Studio(channel, next(NAMES)).create()


@pytest.fixture(scope="module")
def trading(channel: Any) -> Any:
    return TradingServiceStub(channel)


def update(trading: Any, policy: pb.Policy, *tables: str, **what: Any) -> pb.UpdatePolicyResponse:
    given = {"targets": [pb.PolicyTarget(table=name) for name in tables], "update_id": next(IDS), **what}
    response: pb.UpdatePolicyResponse = trading.UpdatePolicy(pb.UpdatePolicyRequest(policy=policy, **given), timeout=30)
    return response


def policy_of(trading: Any, table: str) -> pb.GetPolicyResponse:
    response: pb.GetPolicyResponse = trading.GetPolicy(pb.GetPolicyRequest(table=table))
    return response


def odds(image: tables_pb2.Table, number: int = 1) -> dict[str, str]:
    return {bet.bet: bet.odds for bet in image.game.rounds[number - 1].bets}


def test_a_table_begins_with_nothing_set(studio: Studio, trading: Any) -> None:
    found = policy_of(trading, studio.table)
    assert (found.policy, found.version, found.etag) == (pb.Policy(), "", "standing")
    assert len(found.terms) == 27
    tie = next(each for each in found.terms if (each.round, each.bet) == (1, "tie"))
    assert (tie.closed, tie.model, tie.book) == (False, "target-return", "tie")


def test_a_policy_moves_prices_and_every_price_says_so(studio: Studio, trading: Any) -> None:
    studio.say(game_opened={})
    before = studio.look()
    response = update(trading, DEARER, studio.table, comment="ties are in demand")
    after = studio.look()
    assert response.receipts[0].position == after.position == before.position + 1
    assert after.card_state == before.card_state
    assert float(odds(after)["tie"]) < float(odds(before)["tie"])
    assert odds(after)["player"] == odds(before)["player"]
    versions = [before.game.rounds[0].policy_version, after.game.rounds[0].policy_version]
    assert versions[1] == f"{versions[0]}+{response.version}"
    assert policy_of(trading, studio.table).etag == response.etag == response.version


def test_the_feed_tells_of_it(studio: Studio, channel: Any, trading: Any) -> None:
    odds_stub: Any = OddsServiceStub(channel)
    request = odds_service_pb2.GetOddsRequest(table=studio.table)
    studio.say(game_opened={})
    odds_stub.GetOdds(request)  # from now on its changes are known
    response = update(trading, DEARER, studio.table)
    image = odds_stub.GetOdds(request).image
    assert list(image.changes) == [odds_service_pb2.CHANGE_KIND_ODDS_CHANGE, odds_service_pb2.CHANGE_KIND_POLICY]
    assert image.sequence == response.receipts[0].position
    assert image.table.game.rounds[0].policy_version.endswith(f"+{response.version}")


def test_a_closed_round_keeps_the_prices_it_closed_at(studio: Studio, trading: Any) -> None:
    studio.say(game_opened={})
    studio.say(betting_closed={})
    before = studio.look().game.rounds[0]
    update(trading, NO_TIE, studio.table)
    assert studio.look().game.rounds[0] == before
    studio.say(card_dealt={"card": "9S"})
    assert offers(studio.look(), 2)["tie"] == "INACTIVE"


def test_limits_and_books_are_in_the_image(studio: Studio, trading: Any) -> None:
    limit = tables_pb2.StakeLimit(currency="JPY", min_stake=100, max_stake=50_000, stake_step=100, max_payout=1_000_000)
    policy = pb.Policy(rules=[pb.PolicyRule(bet="tie", round=1, limits=[limit])])
    studio.say(game_opened={})
    first = studio.look().game.rounds[0]
    update(trading, policy, studio.table)
    now = studio.look().game.rounds[0]
    by_bet = {each.bet: list(each.limits) for each in now.limits}
    assert limit in by_bet["tie"]
    assert all(limit not in limits for bet, limits in by_bet.items() if bet != "tie")
    assert [each for each in by_bet["tie"] if each.currency != "JPY"] == [
        limit for each in first.limits if each.bet == "tie" for limit in each.limits
    ]
    for book in now.books:
        prices = [float(bet.odds) for bet in now.bets if bet.bet in book.book.split("-") and bet.odds]
        if len(prices) == 2 and book.HasField("overround"):
            assert book.overround == pytest.approx(sum(1 / each for each in prices) - 1, abs=1e-6)
    assert {book.model for book in now.books} == {"odds-ratio", "target-return"}
    assert sum(book.HasField("overround") for book in now.books) == 2


def test_of_two_traders_with_one_etag_one_wins(studio: Studio, trading: Any) -> None:
    etag = policy_of(trading, studio.table).etag
    target = [pb.PolicyTarget(table=studio.table, etag=etag)]
    won = update(trading, NO_TIE, targets=target)
    with refused(grpc.StatusCode.ABORTED, "ETAG_MISMATCH") as found:
        update(trading, DEARER, targets=target)
    assert dict(found[0].info.metadata) == {studio.table: won.etag}
    assert policy_of(trading, studio.table).policy == NO_TIE


def test_an_update_is_made_once(studio: Studio, trading: Any) -> None:
    etag = policy_of(trading, studio.table).etag
    what = {"targets": [pb.PolicyTarget(table=studio.table, etag=etag)], "update_id": "once"}
    first = update(trading, NO_TIE, **what)
    again = update(trading, NO_TIE, **what)  # though the etag is another by now
    assert [(each.position, each.duplicate) for each in (*first.receipts, *again.receipts)] == [
        (first.receipts[0].position, False),
        (first.receipts[0].position, True),
    ]
    with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
        update(trading, DEARER, **what)


def test_validating_changes_nothing(studio: Studio, trading: Any) -> None:
    before = studio.look()
    found = update(trading, NO_TIE, studio.table, validate_only=True)
    assert [each.position for each in found.receipts] == [0]
    assert studio.look() == before
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "INVALID_POLICY"):
        update(trading, pb.Policy(rules=[pb.PolicyRule(round=4)]), studio.table, validate_only=True)


def test_one_table_that_cannot_keeps_all_as_they_are(studio: Studio, channel: Any, trading: Any) -> None:
    other = Studio(channel, next(NAMES)).create()
    for wrong in (pb.PolicyTarget(table=other.table, etag="another"), pb.PolicyTarget(table="nowhere")):
        before = studio.look(), other.look()
        with refused(grpc.StatusCode.ABORTED if wrong.etag else grpc.StatusCode.NOT_FOUND):
            update(trading, NO_TIE, targets=[pb.PolicyTarget(table=studio.table), wrong])
        assert (studio.look(), other.look()) == before


def test_a_planted_hole_is_found(channel: Any, trading: Any) -> None:
    name = next(NAMES)
    tables: Any = TableServiceStub(channel)
    tables.CreateTable(
        table_pb.CreateTableRequest(table=name, game_type="generous", event_id="made", round_windows_ms=BY_EVENT[:2])
    )
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "POLICY_EDGE") as found:
        update(trading, pb.Policy(), name)
    told = dict(found[0].info.metadata)
    assert (told["bet"], told["game_type"]) == ("natural-tie", "generous")
    assert float(told["gain"]) > 0
    assert [field for field, _ in found[0].violations] == ["policy"]
    update(trading, pb.Policy(rules=[pb.PolicyRule(bet="natural-tie", closed=True)]), name)


@pytest.mark.parametrize(
    ("policy", "what", "wrong"),
    [
        (pb.Policy(max_return="1.5"), {}, ("policy.max_return", "INVALID_POLICY")),
        (pb.Policy(rules=[pb.PolicyRule(margin_shift="much")]), {}, ("policy.rules[0].margin_shift", "INVALID_POLICY")),
        (
            pb.Policy(rules=[pb.PolicyRule(limits=[tables_pb2.StakeLimit(currency="EUR")])]),
            {},
            ("policy.rules[0].limits[0].min_stake", "INVALID_POLICY"),
        ),
        (None, {}, ("policy", "INVALID_CHANGE")),
        (NO_TIE, {"update_id": ""}, ("update_id", "INVALID_EVENT")),
        (NO_TIE, {"comment": "x" * 201}, ("comment", "INVALID_EVENT")),
        (NO_TIE, {"targets": []}, ("targets", "INVALID_CHANGE")),
        (NO_TIE, {"all_tables": True}, ("targets", "INVALID_CHANGE")),
        (NO_TIE, {"targets": [pb.PolicyTarget(table="a")] * 2}, ("targets", "INVALID_CHANGE")),
    ],
)
def test_what_cannot_be_read(studio: Studio, trading: Any, policy: Any, what: Any, wrong: tuple[str, str]) -> None:
    with refused(grpc.StatusCode.INVALID_ARGUMENT, wrong[1]) as found:
        update(trading, policy, studio.table, **what)
    assert [path for path, _ in found[0].violations] == [wrong[0]]
    assert policy_of(trading, studio.table).etag == "standing"


def test_a_hold_on_a_bet_suspends_that_bet_only(studio: Studio, trading: Any) -> None:
    studio.say(game_opened={})
    before = offers(studio.look(), 1)
    trading.PlaceHold(pb.PlaceHoldRequest(tables=[studio.table], bet="tie", reason="LOOK", update_id="hold"))
    image = studio.look()
    assert offers(image, 1) == before | {"tie": "SUSPENDED"}
    assert image.state == tables_pb2.TABLE_STATE_OPEN
    assert [(hold.reason, hold.bet) for hold in image.holds] == [("LOOK", "tie")]
    for bet, reason in (("tie", "HOLD_PLACED"), ("lucky-six", "UNKNOWN_BET")):
        with refused(grpc.StatusCode.FAILED_PRECONDITION, reason):
            trading.PlaceHold(
                pb.PlaceHoldRequest(tables=[studio.table], bet=bet, reason="LOOK", update_id=f"hold-{bet}")
            )
    trading.LiftHold(pb.LiftHoldRequest(tables=[studio.table], bet="tie", reason="LOOK", update_id="lift"))
    assert offers(studio.look(), 1) == before


def test_everything_is_held_at_once() -> None:
    with server_process() as own, own.channel() as channel:
        trading: Any = TradingServiceStub(channel)
        studios = [Studio(channel, name).create() for name in ("a", "b", "c", "closed")]
        studios[3].stub.CloseTable(table_pb.CloseTableRequest(table="closed", event_id="bye"))
        trading.PlaceHold(pb.PlaceHoldRequest(tables=["b"], reason="PANIC", update_id="b"))
        panic = pb.PlaceHoldRequest(all_tables=True, reason="PANIC", update_id="panic")
        assert [each.table for each in trading.PlaceHold(panic).receipts] == ["a", "c"]
        assert [each.duplicate for each in trading.PlaceHold(panic).receipts] == [True, True]
        assert {studio.look().state for studio in studios[:3]} == {tables_pb2.TABLE_STATE_HELD}
        lifted = trading.LiftHold(pb.LiftHoldRequest(all_tables=True, reason="PANIC", update_id="calm"))
        assert [each.table for each in lifted.receipts] == ["a", "b", "c"]
        assert {studio.look().state for studio in studios[:3]} == {tables_pb2.TABLE_STATE_OPEN}


def test_a_hold_of_one_table_is_not_that_of_all() -> None:
    """The same id with other content is an error: nobody is to believe that everything is held."""
    with server_process() as server, server.channel() as channel:
        trading = TradingServiceStub(channel)
        for name in ("a", "b"):
            Studio(channel, name).create()
        trading.PlaceHold(pb.PlaceHoldRequest(tables=["a"], reason="PANIC", update_id="h1"))
        with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
            trading.PlaceHold(pb.PlaceHoldRequest(all_tables=True, reason="PANIC", update_id="h1"))
        trading.UpdatePolicy(
            pb.UpdatePolicyRequest(targets=[pb.PolicyTarget(table="a")], policy=NO_TIE, update_id="p1")
        )
        with refused(grpc.StatusCode.ALREADY_EXISTS, "EVENT_ID_REUSED"):
            trading.UpdatePolicy(pb.UpdatePolicyRequest(all_tables=True, policy=NO_TIE, update_id="p1"))
        everywhere = pb.PlaceHoldRequest(all_tables=True, reason="ALARM", update_id="h2")
        first, again = (trading.PlaceHold(everywhere).receipts for _ in range(2))
        assert [(each.table, each.position) for each in first] == [(each.table, each.position) for each in again]
        assert len(first) == 2
        assert all(each.duplicate for each in again)


def test_only_traders_may(tmp_path: Path) -> None:
    tokens = {role: f"{role}-token-{'x' * 24}" for role in (Role.STUDIO, Role.TRADER)}
    file = tmp_path / "tokens.toml"
    file.write_text("\n".join(entry(role, role, token) for role, token in tokens.items()), "utf-8")
    with server_process("--tokens", str(file)) as own, own.channel() as channel:
        trading: Any = TradingServiceStub(channel)
        for role, code in ((Role.STUDIO, grpc.StatusCode.PERMISSION_DENIED), (Role.TRADER, grpc.StatusCode.NOT_FOUND)):
            with refused(code):
                trading.GetPolicy(
                    pb.GetPolicyRequest(table="t"), metadata=(("authorization", f"Bearer {tokens[role]}"),)
                )


def test_a_restart_keeps_it(tmp_path: Path) -> None:
    with server_process("--data", str(tmp_path)) as own, own.channel() as channel:
        Studio(channel, "t").create()
        etag = update(TradingServiceStub(channel), NO_TIE, "t").etag
    with server_process("--data", str(tmp_path)) as own, own.channel() as channel:
        assert policy_of(TradingServiceStub(channel), "t").etag == etag
