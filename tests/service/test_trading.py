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
from pricing.service.roles import Role
from pricing.service.tokens import entry

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


@pytest.fixture(scope="module")
def channel(server: ServerProcess) -> Iterator[Any]:
    with server.channel() as channel:
        yield channel


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
    image = OddsServiceStub(studio.stub_channel).GetOdds if False else None
    assert image is None


def test_a_closed_round_keeps_the_prices_it_closed_at(studio: Studio, trading: Any) -> None:
    studio.say(game_opened={})
    studio.say(betting_closed={})
    before = studio.look().game.rounds[0]
    update(trading, NO_TIE, studio.table)
    assert studio.look().game.rounds[0] == before
    studio.say(card_dealt={"card": "9S"})
    assert offers(studio.look(), 2)["tie"] == "INACTIVE"
