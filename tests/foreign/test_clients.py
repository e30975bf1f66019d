"""Clients that nobody here wrote: buf curl over reflection, Node's @grpc/grpc-js, the health probe, h2load."""

import asyncio
import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from service.feed.watching import first_images, resume, unsent, watch
from service.http2 import PRICE, message
from service.serving import ServerProcess, server_process
from service.studio import Studio, whole_games

import pricing
from pricing.baccarat.v1 import odds_service_pb2
from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.table_service_pb2 import TableEvent
from pricing.client.calls import Access
from pricing.client.tables import tables_connected
from pricing.service.calls.tokens import entry
from pricing.service.roles import Role

HERE = Path(__file__).parent
PROTO = HERE.parents[1] / "proto"
SERVICE = "pricing.baccarat.v1.PricingService"
REQUEST = {"game_type": "bet-on-baccarat", "dealt": ["9S", "KD"], "shoe": {"removed": {"cards": ["AS"]}}}


def tool(name: str) -> str:
    """A program that a user's machine may lack, but no machine of ours."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def buf_curl(
    server: ServerProcess, method: str, data: Any, tmp_path: Path, *options: str
) -> tuple[int, list[Any], str]:
    """Exit code, the JSON messages on stdout, and stderr. No file of the contract: the server tells what it has."""
    command = [tool("buf"), "curl", "--protocol", "grpc", "--http2-prior-knowledge", *options]
    messages = data if isinstance(data, list) else [data]
    done = subprocess.run(
        [*command, "-d", "@-", f"http://{server.address}/{method}"],
        input="".join(map(json.dumps, messages)),
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "HOME": str(tmp_path), "BUF_CACHE_DIR": str(tmp_path)},
        check=False,
    )
    decoder, text, answers = json.JSONDecoder(), done.stdout.lstrip(), []
    while text:
        answer, end = decoder.raw_decode(text)
        answers.append(answer)
        text = text[end:].lstrip()
    return done.returncode, answers, done.stderr


def test_buf_curl_price(server: ServerProcess, tmp_path: Path) -> None:
    code, (price,), text = buf_curl(server, f"{SERVICE}/Price", REQUEST, tmp_path)
    assert code == 0, text
    expected = pricing.price("bet-on-baccarat", dealt="9S KD", removed="AS")
    assert price["totalWays"] == str(expected.total_ways)
    assert [bet["odds"] for bet in price["bets"] if "odds" in bet] == [bet.odds for bet in expected.bets if bet.odds]


def test_buf_curl_other_methods(server: ServerProcess, tmp_path: Path) -> None:
    coups = {"game_type": "bet-on-baccarat", "coups": [{}, {"dealt": ["9S"]}]}
    code, (batch,), _ = buf_curl(server, f"{SERVICE}/BatchPrice", coups, tmp_path)
    assert (code, len(batch["prices"])) == (0, 2)
    code, (games,), _ = buf_curl(server, f"{SERVICE}/ListGameTypes", {}, tmp_path)
    assert (code, len(games["gameTypes"])) == (0, 2)
    stream = [{"correlation_id": str(number), "request": REQUEST} for number in range(3)]
    code, answers, _ = buf_curl(server, f"{SERVICE}/StreamPrices", stream, tmp_path)
    assert (code, [answer["correlationId"] for answer in answers]) == (0, ["0", "1", "2"])
    code, (health,), _ = buf_curl(server, "grpc.health.v1.Health/Check", {"service": SERVICE}, tmp_path)
    assert (code, health) == (0, {"status": "SERVING"})


def test_buf_curl_shows_what_is_wrong(server: ServerProcess, tmp_path: Path) -> None:
    code, answers, text = buf_curl(server, f"{SERVICE}/Price", {**REQUEST, "dealt": ["KX"]}, tmp_path)
    assert code != 0
    assert not answers
    error = json.loads(text)
    assert (error["code"], error["message"].split(":")[0]) == ("invalid_argument", "dealt[0]")
    values = [base64.b64decode(detail["value"] + "==") for detail in error["details"]]
    assert ErrorInfo.FromString(values[0]).reason == "INVALID_CARD"
    assert BadRequest.FromString(values[1]).field_violations[0].field == "dealt[0]"


def test_buf_curl_with_a_token_and_without_reflection(tmp_path: Path) -> None:
    file = tmp_path / "callers.toml"
    file.write_text(entry("a-book", Role.READER, "a token"))
    with server_process("--tokens", str(file), "--no-reflection") as server:
        schema = ("--schema", str(PROTO))
        header = ("-H", "authorization: Bearer a token")
        code, _, text = buf_curl(server, f"{SERVICE}/Price", REQUEST, tmp_path, *schema)
        assert code != 0
        assert "unauthenticated" in text
        code, (price,), _ = buf_curl(server, f"{SERVICE}/Price", REQUEST, tmp_path, *schema, *header)
        assert (code, len(price["bets"])) == (0, 9)
        code, _, text = buf_curl(server, f"{SERVICE}/Price", REQUEST, tmp_path, *header)
        assert code != 0
        assert "failed to find service" in text


@pytest.fixture(scope="module")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with programs in Node and what they need."""
    npm, folder = tool("npm"), tmp_path_factory.mktemp("node")
    for file in (HERE / "node").iterdir():
        shutil.copy(file, folder)
    install = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    done = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=90, check=False)
    if done.returncode and not os.environ.get("CI"):
        pytest.skip(f"npm cannot install: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("program", "says"), [("client.mjs", "every method answered\n"), ("tables.mjs", "a game recorded\n")]
)
def test_node(server: ServerProcess, node_folder: Path, program: str, says: str) -> None:
    client = [tool("node"), program, server.address, str(PROTO)]
    done = subprocess.run(client, cwd=node_folder, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, says), done.stderr


