"""The follower: nothing on offer while anything is in doubt, and everything there again afterwards."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pytest
from service.serving import ServerProcess, server_process
from service.studio import Studio, whole_games

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import (
    OddsServiceServicer,
    OddsServiceStub,
    add_OddsServiceServicer_to_server,
)
from pricing.baccarat.v1.tables_pb2 import Table
from pricing.client.calls import Access, CallFailed
from pricing.client.feed import Follower, Moment, Update, follow
from pricing.client.view import Followed, Gap
from pricing.store.reader import open_reader


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


def studio_of(server: ServerProcess, table: str) -> Any:
    return Studio(server.channel(), table).create()


async def until(follower: Follower, truth: Callable[[Update], object]) -> list[Update]:
    """The updates up to the first of which something is true."""
    found = []
    async with asyncio.timeout(20):
        async for update in follower:
            found.append(update)
            if truth(update):
                return found
    raise AssertionError("it ended")


def complete(update: Update) -> bool:
    return update.moment is Moment.COMPLETE


def test_a_frozen_server_offers_nothing_until_it_is_back(server: ServerProcess) -> None:
    """Its sockets stay open: only the silence tells."""
    studio = studio_of(server, "frozen")
    studio.say(game_opened={})

    async def story() -> None:
        async with aclosing(follow(Access(address=server.address), ["frozen"], heartbeat=0.5)) as follower:
            await until(follower, complete)
            assert len(follower.view("frozen").offers) == 9
            server.process.send_signal(signal.SIGSTOP)
            try:
                start = time.monotonic()
                lost = await until(follower, lambda update: update.moment is Moment.LOST)
                assert 0.7 < time.monotonic() - start < 2
                assert "heard" in lost[-1].why
                view = follower.view("frozen")
                assert view.stale
                assert view.offers == []
            finally:
                server.process.send_signal(signal.SIGCONT)
            await until(follower, complete)
            assert len(follower.view("frozen").offers) == 9

    asyncio.run(story())


def test_a_view_gets_stale_by_itself(server: ServerProcess) -> None:
    """Also when nobody asks for updates, as while the caller is busy."""
    studio_of(server, "busy").say(game_opened={})

    async def story() -> None:
        async with aclosing(follow(Access(address=server.address), ["busy"], heartbeat=0.5)) as follower:
            await until(follower, complete)
            assert follower.view("busy").offers
            time.sleep(1.5)
            assert follower.view("busy").offers == []

    asyncio.run(story())


@pytest.mark.parametrize("end", [ServerProcess.stop, ServerProcess.kill])
def test_nothing_is_missed_over_a_restart(tmp_path: Path, end: Callable[[ServerProcess], object]) -> None:
    seen: list[pb.TableImage] = []

    async def story() -> None:
        with server_process("--data", str(tmp_path)) as first:
            address = first.address
            studio = studio_of(first, "t")
            follower = follow(Access(address=address), ["t"], heartbeat=0.5)
            seen.extend(update.image for update in await until(follower, complete) if update.image)
            end(first)
        with server_process("--data", str(tmp_path), "--listen", address) as second:
            again = Studio(second.channel(), "t")
            again.number = studio.number
            for _ in range(3):
                await asyncio.to_thread(again.play_game)
            last = again.look()
            found = await until(follower, lambda update: update.image and update.image.sequence == last.position)
            seen.extend(update.image for update in found if update.image)
            assert follower.view("t").image.table == last  # type: ignore[union-attr]
            await follower.aclose()

    asyncio.run(story())
    settled = [image.sequence for image in seen if pb.CHANGE_KIND_SETTLEMENT in image.changes]
    assert len(settled) == len(set(settled)) == 3


def test_whole_games_are_seen_in_order(server: ServerProcess) -> None:
    studio = Studio(server.channel(), "whole").create(shoe=False)

    async def story() -> None:
        async with aclosing(follow(Access(address=server.address), ["whole"])) as follower:
            await until(follower, complete)
            events = list(islice(whole_games("whole"), 60))
            playing = asyncio.create_task(asyncio.to_thread(lambda: [studio.send(event) for event in events]))
            found = await until(follower, lambda update: update.image and update.image.sequence == 61)
            await playing
            numbers = [update.image.sequence for update in found if update.image]
            assert numbers == sorted(set(numbers))
            assert follower.view("whole").image.table == studio.look()  # type: ignore[union-attr]

    asyncio.run(story())


def test_a_table_that_is_no_more_is_not_on_offer(tmp_path: Path) -> None:
    """The journal is put back to a time before the table was made."""
    data, copy = tmp_path / "data", tmp_path / "copy"

    async def story() -> None:
        with server_process("--data", str(data)) as first:
            address = first.address
            studio_of(first, "old").say(game_opened={})
            with open_reader(data) as reader:
                reader.backup(copy)
            studio_of(first, "new").say(game_opened={})
            follower = follow(Access(address=address), heartbeat=0.5)
            await until(follower, complete)
            assert len(follower.view("new").offers) == 9
            first.stop()
        for file in data.iterdir():
            file.unlink()
        copy.rename(data / "journal.sqlite3")
        with server_process("--data", str(data), "--listen", address):
            await until(follower, complete)
            assert follower.tables == ["old"]
            view = follower.view("new")
            assert (view.image, view.offers, view.stale) == (None, [], "the server does not tell of it")
            resumed = follower.resume
            assert resumed
            assert [each.table for each in resumed.sequences] == ["old"]
            await follower.aclose()

    asyncio.run(story())


def snapshot(name: str, epoch: str, sequence: int, **what: Any) -> pb.TableImage:
    return pb.TableImage(epoch=epoch, sequence=sequence, table=Table(table=name), **what)


def test_sequences_of_one_epoch_say_nothing_in_another() -> None:
    """The connection breaks between the snapshots of two tables after the epoch has changed."""
    followed = Followed()
    for name in ("a", "b"):
        followed.take(snapshot(name, "before", 7, snapshot_reason=pb.SNAPSHOT_REASON_NEW))
    followed.connect()
    followed.take(snapshot("a", "after", 3, snapshot_reason=pb.SNAPSHOT_REASON_UNKNOWN_EPOCH))
    found = followed.resume()
    assert found == pb.Resume(epoch="after", sequences=[pb.TableSequence(table="a", sequence=3)])
    followed.connect()
    followed.take(snapshot("a", "after", 3, previous_sequence=3))
    followed.complete()
    assert sorted(followed.images) == ["a"]


@pytest.mark.parametrize("state", [pb.FEED_STATE_DELAYED, pb.FEED_STATE_DOWN])
def test_a_feed_that_is_not_up_offers_nothing(server: ServerProcess, state: "pb.FeedState.ValueType") -> None:
    """A server that says so in its heartbeats, as one does whose disk hangs."""
    name = f"state-{state}"
    studio_of(server, name).say(game_opened={})
    with server.channel() as channel:
        now = OddsServiceStub(channel).GetOdds(pb.GetOddsRequest(table=name)).image
    states: asyncio.Queue[pb.FeedState.ValueType]

    class Server(OddsServiceServicer):
        async def GetOdds(self, request: Any, context: Any) -> Any:
            raise NotImplementedError

        async def WatchTables(self, request: Any, context: Any) -> Any:
            yield pb.WatchTablesResponse(image=now)
            yield pb.WatchTablesResponse(snapshot_complete=pb.SnapshotComplete(server_time=now.server_time))
            while True:
                beat = pb.Heartbeat(state=await states.get(), server_time=now.server_time)
                yield pb.WatchTablesResponse(heartbeat=beat)

    async def story() -> None:
        nonlocal states
        states = asyncio.Queue()
        behind = grpc.aio.server()
        add_OddsServiceServicer_to_server(Server(), behind)
        address = f"127.0.0.1:{behind.add_insecure_port('127.0.0.1:0')}"
        await behind.start()
        async with aclosing(follow(Access(address=address), [name], heartbeat=5)) as follower:
            await until(follower, complete)
            reading = asyncio.create_task(until(follower, lambda _update: False))
            for said, offered in ((pb.FEED_STATE_UP, 9), (state, 0), (pb.FEED_STATE_UP, 9)):
                states.put_nowait(said)
                async with asyncio.timeout(5):
                    while len(follower.view(name).offers) != offered:
                        await asyncio.sleep(0.01)
            reading.cancel()
            await asyncio.wait([reading])
        await behind.stop(None)

    asyncio.run(story())


def test_what_trying_again_does_not_help_with_is_raised(server: ServerProcess) -> None:
    async def story() -> None:
        with pytest.raises(CallFailed) as failed:
            await until(follow(Access(address=server.address), ["no-such"]), complete)
        assert failed.value.reason == "UNKNOWN_TABLE"

    asyncio.run(story())


def image(sequence: int, previous: int, must_see: int = 0, epoch: str = "e") -> pb.TableImage:
    return pb.TableImage(
        epoch=epoch, sequence=sequence, previous_sequence=previous, must_see_sequence=must_see, table=Table(table="t")
    )


def followed() -> Followed:
    found = Followed()
    found.take(image(5, 0, 4))
    return found


@pytest.mark.parametrize(
    "next_image",
    [image(7, 6), image(8, 5, 6), image(4, 5), image(6, 5, epoch="other")],
    ids=["lost", "must be seen", "backwards", "other epoch"],
)
def test_what_does_not_follow_on_is_a_gap(next_image: pb.TableImage) -> None:
    with pytest.raises(Gap):
        followed().take(next_image)


@pytest.mark.parametrize("next_image", [image(9, 5, 4), image(9, 5, 9), image(5, 5, 4), image(2, 0, epoch="other")])
def test_what_was_conflated_is_none(next_image: pb.TableImage) -> None:
    found = followed()
    found.take(next_image)
    assert found.images["t"] == next_image
