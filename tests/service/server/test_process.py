"""The process: how it starts, what it prints, how it stops."""

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from service.serving import SERVE, Refused, ServerProcess, is_of_fork, refused, server_process

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub

REQUEST = pb.PriceRequest(game_type="bet-on-baccarat")
SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    with server_process("--grace", "5") as running:
        yield running


def states(watching: Any) -> list[int]:
    """What a watcher hears before its stream ends as it is to end."""
    heard = []
    with refused(grpc.StatusCode.UNAVAILABLE, "DRAINING"):
        for response in watching:
            heard.append(response.status)
    return heard


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_drain_under_load_with_watchers(server: ServerProcess, number: signal.Signals) -> None:
    answered, failed = [0], list[Refused]()

    def call_on() -> None:
        with server.channel() as channel:
            stub = PricingServiceStub(channel)
            try:
                while True:
                    stub.Price(REQUEST)
                    answered[0] += 1
            except grpc.RpcError as error:
                failed.append(Refused(error))

    callers = [threading.Thread(target=call_on) for _ in range(4)]
    for caller in callers:
        caller.start()
    with server.channel() as channel:
        names = ("", "pricing.baccarat.v1.PricingService")
        health: Any = HealthStub(channel)
        watching = [health.Watch(HealthCheckRequest(service=name)) for name in names for _ in range(50)]
        assert all(next(watcher).status == SERVING for watcher in watching)
        stream = PricingServiceStub(channel).StreamPrices(iter(lambda: threading.Event().wait(), None))
        start = time.monotonic()
        server.process.send_signal(number)
        assert all(states(watcher) == [NOT_SERVING] for watcher in watching)
        with refused(grpc.StatusCode.UNAVAILABLE, "DRAINING"):
            next(stream)
        assert server.process.wait(10) == 0
    assert time.monotonic() - start < 3
    for caller in callers:
        caller.join(10)
    assert answered[0] > 0
    # gRPC's core may cancel calls that come in just while it shuts down; clients may repeat those as well.
    assert {each.code for each in failed} <= {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
    assert server.rest_of_log()[-1]["message"] == "stopped"


def test_second_signal_stops_at_once() -> None:
    """A reader that takes nothing would otherwise hold the server up for its whole grace."""
    with server_process("--grace", "30", "--write-timeout", "60") as server:
        options = {"grpc.http2.bdp_probe": 0, "grpc.http2.lookahead_bytes": 8192}
        with server.channel(**options) as channel:
            batch = pb.StreamPricesRequest(request=REQUEST)
            stalled = PricingServiceStub(channel).StreamPrices(iter([batch] * 2000))
            next(stalled)
            time.sleep(0.5)
            server.process.send_signal(signal.SIGTERM)
            server.next_record("draining")
            time.sleep(0.3)
            if server.process.poll() is None:
                server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(5) in (0, 1)


def test_slow_reader_is_given_up() -> None:
    with server_process("--write-timeout", "0.5") as server:
        options = {"grpc.http2.bdp_probe": 0, "grpc.http2.lookahead_bytes": 8192}
        with server.channel(**options) as channel:
            requests = [pb.StreamPricesRequest(correlation_id="x" * 500, request=REQUEST)] * 5000
            stalled = PricingServiceStub(channel).StreamPrices(iter(requests))
            next(stalled)
            assert server.next_record("call", code="RESOURCE_EXHAUSTED")["reason"] == "SLOW_READER"
            with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_READER"):
                for _ in stalled:
                    pass
            assert len(PricingServiceStub(channel).Price(REQUEST).bets) == 9


def outcome(*arguments: str) -> tuple[int, str]:
    """Exit code and stderr of a server that does not start."""
    with TemporaryDirectory() as data:
        command = [*SERVE, "--data", data, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.stdout == ""
    return done.returncode, "".join(line for line in done.stderr.splitlines(True) if not is_of_fork(line))


def assert_one_line(text: str, *parts: str) -> None:
    assert text.count("\n") == 1, text
    assert all(part in text for part in parts), text


def test_second_server_on_a_port(server: ServerProcess) -> None:
    code, text = outcome("--listen", server.address, "--http", "off")
    assert code == 1
    assert_one_line(text, "listen", server.address)
    code, text = outcome("--listen", "127.0.0.1:0", "--http", server.http)
    assert code == 1
    assert_one_line(text, "http", server.http)
    with server.channel() as channel:
        assert len(PricingServiceStub(channel).Price(REQUEST).bets) == 9


def test_second_server_on_a_data_folder(server: ServerProcess) -> None:
    code, text = outcome("--listen", "127.0.0.1:0", "--http", "off", "--data", server.serving["data"])
    assert code == 1
    assert_one_line(text, "data", server.serving["data"])


def test_port_taken_by_something_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        code, text = outcome("--listen", address, "--http", "off")
    assert code == 1
    assert_one_line(text, address)


def test_health(server: ServerProcess) -> None:
    with server.channel() as channel:
        stub: Any = HealthStub(channel)
        for name in ("", "pricing.baccarat.v1.PricingService"):
            assert stub.Check(HealthCheckRequest(service=name)).status == SERVING
        with refused(grpc.StatusCode.NOT_FOUND):
            stub.Check(HealthCheckRequest(service="pricing.baccarat.v1.Unknown"))
        unknown = stub.Watch(HealthCheckRequest(service="unknown"))
        assert next(unknown).status == HealthCheckResponse.SERVICE_UNKNOWN
        unknown.cancel()


def test_game_types_of_a_folder(tmp_path: Path) -> None:
    built_in = Path(__file__).parents[3] / "pricing" / "games" / "punto-banco.toml"
    (tmp_path / "own.toml").write_text(built_in.read_text("utf-8").replace('"punto-banco"', '"own"'), "utf-8")
    with server_process("--games", str(tmp_path)) as server, server.channel() as channel:
        stub = PricingServiceStub(channel)
        listed = stub.ListGameTypes(pb.ListGameTypesRequest()).game_types
        assert [game.name for game in listed] == ["bet-on-baccarat", "punto-banco", "own"]
        own, built = (stub.Price(pb.PriceRequest(game_type=name)) for name in ("own", "punto-banco"))
        assert own.bets == built.bets
    (tmp_path / "own.toml").write_text("name = 1", "utf-8")
    code, text = outcome("--games", str(tmp_path), "--listen", "127.0.0.1:0", "--http", "off")
    assert code == 2
    assert_one_line(text, "own.toml")
