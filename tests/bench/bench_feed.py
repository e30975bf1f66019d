"""What the feed costs beside a bare stream: `python tests/bench/bench_feed.py`.

1,000 subscribers watch a table, and as many a bare grpc.aio stream of equally large messages, in turn. Wanted: from an
event to its arrival at the last subscriber at most 2.5 times what the bare stream takes; meanwhile, with 5 events a
second, the p99 of Price at most 10 times what it is alone; and at most 50 kB for a subscriber beyond what the bare
stream needs. Worse than that, and the exit code is 1.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any, Final

import grpc
from google.protobuf.duration_pb2 import Duration

sys.path.append(str(Path(__file__).parents[1]))  # for the tests' helpers, when run as a script

from bench.bench_price import PRICE, price_request
from service.http2 import message
from service.serving import ServerProcess, server_process
from service.studio import Studio, whole_games

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub

STREAMS: Final = 1000
MOST_TIME: Final = 2.5
MOST_P99: Final = 10
MOST_MEMORY: Final = 50_000
A_SECOND: Final = 5
GAME: Final = 12
"""Events of a game, about."""
WATCH: Final = "/pricing.baccarat.v1.OddsService/WatchTables"
LOADS: Final = {"64 calls at a time": ("-c8", "-m8"), "200 calls a second": ("-c8", "-m1", "--rps=25")}


async def serve_bare() -> None:
    """A stream that sends everybody as many bytes as it is told to."""
    queues: dict[asyncio.Queue[bytes], None] = {}

    async def watch(request: bytes, context: Any) -> None:
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        queues[queue] = None
        await context.write(request)
        try:
            while True:
                await context.write(await queue.get())
        finally:
            del queues[queue]

    async def tell(request: bytes, context: object) -> bytes:
        data = bytes(int(request))
        for queue in queues:
            queue.put_nowait(data)
        return b""

    server: grpc.aio.Server = grpc.aio.server()
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "Tell": grpc.unary_unary_rpc_method_handler(tell),
        "Watch": grpc.unary_stream_rpc_method_handler(watch),
    }
    server.add_registered_method_handlers("bench.Bare", handlers)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


class Side:
    """The feed, or the bare stream: how to watch it, and how to have it tell everybody something."""

    def __init__(self, address: str, process: int, method: str, request: bytes, tell: Callable[[], object]) -> None:
        self.address, self.process, self._method, self._request, self.tell = address, process, method, request, tell

    @contextmanager
    def watched(self) -> Iterator[Callable[[], float]]:
        """Have subscribers; what it gives waits for the next message to have come to the last and says when."""
        script = str(Path(__file__).with_name("many_streams.py"))
        command = [sys.executable, script, self.address, self._method, self._request.hex(), str(STREAMS)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdout
            lines = reader.stdout

            def arrived() -> float:
                return float(lines.readline())

            try:
                arrived()
                yield arrived
            finally:
                reader.kill()

    def memory(self) -> float:
        """Bytes of each of the first subscribers that there are."""
        before = resident(self.process)
        with self.watched() as arrived:
            for _ in range(GAME):
                self.tell()
                arrived()
            return (resident(self.process) - before) / STREAMS


def resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def p99_of_price(address: str, load: tuple[str, ...], seconds: float) -> float:
    """Of calls as h2load times them, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        body, log = Path(folder, "body"), Path(folder, "log")
        body.write_bytes(message(price_request().SerializeToString()))
        command = ["h2load", "-D", f"{seconds:g}", "-t1", *load, "-d", str(body), "--log-file", str(log)]
        headers = ("-Hcontent-type: application/grpc", "-Hte: trailers")
        subprocess.run([*command, *headers, f"http://{address}{PRICE}"], check=True, capture_output=True)
        calls = [line.split() for line in log.read_text().splitlines()]
    assert all(status == "200" for _, status, _ in calls)
    times = sorted(int(microseconds) for _, _, microseconds in calls)
    return times[len(times) * 99 // 100] / 1e6


@contextmanager
def told_often(side: Side) -> Iterator[None]:
    """A block during which there are events, at the full pace."""
    over = threading.Event()

    def tell() -> None:
        while not over.wait(1 / A_SECOND):
            side.tell()

    teller = threading.Thread(target=tell)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def feed_of(server: ServerProcess) -> tuple[Side, list[int]]:
    """The feed, and the sizes of the images of its events."""
    channel = server.channel()
    studio, stub = Studio(channel, "t").create(shoe=False), OddsServiceStub(channel)
    events, sizes = whole_games("t"), []
    for event in islice(events, GAME):
        studio.send(event)
        sizes.append(stub.GetOdds(pb.GetOddsRequest(table="t")).ByteSize())
    request = pb.WatchTablesRequest(tables=["t"], heartbeat_interval=Duration(seconds=5))
    side = Side(
        server.address,
        server.process.pid,
        WATCH,
        request.SerializeToString(),
        lambda: studio.send(next(events)),
    )
    return side, sizes


@contextmanager
def bare_of(sizes: list[int]) -> Iterator[Side]:
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = f"127.0.0.1:{int(process.stdout.readline())}"
        with grpc.insecure_channel(address) as channel:
            tell: Any = channel.unary_unary("/bench.Bare/Tell")
            size = cycle(sizes)
            try:
                yield Side(
                    address, process.pid, "/bench.Bare/Watch", bytes(sizes[0]), lambda: tell(str(next(size)).encode())
                )
            finally:
                process.kill()


def fan_outs(feed: Side, bare: Side, events: int) -> tuple[float, float]:
    """Medians of the seconds from an event to the last subscriber; the two take turns, so that both see all noise."""
    found: dict[Side, list[float]] = {feed: [], bare: []}
    with feed.watched() as feed_arrived, bare.watched() as bare_arrived:
        for _ in range(events):
            for side, arrived in ((feed, feed_arrived), (bare, bare_arrived)):
                time.sleep(0.01)
                start = time.monotonic()
                side.tell()
                found[side].append(arrived() - start)
    return median(found[feed]), median(found[bare])


def p99s_of_price(feed: Side, load: tuple[str, ...], seconds: float) -> tuple[float, float]:
    """While there are events, and alone."""
    time.sleep(1)  # those who watched before are still being forgotten
    alone = p99_of_price(feed.address, load, seconds)
    with feed.watched(), told_often(feed):
        return p99_of_price(feed.address, load, seconds), alone


def main(rounds: int, seconds: float, options: list[str]) -> int:
    if shutil.which("h2load") is None:
        sys.exit("h2load is missing: it is in Debian's nghttp2-client")
    with server_process(*options) as server:
        feed, sizes = feed_of(server)
        with bare_of(sizes) as bare:
            memory, bare_memory = feed.memory(), bare.memory()
            times: list[tuple[float, float]] = []
            p99s: dict[str, list[tuple[float, float]]] = {name: [] for name in LOADS}
            for _ in range(rounds):
                times.append(fan_outs(feed, bare, 2 * GAME))
                for name, load in LOADS.items():
                    p99s[name].append(p99s_of_price(feed, load, seconds))
    print(f"images of {min(sizes):,} to {max(sizes):,} bytes, {STREAMS:,} subscribers")
    good = [
        said("event to the last subscriber", times, MOST_TIME),
        *(said(f"p99 of Price, {name}", found, MOST_P99) for name, found in p99s.items()),
        memory - bare_memory <= MOST_MEMORY,
    ]
    print(f"memory of a subscriber {memory / 1000:.0f} kB, of a bare stream {bare_memory / 1000:.0f} kB")
    return int(not all(good))


def said(what: str, found: list[tuple[float, float]], most: float) -> bool:
    """Print the medians of some rounds, and say whether their ratio is as wanted."""
    ours, theirs = (1000 * median(column) for column in zip(*found, strict=True))
    print(f"{what:<34} {ours:6.1f} ms, {theirs:6.1f} ms   {ours / theirs:.2f} x (at most {most})")
    return bool(ours / theirs <= most)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=5, help="of each load of Price in each round")
    arguments, options = parser.parse_known_args()  # what is left is for the server
    if arguments.serve:
        asyncio.run(serve_bare())
    else:
        sys.exit(main(arguments.rounds, arguments.seconds, options))
