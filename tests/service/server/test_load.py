"""Many at once: every call has an answer, everybody else is served, and the server is afterwards as it was before."""

import asyncio
import gc
import random
import time
from collections import Counter
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from service.serving import Refused, ServerProcess

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.baccarat.v1.types_pb2 import CardCount, RemainingCards, RemovedCards, Shoe
from pricing.domain.cards import CARDS

REQUEST = pb.PriceRequest(game_type="bet-on-baccarat")
MANY = 5000


def settled(server: ServerProcess, descriptors: int, memory: int) -> None:
    """The server comes back to what it was."""
    end = time.monotonic() + 15
    while server.descriptors() > descriptors or any(
        value for name, value in server.metrics().items() if name.startswith("grpc_server_in_flight_calls")
    ):
        assert time.monotonic() < end, "something is left over"
        time.sleep(0.1)
    assert server.resident() - memory < 100 << 20


def test_many_simultaneous_calls(server: ServerProcess, stub: PricingServiceStub) -> None:
    assert stub.Price(REQUEST).bets
    descriptors, memory = server.descriptors(), server.resident()

    async def main() -> Counter[str]:
        outcomes: Counter[str] = Counter()
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels = [grpc.aio.insecure_channel(server.address, options) for _ in range(8)]

        async def call(number: int) -> None:
            answer: Any = PricingServiceStub(channels[number % len(channels)]).Price(REQUEST, timeout=60)
            try:
                outcomes[str(len((await answer).bets))] += 1
            except grpc.aio.AioRpcError as error:
                found = Refused(error)
                assert found.retry.retry_delay.nanos, (found.code, found.message)
                outcomes[found.info.reason] += 1

        await asyncio.gather(*(call(number) for number in range(MANY)))
        for channel in channels:
            await channel.close()
        return outcomes

    outcomes = asyncio.run(main())
    gc.collect()
    assert sum(outcomes.values()) == MANY
    assert set(outcomes) <= {"9", "OVERLOADED"}
    assert outcomes["9"] >= 1000
    settled(server, descriptors, memory)


def test_many_subscriptions_to_health(server: ServerProcess, stub: PricingServiceStub) -> None:
    descriptors, memory = server.descriptors(), server.resident()

    async def main() -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels = [grpc.aio.insecure_channel(server.address, options) for _ in range(8)]
        stubs: list[Any] = [HealthStub(channel) for channel in channels]
        watching = [stubs[number % len(stubs)].Watch(HealthCheckRequest()) for number in range(MANY)]
        heard = await asyncio.gather(*(watcher.read() for watcher in watching))
        assert {each.status for each in heard} == {HealthCheckResponse.SERVING}
        start = time.monotonic()
        assert len((await PricingServiceStub(channels[0]).Price(REQUEST)).bets) == 9
        assert time.monotonic() - start < 1
        for watcher in watching:
            watcher.cancel()
        for channel in channels:
            await channel.close()

    asyncio.run(main())
    gc.collect()
    settled(server, descriptors, memory)


