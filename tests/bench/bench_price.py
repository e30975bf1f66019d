"""What a price costs beside what any call costs: `python tests/bench/bench_price.py`.

One server process answers Price, for a request with 200 removed cards, and a bare method that answers with as many
constant bytes and looks at nothing. h2load, which is no client of ours, calls the two in turn. CPU per call at most
1.6 times that of the bare method and 0.55 times its throughput: worse than that, and the exit code is 1.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import grpc

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.domain.cards import CARDS

PRICE: Final = "/pricing.baccarat.v1.PricingService/Price"
BARE: Final = "/bench.Bench/Bare"
MOST_CPU: Final = 1.6
LEAST_THROUGHPUT: Final = 0.55
TICK: Final = os.sysconf("SC_CLK_TCK")


class Load(NamedTuple):
    """What one run of h2load measured."""

    cpu_us: float
    """Of the server, for each call."""
    calls_per_second: float


def price_request() -> pb.PriceRequest:
    shoe = random.Random(7).sample([card for card in CARDS for _ in range(6)], 202)
    request = pb.PriceRequest(game_type="bet-on-baccarat", dealt=shoe[:2])
    request.shoe.removed.cards.extend(shoe[2:])
    return request


def serve() -> None:
    """The server process: `serve` as it is, with one more service."""
    from pricing.games import load_games
    from pricing.service.server import process
    from pricing.service.servicers import served
    from pricing.service.servicers.pricing_service import PricingServicer
    from pricing.service.settings import Settings

    response = asyncio.run(PricingServicer(load_games(), 30).Price(price_request(), None))
    answer = response.SerializeToString()

    async def bare(request: bytes, context: object) -> bytes:
        return answer

    def add(servicer: object, to: Any) -> None:
        to.add_registered_method_handlers("bench.Bench", {"Bare": grpc.unary_unary_rpc_method_handler(bare)})

    usual = served.services
    served.services = lambda *given: [*usual(*given), served.Service("bench.Bench", add, None)]
    with tempfile.TemporaryDirectory() as data:
        sys.exit(process.run(Settings(listen="127.0.0.1:0", http="off", data=Path(data))))


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def load(address: str, process: int, method: str, body: Path, calls: int) -> Load:
    before = cpu_seconds(process)
    headers = ("content-type: application/grpc", "te: trailers")
    options = [word for header in headers for word in ("-H", header)]
    command = ["h2load", "-n", str(calls), "-c", "8", "-m", "8", "-t", "1", "-d", str(body), *options]
    done = subprocess.run([*command, f"http://{address}{method}"], check=True, capture_output=True, text=True)
    cpu = cpu_seconds(process) - before
    assert f"{calls} succeeded" in done.stdout, done.stdout
    found = re.search(r"finished in .*, ([\d.]+) req/s", done.stdout)
    assert found, done.stdout
    return Load(cpu / calls * 1e6, float(found[1]))


def compare(address: str, process: int, rounds: int, calls: int) -> tuple[Load, Load]:
    """Medians of Price and of the bare method."""
    message = price_request().SerializeToString()
    with grpc.insecure_channel(address) as channel:
        answer = PricingServiceStub(channel).Price(price_request())
        call: Any = channel.unary_unary(BARE)
        assert len(answer.bets) == 9
        assert call(message) == answer.SerializeToString()
    measured: dict[str, list[Load]] = {PRICE: [], BARE: []}
    with tempfile.TemporaryDirectory() as folder:
        body = Path(folder) / "body"
        body.write_bytes(b"\0" + len(message).to_bytes(4, "big") + message)
        for method in measured:
            load(address, process, method, body, calls // 4)
        for turn in range(rounds):
            for method in sorted(measured, reverse=bool(turn % 2)):
                measured[method].append(load(address, process, method, body, calls))
    price, bare = (Load(*map(median, zip(*measured[method], strict=True))) for method in (PRICE, BARE))
    return price, bare


def main(rounds: int, calls: int) -> int:
    if shutil.which("h2load") is None:
        sys.exit("h2load is missing: it is in Debian's nghttp2-client")
    child = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(child, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        try:
            price, bare = compare(json.loads(server.stderr.readline())["listen"], server.pid, rounds, calls)
        finally:
            server.terminate()
    cpu, throughput = price.cpu_us / bare.cpu_us, price.calls_per_second / bare.calls_per_second
    print(f"Price  {price.cpu_us:6.0f} us CPU a call  {price.calls_per_second:7.0f} calls/s")
    print(f"bare   {bare.cpu_us:6.0f} us CPU a call  {bare.calls_per_second:7.0f} calls/s")
    print(f"CPU per call {cpu:.2f} x (at most {MOST_CPU}), throughput {throughput:.2f} x (at least {LEAST_THROUGHPUT})")
    return int(cpu > MOST_CPU or throughput < LEAST_THROUGHPUT)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=8000, help="of each method in each round")
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
    else:
        sys.exit(main(arguments.rounds, arguments.calls))
