"""The follower: nothing on offer while anything is in doubt, and everything there again afterwards."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from service.serving import ServerProcess, server_process
from service.studio import Studio, whole_games

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.tables_pb2 import Table
from pricing.client.calls import Access, CallFailed
from pricing.client.feed import Follower, Moment, Update, follow
from pricing.client.view import Followed, Gap


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