def test_batch_lets_others_have_their_turn(server: ServerProcess, stub: PricingServiceStub) -> None:
    batch = pb.BatchPriceRequest(game_type="bet-on-baccarat", coups=[pb.Coup(dealt=["9S", "KD"])] * 1000)
    waits = []
    futures = [stub.BatchPrice.future(batch) for _ in range(4)]
    while not all(future.done() for future in futures):
        start = time.monotonic()
        assert stub.Price(REQUEST).bets
        waits.append(time.monotonic() - start)
    assert all(len(future.result().prices) == 1000 for future in futures)
    assert sorted(waits)[len(waits) // 2] < 0.1


def test_deadline_of_a_batch_is_kept(server: ServerProcess, stub: PricingServiceStub) -> None:
    batch = pb.BatchPriceRequest(game_type="bet-on-baccarat", coups=[pb.Coup(dealt=["9S", "KD"])] * 1000)
    start = time.monotonic()
    with pytest.raises(grpc.RpcError) as late:
        stub.BatchPrice(batch, timeout=0.01)
    assert late.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - start < 1


class Noise:
    """Requests at random, most of them wrong in some way."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self) -> int:
        return self.random.choice([0, 1, 2, 6, 12, 13, -1, 2**31 - 1, -(2**31), self.random.randrange(400)])

    def card(self) -> str:
        odd = ["", "1S", "as", "ASS", "\u2660A", "\x00", "X" * 1000]
        return self.random.choice(odd) if self.random.random() < 0.02 else self.random.choice(CARDS)

    def cards(self, most: int) -> list[str]:
        return [self.card() for _ in range(self.random.randrange(most))]

    def shoe(self) -> Shoe:
        shoe = Shoe(unseen_removed=self.number() if self.random.random() < 0.3 else 0)
        if self.random.random() < 0.7:
            shoe.decks = self.random.choice([1, 6, 8, 12, self.number()])
        kind = self.random.randrange(3)
        if kind == 0:
            shoe.removed.CopyFrom(RemovedCards(cards=self.cards(self.random.choice([3, 60, 1100]))))
        elif kind == 1:
            counts = [CardCount(card=card, count=self.random.randrange(-1, 9)) for card in self.cards(55)]
            shoe.remaining.CopyFrom(RemainingCards(cards=counts))
        return shoe

    def game(self) -> str:
        return self.random.choice(["bet-on-baccarat", "punto-banco", "bet-on-baccarat", "", "x", "\U0001f0a1" * 50])

    def price(self) -> pb.PriceRequest:
        shoe = self.shoe() if self.random.random() < 0.8 else None
        return pb.PriceRequest(game_type=self.game(), shoe=shoe, dealt=self.cards(8))

    def batch(self) -> pb.BatchPriceRequest:
        coups = [pb.Coup(dealt=self.cards(7)) for _ in range(self.random.choice([0, 1, 5, 1001]))]
        return pb.BatchPriceRequest(game_type=self.game(), shoe=self.shoe(), coups=coups)

    def page(self) -> pb.ListGameTypesRequest:
        return pb.ListGameTypesRequest(page_size=self.number(), page_token=self.random.choice(["", "YWZ0ZXI6", "é"]))

    def bent(self, data: bytes) -> bytes:
        """The same bytes with some others in between."""
        bent = bytearray(data)
        for _ in range(self.random.randrange(1, 6)):
            place = self.random.randrange(len(bent) + 1)
            bent[place : place + self.random.randrange(3)] = self.random.randbytes(self.random.randrange(4))
        return bytes(bent)


@pytest.mark.parametrize("seed", range(4))
def test_no_request_is_an_internal_error(server: ServerProcess, seed: int) -> None:
    noise = Noise(seed)
    service = "/pricing.baccarat.v1.PricingService/"
    good = bad = 0
    with server.channel() as channel:
        for _ in range(500):
            method, request = noise.random.choice(
                [
                    ("Price", noise.price),
                    ("Price", noise.price),
                    ("BatchPrice", noise.batch),
                    ("ListGameTypes", noise.page),
                ]
            )
            data = request().SerializeToString()
            if noise.random.random() < 0.4:
                data = noise.bent(data)
            try:
                channel.unary_unary(service + method)(data)
                good += 1
            except grpc.RpcError as error:
                found = Refused(error)
                assert found.code is grpc.StatusCode.INVALID_ARGUMENT, (found.code, found.message, data)
                assert found.info.reason
                bad += 1
    assert good > 30
    assert bad > 100


def test_no_stream_is_an_internal_error(server: ServerProcess) -> None:
    noise = Noise(99)
    with server.channel() as channel:
        stub = PricingServiceStub(channel)
        requests = [pb.StreamPricesRequest(correlation_id=str(number), request=noise.price()) for number in range(1000)]
        answers = list(stub.StreamPrices(iter(requests)))
        assert [answer.correlation_id for answer in answers] == [str(number) for number in range(1000)]
        assert {answer.error.code for answer in answers} == {0, grpc.StatusCode.INVALID_ARGUMENT.value[0]}
        for request, answer in zip(requests[:200], answers, strict=False):
            try:
                assert stub.Price(request.request) == answer.response
            except grpc.RpcError as error:
                found = Refused(error)
                assert found.message == answer.error.message


def test_noise_left_no_errors_in_the_log(server: ServerProcess) -> None:
    handled = {name: value for name, value in server.metrics().items() if name.startswith("grpc_server_handled_total")}
    assert sum(handled.values()) > MANY
    assert not [name for name in handled if "Internal" in name or "Unknown" in name]
