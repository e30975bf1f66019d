"""What the metrics say of tables is what their images say, and what was counted is what was played."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import grpc
import pytest
import trustme
from prometheus_client.parser import text_string_to_metric_families
from service.serving import ServerProcess, server_process
from service.studio import GAME, Studio

from pricing.baccarat.v1 import trading_service_pb2 as trading_pb
from pricing.baccarat.v1.trading_service_pb2_grpc import TradingServiceStub
from pricing.domain.shoe import Shoe
from pricing.engine.quote import quote
from pricing.service.metrics.metrics import ServerMetrics
from pricing.service.telemetry.metric_table import METRICS
from pricing.table.holds import HoldReason

OWN = "baccarat_pricing_"
BETS = [bet.id for bet in GAME.bets]


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    with server_process("--metrics-tables", "2") as running:
        yield running


@pytest.fixture
def channel(server: ServerProcess) -> Iterator[grpc.Channel]:
    with server.channel() as found:
        yield found


def prices(found: dict[str, float], name: str, table: str, of: str = "bet") -> dict[tuple[int, str], float]:
    """One metric of a table, by round and bet."""
    pattern = rf'{OWN}{name}\{{{of}="(.+)",round="(\d)",table="{table}"\}}'
    return {(int(m[2]), m[1]): value for key, value in found.items() if (m := re.fullmatch(pattern, key))}


def test_metrics_and_image_of_one_sequence_agree(server: ServerProcess, channel: grpc.Channel) -> None:
    studio = Studio(channel, "t").create()
    studio.say(game_opened={})
    for number, card in enumerate(["2D", "6H", None], 1):
        image, found = studio.look(), server.metrics()
        assert found[f'{OWN}table_sequence{{table="t"}}'] == image.position
        assert found[f'{OWN}table_round{{table="t"}}'] == number
        assert found[f'{OWN}table_cards_remaining{{table="t"}}'] == image.shoe.cards_remaining
        shown = image.game.rounds[number - 1].bets
        assert prices(found, "bet_chance_ratio", "t") == {(number, bet.bet): bet.win_probability for bet in shown}
        assert prices(found, "bet_odds", "t") == {(number, bet.bet): float(bet.odds) for bet in shown}
        back = {(number, bet.bet): bet.return_to_player for bet in shown}
        assert prices(found, "bet_return_ratio", "t") == back
        assert prices(found, "bet_house_edge_ratio", "t") == {key: 1 - value for key, value in back.items()}
        odds = {bet.bet: 1 / float(bet.odds) for bet in shown}
        overround = prices(found, "book_overround_ratio", "t", "book")
        books = {"player-banker": odds["player"] + odds["banker"] - 1, "small-big": odds["small"] + odds["big"] - 1}
        assert overround == pytest.approx({(number, book): value for book, value in books.items()}, abs=1e-8)
        opened = image.game.rounds[number - 1].open_time.ToMicroseconds() / 1e6
        assert found[f'{OWN}table_round_open_timestamp_seconds{{table="t"}}'] == opened
        if card:
            studio.deal(card)


def test_books_are_those_of_the_policy(server: ServerProcess, channel: grpc.Channel) -> None:
    studio = Studio(channel, "t").create()
    trading: Any = TradingServiceStub(channel)
    studio.say(game_opened={})
    before = prices(server.metrics(), "book_margin_ratio", "t", "book")
    studio.say(games_voided={"reason": "VOID_REASON_OTHER"})
    policy = trading_pb.Policy(rules=[trading_pb.PolicyRule(bet="player", margin_shift="0.02")])
    target = trading_pb.PolicyTarget(table="t")
    trading.UpdatePolicy(trading_pb.UpdatePolicyRequest(policy=policy, targets=[target], update_id="u1"))
    studio.say(game_opened={})
    shown, found = studio.look().game.rounds[0].books, server.metrics()
    after = prices(found, "book_margin_ratio", "t", "book")
    assert after == {(1, book.book): book.margin for book in shown}
    overrounds = {(1, book.book): book.overround for book in shown if book.HasField("overround")}
    assert prices(found, "book_overround_ratio", "t", "book") == overrounds
    shifts = {book: after[1, book] - before[1, book] for _, book in before}
    assert shifts == pytest.approx({book: 0.02 if book == "player-banker" else 0 for book in shifts})


def test_a_held_bet_is_no_held_table(server: ServerProcess, channel: grpc.Channel) -> None:
    Studio(channel, "t").create()
    holding: Any = TradingServiceStub(channel)
    holding.PlaceHold(trading_pb.PlaceHoldRequest(tables=["t"], bet="tie", reason="X", update_id="h1"))
    found = server.metrics()
    assert found[f'{OWN}table_held_bets{{table="t"}}'] == 1
    assert not any(
        value for name, value in found.items() if re.match(rf"{OWN}(tables?_holds|holds_placed_total)", name)
    )


def test_bounds_and_counts_are_over_all_tables(server: ServerProcess, channel: grpc.Channel) -> None:
    """The third table by name has no metrics of its own; the closed one has none at all."""
    studios = [Studio(channel, name).create() for name in ("a", "b", "c")]
    for cards, studio in enumerate(studios):
        studio.say(game_opened={})
        studio.deal(" ".join(["2D", "6H"][:cards]))
    studios[2].say(hold_placed={"reason": "free text"})
    found = server.metrics()
    assert {m[1] for key in found if (m := re.search(r'table="(.+?)"', key))} == {"a", "b"}
    assert found[f'{OWN}tables_cards_remaining{{bound="min"}}'] == 310
    assert found[f'{OWN}tables_cards_remaining{{bound="max"}}'] == 312
    assert [found[f'{OWN}tables_round{{round="{number}"}}'] for number in (1, 2, 3)] == [1, 1, 1]
    assert found[f'{OWN}tables_holds{{owner="studio",reason="OTHER"}}'] == 1
    fresh = quote(GAME, Shoe.without(GAME.decks), b"").bet("player").win_probability
    low, high = (found[f'{OWN}tables_bet_chance_ratio{{bet="player",bound="{bound}"}}'] for bound in ("min", "max"))
    assert low < high
    assert low <= fresh <= high
    assert "free text" not in " ".join(found)


def test_games_are_counted_and_wins_against_their_chances(server: ServerProcess, channel: grpc.Channel) -> None:
    studio = Studio(channel, "t").create()
    studio.play_game()
    studio.play_game()
    studio.say(game_opened={})
    studio.say(games_voided={"reason": "VOID_REASON_MISDEAL"})
    found = server.metrics()
    assert found[f'{OWN}games_total{{outcome="confirmed"}}'] == 2
    assert found[f'{OWN}games_total{{outcome="void"}}'] == 1
    assert found[f'{OWN}results_total{{winner="banker"}}'] == 2
    assert found[f'{OWN}results_total{{winner="tie"}}'] == 0
    assert found[f'{OWN}bet_wins_total{{bet="banker"}}'] == 2
    assert found[f'{OWN}bet_wins_total{{bet="player"}}'] == 0
    first = quote(GAME, Shoe.without(GAME.decks), b"")
    for bet in first.bets:
        expected = found[f'{OWN}bet_expected_wins_total{{bet="{bet.bet}"}}']
        assert expected == pytest.approx(2 * bet.win_probability, rel=0.1)
        assert expected != 2 * bet.win_probability  # the second shoe has six cards less
        variance = found[f'{OWN}bet_wins_variance_total{{bet="{bet.bet}"}}']
        assert variance == pytest.approx(2 * bet.win_probability * (1 - bet.win_probability), rel=0.1)


def test_a_game_voided_later_is_counted_once_of_each(server: ServerProcess, channel: grpc.Channel) -> None:
    studio = Studio(channel, "t").create()
    first = studio.play_game()
    studio.play_game()
    studio.say(games_voided={"games": [first], "reason": "VOID_REASON_SCAN_ERROR"})
    found = server.metrics()
    assert (found[f'{OWN}games_total{{outcome="confirmed"}}'], found[f'{OWN}games_total{{outcome="void"}}']) == (2, 1)


def test_holds_are_counted_by_reason(server: ServerProcess, channel: grpc.Channel) -> None:
    studio = Studio(channel, "t").create()
    assert server.metrics()[f'{OWN}holds_placed_total{{owner="system",reason="SOURCE_GAP"}}'] == 0
    studio.number += 5
    studio.send(studio.event(game_opened={}))
    found = server.metrics()
    assert found[f'{OWN}holds_placed_total{{owner="system",reason="SOURCE_GAP"}}'] == 1
    assert found[f'{OWN}table_holds{{owner="system",reason="SOURCE_GAP",table="t"}}'] == 1
    assert found[f'{OWN}tables_holds{{owner="system",reason="SOURCE_GAP"}}'] == 1


def test_latencies_are_of_every_event(server: ServerProcess, channel: grpc.Channel) -> None:
    Studio(channel, "t").create().play_game()
    found = server.metrics()
    events = sum(value for key, value in found.items() if key.startswith(f"{OWN}events_total"))
    assert found[f"{OWN}event_publish_seconds_count"] == found[f"{OWN}journal_append_seconds_count"] == events > 10
    assert found[f"{OWN}event_publish_seconds_sum"] > found[f"{OWN}journal_append_seconds_sum"] > 0
    assert found[f"{OWN}quote_seconds_count"] > 0
    assert found[f"{OWN}journal_waits_seconds"] == 0


def test_certificate_expiry_is_that_of_the_file(tmp_path: Path) -> None:
    ends = datetime.now(UTC).replace(microsecond=0) + timedelta(days=9)
    made = trustme.CA().issue_cert("127.0.0.1", not_after=ends)
    made.cert_chain_pems[0].write_to_path(str(tmp_path / "cert"))
    made.private_key_pem.write_to_path(str(tmp_path / "key"))
    with server_process("--tls-cert", str(tmp_path / "cert"), "--tls-key", str(tmp_path / "key")) as server:
        assert server.metrics()[f"{OWN}tls_certificate_expiry_timestamp_seconds"] == ends.timestamp()


def test_every_metric_is_one_of_the_table(server: ServerProcess, channel: grpc.Channel) -> None:
    """And is described there as it is exposed, and with all its labels; each of the table is exposed."""
    studio = Studio(channel, "t").create()
    studio.play_game()
    studio.say(game_opened={})
    studio.say(hold_placed={"reason": "x"})
    found = {}
    for family in text_string_to_metric_families(metrics_text(server)):
        if not family.name.startswith(("process_", "python_")):
            name = f"{family.name}_total" if family.type == "counter" else family.name
            found[name] = family
    optional = {f"{OWN}tls_certificate_expiry_timestamp_seconds"}
    made = {f"{OWN}errors_total"}  # known, and without a sample until something fails
    created = {name for name in found if name.endswith("_created")}
    assert set(found) - created == set(METRICS) - optional
    for name, row in METRICS.items():
        if name not in optional:
            family = found[name]
            assert (family.type, family.documentation) == (row.kind, row.help)
            labels = {key for sample in family.samples for key in sample.labels} - {"le"}
            assert labels == set(row.labels) or name in made


def metrics_text(server: ServerProcess) -> str:
    with urlopen(f"http://{server.http}/metrics", timeout=10) as response:
        text: str = response.read().decode()
    return text


def test_holds_of_every_reason_are_listed_from_the_start() -> None:
    metrics = ServerMetrics()
    listed = {
        sample.labels["reason"]
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == f"{OWN}holds_placed_total"
    }
    assert listed == {*HoldReason, "OTHER"}