def whole_shoe(table: str) -> Iterator[TableEvent]:
    """Every event of a table from the first card of a shoe to its last."""
    events = whole_games(table)
    yield next(events)
    for event in events:
        if event.HasField("shoe_loaded"):
            return
        yield event


async def play_shoe(address: str, table: str) -> None:
    """Have a table live through a shoe, as fast as it can, and close it."""
    async with tables_connected(Access(address=address)) as client:
        async for answer in client.record_all(whole_shoe(table)):
            assert answer.receipt, answer.error
            assert not answer.receipt.HasField("refusal"), answer.receipt.refusal.message
        await client.close(table, event_id="closed", timeout=10)


def test_node_follows_a_table_through_a_shoe(node_folder: Path) -> None:
    """Each event has come or was left out for a newer one; each that must be seen came; the last is the server's."""
    with server_process() as server, server.channel() as channel:
        Studio(channel, "node").create(shoe=False)
        (first,) = first_images(watch(channel, "node"))
        command = [tool("node"), "feed.mjs", server.address, str(PROTO), "node"]
        with subprocess.Popen(command, cwd=node_folder, stdout=subprocess.PIPE, text=True) as follower:
            assert follower.stdout
            assert follower.stdout.readline() == "following\n"
            asyncio.run(play_shoe(server.address, "node"))
            found = json.loads(follower.stdout.readline())
        assert follower.returncode == 0
        assert found["conflated"] == str(int(server.metrics()["baccarat_pricing_feed_conflated_total"]))
        *missed, newest = first_images(watch(channel, "node", resume=resume(first)))
        assert found["must_see"] == [str(image.sequence) for image in missed]
        assert len(missed) > 40
        assert unsent(ParseDict(found["image"], odds_service_pb2.TableImage())) == unsent(newest)


PROBE = """
import sys, grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
with grpc.insecure_channel(sys.argv[1]) as channel:
    stub = health_pb2_grpc.HealthStub(channel)
    for service in ("", sys.argv[2]):
        request = health_pb2.HealthCheckRequest(service=service)
        assert stub.Check(request, timeout=10).status == health_pb2.HealthCheckResponse.SERVING
        assert next(stub.Watch(request, timeout=10)).status == health_pb2.HealthCheckResponse.SERVING
"""


def test_health_probe(server: ServerProcess) -> None:
    subprocess.run([sys.executable, "-c", PROBE, server.address, SERVICE], check=True, timeout=60)


def test_h2load(server: ServerProcess, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(message(pb.PriceRequest(game_type="bet-on-baccarat").SerializeToString()))
    handled = (
        f'grpc_server_handled_total{{grpc_code="OK",grpc_method="Price",grpc_service="{SERVICE}",grpc_type="unary"}}'
    )
    before = server.metrics().get(handled, 0)
    headers = ("-H", "content-type: application/grpc", "-H", "te: trailers")
    command = [tool("h2load"), "-n", "2000", "-c", "10", "-m", "10", "-d", str(body), *headers]
    url = f"http://{server.address}{PRICE.decode()}"
    text = subprocess.run([*command, url], check=True, capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"2000 succeeded, 0 failed, 0 errored, 0 timeout", text), text
    assert server.metrics()[handled] - before == 2000
