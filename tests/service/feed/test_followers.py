"""Callers who read slowly, go away and come back, through random histories of a table: each promise, for each image."""

import asyncio
import random
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from service.floors import Hall, hall
from table.playing import TYPES
from table.twin import Twin, anything

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.types_pb2 import OFFER_STATE_ACTIVE
from pricing.service.feed.feed import Feed
from pricing.service.feed.wish import Wish
from pricing.service.floor.checkpoints import Checkpoints
from pricing.service.images.changes import changes, must_see
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.settings import Settings
from pricing.table.state import Entry, Table

TABLE = "t1"


class House:
    """A floor, and a feed that is made anew now and then, as at a restart: it has seen nothing of what was before."""

    def __init__(self, found: Hall) -> None:
        self.floor, self.clock = found.floor, found.clock
        self.must_see: list[tuple[int, frozenset[int]]] = []
        self.calls: set[asyncio.Task[None]] = set()
        self.restart()
        self.floor.published = self.told

    def restart(self) -> None:
        for call in self.calls:
            call.cancel()
        self.feed = Feed(self.floor, self.clock, FeedMetrics(CollectorRegistry()), Settings(feed_batch=2))

    def told(self, before: Table | None, entry: Entry, after: Table) -> None:
        if must_see(entry, after):
            self.must_see.append((entry.position, frozenset(changes(before, entry, after))))
        self.feed.told(before, entry, after)


class Follower:
    """A caller. What it is told is compared with what happened."""

    def __init__(self, house: House, dice: random.Random) -> None:
        self.house, self.dice = house, dice
        self.delay = dice.choice([0, 0, 0, 0.02])
        self.only_must_see = dice.random() < 0.2
        self.first = self.last = 0
        """Sequences of the first snapshot and of the newest image."""
        self.new_call = True
        self.seen: list[tuple[int, frozenset[int]]] = []
        """The must-see images, and what they told of."""
        self.live: pb.TableImage | None = None

    async def write(self, data: bytes) -> None:
        message = pb.WatchTablesResponse.FromString(data)
        if message.HasField("image"):
            self.take(message.image)
        for _ in range(self.dice.choice([0, 1, 3, 40])):
            await asyncio.sleep(0)

    def take(self, image: pb.TableImage) -> None:
        if image.snapshot_reason:
            assert not self.last
            self.first = image.sequence
        else:
            assert image.previous_sequence == self.last
            assert image.sequence > self.last or (self.new_call and image.sequence == self.last)
        if image.must_see_sequence == image.sequence > max(self.last, self.first):
            self.seen.append((image.sequence, frozenset(image.changes)))
        assert self.last >= self.first or image.snapshot_reason
        assert image.historical or not self.last < image.must_see_sequence < image.sequence or image.snapshot_reason
        active = any(bet.state == OFFER_STATE_ACTIVE for each in image.table.game.rounds for bet in each.bets)
        if active:
            assert not image.historical
            assert self.delay or image.table.card_state == self.house.floor.table(TABLE).card_state
        self.last, self.new_call, self.live = image.sequence, False, image

    async def watch(self, seconds: float) -> None:
        """One call."""
        self.new_call = True
        known = {TABLE: self.last} if self.last else {}
        feed = self.house.feed
        wish = Wish(frozenset({TABLE}), self.only_must_see, feed.epoch, known, 0.5, self.delay)
        with feed.subscribe(wish) as subscriber:
            await asyncio.sleep(self.dice.choice([0, 0, 0.005]))  # until gRPC has sent that it is there
            if feed is not self.house.feed:
                return
            running = asyncio.create_task(subscriber.run(self.write))
            self.house.calls.add(running)
            running.add_done_callback(self.house.calls.discard)
            await asyncio.wait([running], timeout=seconds)
            running.cancel()
            await asyncio.wait([running])
            assert running.cancelled(), running.exception()

    async def live_on(self, over: asyncio.Event) -> None:
        while not over.is_set():
            await self.watch(self.dice.choice([0.001, 0.01, 0.05]))
            await asyncio.sleep(self.dice.choice([0, 0.002, 0.02]))
        self.only_must_see = False
        for _ in range(100):
            await self.watch(0.05 + 2 * self.delay)
            if self.last == self.house.floor.table(TABLE).position:
                return


async def play(house: House, twin: Twin, dice: random.Random) -> None:
    """Tell the floor what the twin is told, at the same times, until some games have come to an end."""
    told = 1
    for step in range(400):  # a table may be closed
        if step >= 80 and len(house.must_see) >= 5:
            break
        if dice.random() < 0.05:
            house.restart()
        anything(twin, dice, 0.4)
        for entry in twin.entries[told:]:
            house.clock.time = entry.recorded_time
            await house.floor.submit(TABLE, entry.report)
            if dice.random() < 0.3:
                await asyncio.sleep(dice.choice([0, 0.003]))
        told = len(twin.entries)


@pytest.mark.parametrize("seed", range(12))
def test_every_promise_holds_for_everybody(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With little in memory, so that much is read again."""
    for name, value in (("line._KEPT", 2), ("line.SIZE", 3), ("batches.SIZE", 3), ("batches._KEPT", 2)):
        monkeypatch.setattr(f"pricing.service.feed.{name}", value)

    async def story() -> None:
        dice = random.Random(seed)
        async with hall(tmp_path) as found:
            twin = Twin(TYPES["bet-on-baccarat"])
            found.floor.checkpoints = Checkpoints(16, 4)
            found.clock.time = twin.now
            await found.create(TABLE)
            house, over = House(found), asyncio.Event()
            followers = [Follower(house, random.Random(f"{seed} {each}")) for each in range(5)]
            living = [asyncio.create_task(each.live_on(over)) for each in followers]
            await play(house, twin, dice)
            over.set()
            await asyncio.gather(*living)
            assert house.floor.table(TABLE).position == len(twin.entries)
            newest = house.feed.newest(TABLE)
            for each in followers:
                assert each.last == newest.sequence
                assert each.live
                assert each.live.table == pb.TableImage.FromString(newest.data(historical=each.live.historical)).table
                assert each.seen == [(place, what) for place, what in house.must_see if place > each.first]

    asyncio.run(story())
