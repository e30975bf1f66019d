"""Faults on the way: in the end a follower knows what the server knows, and has seen what it must, each once."""

import asyncio
import time
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import partial
from itertools import groupby

import grpc
import pytest
from service.proxy import Proxy, proxied
from service.serving import ServerProcess, server_process
from service.studio import Studio, whole_games

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub
from pricing.client.calls import Access
from pricing.client.feed import Follower, Moment, follow
from pricing.client.view import SILENCE

HEARTBEAT = 0.5
SLACK = 0.15
"""Seconds for a loop that is busy with other things."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


class Play:
    """Games at a table, one event after the other, until they are to end."""

    def __init__(self, address: str, table: str) -> None:
        self.channel = grpc.insecure_channel(address)
        self.studio = Studio(self.channel, table).create(shoe=False)
        self.over = False
        self._times: list[float] = []
        self._states: list[int] = []
        self._events = whole_games(table)

    async def run(self) -> None:
        while not self.over:
            receipt = await asyncio.to_thread(self.studio.send, next(self._events))
            self._times.append(time.monotonic())
            self._states.append(receipt.card_state)
            await asyncio.sleep(0.003)

    def card_state(self, before: float) -> int:
        """The table's card state, as the studio was told it, so many seconds ago."""
        place = bisect_right(self._times, time.monotonic() - before)
        return self._states[place - 1] if place else 0


class Watching:
    """A follower, all it has seen, and whether it ever showed a price that could not be relied on."""

    def __init__(self, follower: Follower, play: Play) -> None:
        self.follower = follower
        self.images: list[pb.TableImage] = []
        self.moments: list[Moment] = []
        self.offered = 0
        self._play = play

    async def read(self) -> None:
        async for update in self.follower:
            self.moments.append(update.moment)
            if update.image:
                self.images.append(update.image)

    async def look(self) -> None:
        """An offer is of the newest card state that there was when the silence would have been noticed."""
        while True:
            view = self.follower.view(self._play.studio.table)
            if view.offers:
                assert view.image
                self.offered += 1
                assert view.image.table.card_state >= self._play.card_state(SILENCE * HEARTBEAT + SLACK)
            await asyncio.sleep(0.01)

    async def until(self, truth: Callable[[], object]) -> None:
        async with asyncio.timeout(15):
            while not truth():
                await asyncio.sleep(0.01)


def accepts_more(proxy: Proxy, before: int) -> bool:
    return proxy.accepted > before


async def cut(proxy: Proxy, watching: Watching) -> None:
    for _ in range(3):
        accepted = proxy.accepted
        proxy.cut()
        await watching.until(partial(accepts_more, proxy, accepted))
        await asyncio.sleep(0.2)


async def half_open(proxy: Proxy, watching: Watching) -> None:
    proxy.freeze()
    await watching.until(lambda: Moment.LOST in watching.moments)


async def late(proxy: Proxy, watching: Watching) -> None:
    proxy.delay = 0.1
    await asyncio.sleep(1)
    proxy.delay = 2
    await watching.until(lambda: Moment.LOST in watching.moments)
    proxy.delay = 0


async def reset_in_a_message(proxy: Proxy, watching: Watching) -> None:
    for count in (1, 700, 20_001):
        accepted = proxy.accepted
        proxy.reset_after(count)
        await watching.until(partial(accepts_more, proxy, accepted))
        await asyncio.sleep(0.2)


@pytest.mark.parametrize("fault", [cut, half_open, late, reset_in_a_message])
def test_faults_of_the_network(server: ServerProcess, fault: Callable[[Proxy, Watching], Awaitable[None]]) -> None:
    async def story() -> None:
        play = Play(server.address, fault.__name__.replace("_", "-"))
        async with proxied(server.address) as proxy:
            follower = follow(Access(address=proxy.address), [play.studio.table], heartbeat=HEARTBEAT)
            async with aclosing(follower):
                await through(play, Watching(follower, play), lambda watching: fault(proxy, watching))

    asyncio.run(story())


async def through(play: Play, watching: Watching, fault: Callable[[Watching], Awaitable[None]]) -> None:
    """Play through a fault; afterwards all must be as if there had been none."""
    tasks = [asyncio.create_task(each) for each in (watching.read(), watching.look())]
    await watching.until(lambda: watching.images)
    playing = asyncio.create_task(play.run())
    await watching.until(lambda: watching.offered > 5)
    await fault(watching)
    await watching.until(lambda: watching.moments.count(Moment.COMPLETE) > watching.moments.count(Moment.LOST) > 0)
    seen = watching.offered
    await watching.until(lambda: watching.offered > seen)
    play.over = True
    await playing
    last = play.studio.look()
    await watching.until(lambda: watching.images[-1].sequence == last.position)
    for task in tasks:
        assert not task.done(), task.exception()
        task.cancel()
    await asyncio.wait(tasks)
    view = watching.follower.view(play.studio.table)
    assert (view.stale, view.image and view.image.table) == ("", last)
    assert once(watching.images) == sorted({image.sequence for image in watching.images})
    assert must_see(watching.images[1:]) == must_see(journalled(play, watching.images[0]))
    assert len(must_see(watching.images)) > 5


def once(images: list[pb.TableImage]) -> list[int]:
    """Their sequences: who comes back and has missed nothing gets the newest image again, which replaces itself."""
    return [sequence for sequence, _ in groupby(image.sequence for image in images)]


def must_see(images: list[pb.TableImage]) -> list[int]:
    return once([image for image in images if image.sequence == image.must_see_sequence])


def journalled(play: Play, first: pb.TableImage) -> list[pb.TableImage]:
    """What somebody gets who missed everything after an image."""
    table = play.studio.table
    at = pb.Resume(epoch=first.epoch, sequences=[pb.TableSequence(table=table, sequence=first.sequence)])
    found: list[pb.TableImage] = []
    for message in OddsServiceStub(play.channel).WatchTables(pb.WatchTablesRequest(tables=[table], resume=at)):
        if message.HasField("snapshot_complete"):
            return found
        if message.HasField("image"):
            found.append(message.image)
    raise AssertionError("no SnapshotComplete")
