"""The feed under those who do not behave: who never read, who come back all at once, who make others wait."""

import asyncio
import random
import struct
import time
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pytest
from prometheus_client import CollectorRegistry
from service import http2
from service.floors import eventually, hall
from service.serving import server_process
from service.studio import Studio, whole_games

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub
from pricing.service.feed.feed import Feed
from pricing.service.feed.wish import Wish
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.settings import Settings
from pricing.table import events

WATCH = b"/pricing.baccarat.v1.OddsService/WatchTables"
SUBSCRIBERS = "baccarat_pricing_feed_subscribers"
EVICTIONS = "baccarat_pricing_feed_evictions_total"
CONFLATED = "baccarat_pricing_feed_conflated_total"


BLIND = http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HIHI", 4, 16, 0xFE03, 1))
"""A window of a few bytes for what is sent, and that binary metadata may come as it is."""


@pytest.mark.parametrize("later", [0, 2])
def test_who_takes_nothing_is_ended_after_a_while(later: int) -> None:
    """Not even the first image gets through; who then reads after all finds why, and where to go on."""
    with server_process("--write-timeout", "1") as server:
        studio = Studio(server.channel(), "t").create()
        connection = http2.connect(server.address, http2.PREFACE + BLIND)
        start = time.monotonic()
        request = pb.WatchTablesRequest(tables=["t"]).SerializeToString()
        connection.sendall(http2.call(1, http2.message(request), WATCH))
        while not server.metrics()[SUBSCRIBERS]:
            time.sleep(0.01)
        studio.play_game()
        while not server.metrics()[EVICTIONS]:
            assert time.monotonic() - start < 10
            time.sleep(0.1)
        assert time.monotonic() - start > 1
        assert server.metrics()[SUBSCRIBERS] == 0
        assert server.metrics()[CONFLATED] > 5
        time.sleep(later)
        connection.sendall(http2.frame(http2.WINDOW_UPDATE, 0, 1, struct.pack(">I", 1 << 20)))
        received = http2.read_to_end(connection, 1)
        _, found, trailers = received.rpartition(http2.header(b"grpc-status", b"8")[1:])
        assert found
        assert all(part in trailers for part in (b"SLOW_CONSUMER", b"epoch", b"nothing was taken for 1 seconds"))
        connection.close()


def test_a_storm_of_reconnects() -> None:
    """500 come back at once from long ago, half of them leave again at any moment; everybody else gets the same."""
    with server_process() as server, server.channel() as channel:
        studio = Studio(channel, "t").create(shoe=False)
        first = OddsServiceStub(channel).GetOdds(pb.GetOddsRequest(table="t")).image
        at = pb.Resume(epoch=first.epoch, sequences=[pb.TableSequence(table="t", sequence=first.sequence)])
        for event in islice(whole_games("t"), 200):
            studio.send(event)

        async def come(stub: Any, stay: float | None) -> list[tuple[int, int, bool]]:
            found = []
            call = stub.WatchTables(pb.WatchTablesRequest(tables=["t"], resume=at))
            try:
                async with asyncio.timeout(stay):
                    async for message in call:
                        if message.HasField("snapshot_complete"):
                            break
                        if message.HasField("image"):
                            image = message.image
                            found.append((image.sequence, image.previous_sequence, image.historical))
            except TimeoutError:
                pass
            call.cancel()
            return found

        async def storm() -> list[list[tuple[int, int, bool]]]:
            options = [("grpc.use_local_subchannel_pool", 1)]
            channels = [grpc.aio.insecure_channel(server.address, options=options) for _ in range(10)]
            dice = random.Random(1)
            calls = [come(OddsServiceStub(channels[n % 10]), dice.random() if n % 2 else None) for n in range(500)]
            found = await asyncio.gather(*calls)
            await asyncio.gather(*(each.close() for each in channels))
            return found[::2]

        everybody = asyncio.run(storm())
        assert len(everybody[0]) > 10
        assert [historical for *_, historical in everybody[0]][-2:] == [True, False]
        assert all(each == everybody[0] for each in everybody)
        deadline = time.monotonic() + 5
        while server.metrics()[SUBSCRIBERS]:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_bet_stop_overtakes_the_images_of_other_tables(tmp_path: Path) -> None:
    """While a caller takes nothing, five tables get images; then a sixth stops its bets, and that leaves first."""
    names = [f"t{number}" for number in range(6)]
    sent: list[pb.TableImage] = []

    async def story() -> None:
        async with hall(tmp_path) as found:
            feed = Feed(found.floor, found.clock, FeedMetrics(CollectorRegistry()), Settings())
            found.floor.published = feed.told
            taken = asyncio.Event()
            taken.set()

            async def write(data: bytes) -> None:
                await taken.wait()
                sent.append(pb.WatchTablesResponse.FromString(data).image)

            async def say(name: str, *given: events.Event) -> None:
                for event in given:
                    receipt = await found.floor.submit(name, found.report(event, source_number=None))
                    assert receipt.refusal is None, receipt.refusal

            for name in names:
                await found.create(name)
                await say(name, events.ShoeLoaded("", 0), events.GameOpened())
            with feed.subscribe(Wish(frozenset(), False, "", {}, 5, 0)) as subscriber:
                running = asyncio.create_task(subscriber.run(write))
                await eventually(lambda: len(sent) == len(names) + 1)
                taken.clear()
                for name in names[:-1]:
                    await say(name, events.CutCardSeen())
                await asyncio.sleep(0.05)  # the first of them is being written
                await say(names[-1], events.BettingClosed(None))
                taken.set()
                await eventually(lambda: len(sent) == 2 * len(names) + 1)
                running.cancel()
                await asyncio.wait([running])

    asyncio.run(story())
    order = [image.table.table for image in sent[len(names) + 1 :]]
    assert order == [names[0], names[-1], *names[1:-1]]
    assert pb.CHANGE_KIND_BET_STOP in sent[len(names) + 2].changes
