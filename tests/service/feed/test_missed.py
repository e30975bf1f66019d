"""What somebody missed is read again from a state near to it, however long the journal of the table is."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from service.floors import SECOND, Hall, hall
from service.studio import whole_games

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.feed.feed import Feed
from pricing.service.feed.wish import Wish
from pricing.service.floor.checkpoints import Checkpoints
from pricing.service.messages.table_events import read_report
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.roles import Caller, Role
from pricing.service.settings import Settings
from pricing.store.rows import Row

EVERY = 50
EVENTS = 1_100
DAY = 86_400 * SECOND


async def play(hall: Hall, events: int) -> None:
    """So many more events of whole games."""
    position = hall.floor.table("t").position
    for event in islice(whole_games("t"), position - 1, position - 1 + events):
        await hall.floor.submit("t", read_report(event, Caller("studio", Role.STUDIO)))


def rows_read(hall: Hall) -> list[int]:
    """Positions of the rows that are read of the journal from now on."""
    found: list[int] = []
    read = hall.journal.read

    def counted(table: str, after: int = 0, limit: int | None = None) -> Any:
        def noted(row: Row) -> Row:
            found.append(row.position)
            return row

        return map(noted, read(table, after, limit))

    hall.journal.read = counted  # type: ignore[method-assign]
    return found


async def resumed(hall: Hall, after: int) -> list[pb.TableImage]:
    """What a caller is sent who has come back."""
    feed = Feed(hall.floor, hall.clock, FeedMetrics(CollectorRegistry()), Settings())
    images: list[pb.TableImage] = []
    complete = asyncio.Event()

    async def write(data: bytes) -> None:
        message = pb.WatchTablesResponse.FromString(data)
        if message.HasField("image"):
            images.append(message.image)
        if message.HasField("snapshot_complete"):
            complete.set()

    with feed.subscribe(Wish(frozenset("t"), False, feed.epoch, {"t": after}, 5, 0)) as subscriber:
        running = asyncio.create_task(subscriber.run(write))
        await complete.wait()
        running.cancel()
        await asyncio.wait([running])
    return images


def told(folder: Path, story: Callable[[Hall], Coroutine[Any, Any, None]]) -> None:
    """Let a story happen at a table that keeps a state after every 50 events."""

    async def run() -> None:
        async with hall(folder) as found:
            found.floor.checkpoints = Checkpoints(EVERY)
            await found.create()
            await story(found)

    asyncio.run(run())


def test_no_more_is_read_than_from_the_checkpoint_before(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        await play(hall, EVENTS)
        everything = await resumed(hall, 1)
        assert len(everything) > 70
        read = rows_read(hall)
        for after in (20, 50, 51, 849, 1_000):
            read.clear()
            expected = [image.sequence for image in everything if image.sequence > after]
            found = await resumed(hall, after)
            assert [image.sequence for image in found] == expected
            assert [image.previous_sequence for image in found] == [after, *expected[:-1]]
            begun = after // EVERY * EVERY
            assert min(read) == max(begun, 1)
            assert len(read) == len(set(read)) <= EVENTS + 2 - begun
            for one, other in zip(found[1:], everything[-len(found) + 1 :], strict=True):
                other.server_time.CopyFrom(one.server_time)
                assert one == other

    told(tmp_path, story)


def test_many_batches_read_each_row_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("line", "batches"):
        monkeypatch.setattr(f"pricing.service.feed.{module}.SIZE", 10)

    async def story(hall: Hall) -> None:
        await play(hall, 600)
        hall.floor.checkpoints = Checkpoints(10_000, 10_000)  # none, as for a short journal
        read = rows_read(hall)
        assert len(await resumed(hall, 1)) > 40
        again = len(read) - len(set(read))
        assert again < 10 * 15  # of each batch the row that it begins at, and the rest of its game

    told(tmp_path, story)


def test_who_missed_nothing_before_the_first_state_begins_there(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        await play(hall, 120)
        read = rows_read(hall)
        await resumed(hall, EVERY - 1)
        assert min(read) == EVERY

    told(tmp_path, story)


def test_a_restart_keeps_states_as_it_rebuilds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pricing.service.floor.floor.Checkpoints", lambda: Checkpoints(EVERY))
    told(tmp_path, lambda hall: play(hall, 120))

    async def again() -> None:
        async with hall(tmp_path) as found:
            oldest, newest = found.floor.checkpoints.oldest("t"), found.floor.checkpoints.newest("t", 120)
            assert oldest
            assert newest
            assert (oldest.position, newest.position) == (50, 100)

    asyncio.run(again())


def test_what_was_missed_over_a_week_ago_is_not_even_read(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        for _ in range(10):
            await play(hall, EVERY)
            hall.clock.wait(DAY)
        oldest = hall.floor.checkpoints.oldest("t")
        assert oldest
        assert oldest.position == 2 * EVERY
        read = rows_read(hall)
        first, *more = await resumed(hall, 20)
        assert (first.snapshot_reason, more, read) == (pb.SNAPSHOT_REASON_TOO_OLD, [], [])
        first, *more = await resumed(hall, 4 * EVERY)
        assert first.historical
        assert more

    told(tmp_path, story)
