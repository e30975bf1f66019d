"""A server under mixed load for a while: `python tests/bench/soak.py --minutes 10`.

Prices, batches, streams, wrong requests, cancelled calls, expired deadlines, health watchers and connections that are
reset. Memory, descriptors and threads are looked at all along; if the last third has more than the second one by
more than what noise explains, or a call failed as it should not, the exit code is 1.
"""

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

sys.path.append(str(Path(__file__).parents[1]))  # for the tests' helpers, when run as a script

from service import http2
from service.serving import ServerProcess, server_process

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.domain.cards import CARDS

GAME: Final = "bet-on-baccarat"
GROWTH: Final = 8 << 20
"""Bytes by which the median of the last third may be above that of the second."""


class Sample(NamedTuple):
    """What the server holds at one moment."""

    memory: int
    descriptors: int
    threads: int


class Soak:
    """The callers."""

    def __init__(self, server: ServerProcess, seed: int) -> None:
        self.server = server
        self.random = random.Random(seed)
        self.outcomes: Counter[str] = Counter()
        self.end = 0.0

    async def worker(self) -> None:
        actions: list[Callable[[Any], Awaitable[None]]] = [
            self.price, self.price, self.batch, self.stream, self.wrong, self.cancel, self.late, self.watch, self.reset
        ]  # fmt: skip
        while time.monotonic() < self.end:
            options = [("grpc.use_local_subchannel_pool", 1)]
            async with grpc.aio.insecure_channel(self.server.address, options) as channel:
                for _ in range(50):
                    action = self.random.choice(actions)
                    try:
                        await action(channel)
                        self.outcomes[action.__name__] += 1
                    except grpc.aio.AioRpcError as error:
                        self.outcomes[f"{action.__name__} failed: {error.code().name}"] += 1
                    if time.monotonic() >= self.end:
                        break

    def request(self) -> pb.PriceRequest:
        cards = self.random.sample([card for card in CARDS for _ in range(6)], 100)
        request = pb.PriceRequest(game_type=GAME, dealt=cards[: self.random.randrange(4)])
        request.shoe.removed.cards.extend(cards[4:])
        return request

    async def price(self, channel: Any) -> None:
        assert len((await PricingServiceStub(channel).Price(self.request(), timeout=30)).bets) == 9

    async def batch(self, channel: Any) -> None:
        request = pb.BatchPriceRequest(game_type=GAME, coups=[pb.Coup(dealt=["9S"])] * self.random.randrange(100))
        prices: Any = await PricingServiceStub(channel).BatchPrice(request, timeout=30)
        assert len(prices.prices) == len(request.coups)

    async def stream(self, channel: Any) -> None:
        call: Any = PricingServiceStub(channel).StreamPrices(timeout=30)
        for _ in range(self.random.randrange(30)):
            await call.write(pb.StreamPricesRequest(request=self.request()))
            assert len((await call.read()).response.bets) == 9
        if self.random.random() < 0.5:
            call.cancel()
        else:
            await call.done_writing()
            assert await call.read() is grpc.aio.EOF

    async def wrong(self, channel: Any) -> None:
        try:
            await PricingServiceStub(channel).Price(pb.PriceRequest(game_type=GAME, dealt=["XX"]), timeout=30)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.INVALID_ARGUMENT:
                raise

    async def cancel(self, channel: Any) -> None:
        calls: list[Any] = [PricingServiceStub(channel).Price(self.request()) for _ in range(5)]
        await asyncio.sleep(self.random.random() / 500)
        for call in calls:
            call.cancel()
        await asyncio.wait([asyncio.ensure_future(call.code()) for call in calls])

    async def late(self, channel: Any) -> None:
        request = pb.BatchPriceRequest(game_type=GAME, coups=[pb.Coup()] * 1000)
        try:
            await PricingServiceStub(channel).BatchPrice(request, timeout=0.005)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise

    async def watch(self, channel: Any) -> None:
        stub: Any = HealthStub(channel)
        watching = stub.Watch(HealthCheckRequest())
        await watching.read()
        watching.cancel()

    async def reset(self, channel: Any) -> None:
        connection = http2.connect(self.server.address)
        connection.sendall(http2.call(1, http2.message(self.request().SerializeToString())))
        http2.reset(connection)


def sample(server: ServerProcess) -> Sample:
    threads = len(list(Path(f"/proc/{server.process.pid}/task").iterdir()))
    return Sample(server.resident(), server.descriptors(), threads)


async def soak(server: ServerProcess, seconds: float, seed: int) -> tuple[Counter[str], list[Sample]]:
    callers, samples = Soak(server, seed), list[Sample]()
    callers.end = time.monotonic() + seconds
    workers = [asyncio.create_task(callers.worker()) for _ in range(6)]
    while not all(worker.done() for worker in workers):
        await asyncio.sleep(min(1.0, seconds / 30))
        samples.append(sample(server))
    for worker in workers:
        worker.result()
    return callers.outcomes, samples


def medians(samples: list[Sample]) -> list[Sample]:
    """Of each third of the time."""
    third = len(samples) // 3
    thirds = [samples[start : start + third] for start in (0, third, 2 * third)]
    return [Sample(*(int(median(values)) for values in zip(*part, strict=True))) for part in thirds]


def faults(server: ServerProcess, outcomes: Counter[str], samples: list[Sample]) -> list[str]:
    """What is not as it should be."""
    _, second, last = medians(samples)
    found = [f"{outcome}: {count}" for outcome, count in outcomes.items() if "failed" in outcome]
    for name, before, after, most in zip(Sample._fields, second, last, (GROWTH, 10, 2), strict=True):
        if after - before > most:
            found.append(f"{name} grew from {before} to {after}")
    for name, value in server.metrics().items():
        if name.startswith("grpc_server_in_flight_calls") and value:
            found.append(f"{name} is {value}")
        if name.startswith("grpc_server_handled_total") and ('"Internal"' in name or '"Unknown"' in name):
            found.append(f"{name} is {value}")
    return found


def main(seconds: float, seed: int) -> int:
    # Somebody must read the log: what is not written in time is dropped.
    with server_process("--log-level", "info") as server:
        assert server.process.stderr
        with subprocess.Popen(["cat"], stdin=server.process.stderr, stdout=subprocess.DEVNULL) as drain:
            outcomes, samples = asyncio.run(soak(server, seconds, seed))
            time.sleep(1)
            found = faults(server, outcomes, samples)
            code = server.stop()
            drain.wait(10)
    print(", ".join(f"{name} {count}" for name, count in sorted(outcomes.items())))
    for when, held in zip(("first", "second", "last"), medians(samples), strict=True):
        print(f"{when} third: {held.memory >> 20} MB, {held.descriptors} descriptors, {held.threads} threads")
    print(f"exit code of the server: {code}")
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found) or code != 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.exit(main(arguments.minutes * 60, arguments.seed))
