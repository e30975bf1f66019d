"""The odds feed as callers get it: in order, without a gap, resumable, and bounded for those who do not read."""

import asyncio
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pytest
from prometheus_client import CollectorRegistry
from service.feed.watching import first_images, images_to, kinds, resume, unsent, watch
from service.floors import eventually, hall
from service.serving import ServerProcess, refused, server_process
from service.studio import Studio, whole_games

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub
from pricing.service.feed.feed import Feed
from pricing.service.feed.wish import Wish
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.settings import Settings
from pricing.store.journal import JournalUnavailable
from pricing.table import events

SMALL = {"grpc.http2.bdp_probe": 0, "grpc.http2.lookahead_bytes": 8192}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


@pytest.fixture
def channel(server: ServerProcess) -> Iterator[Any]:
    with server.channel() as channel:
        yield channel


def play(channel: Any, table: str, first: int, last: int) -> None:
    studio = Studio(channel, table)
    for event in islice(whole_games(table), first, last):
        studio.send(event)


def test_every_event_has_an_image_the_same_for_everybody(channel: Any) -> None:
    studio = Studio(channel, "golden").create(shoe=False)
    one, two = watch(channel, "golden"), watch(channel)
    (first,) = first_images(one)
    assert first.snapshot_reason == pb.SNAPSHOT_REASON_NEW
    assert "golden" in {image.table.table for image in first_images(two)}
    studio.say(shoe_loaded={})
    studio.play_game()
    studio.say(games_voided={"reason": "VOID_REASON_MISDEAL"})
    studio.say(hold_placed={"reason": "look"})
    studio.say(notice={"kind": "NOTICE_KIND_BREAK"})
    last = studio.look().position
    found = images_to(one, last)
    assert [image.sequence for image in found] == list(range(2, last + 1))
    assert [image.previous_sequence for image in found] == list(range(1, last))
    assert [kinds(image) for image in found] == [
        {"SHOE_CHANGE", "CARD"},
        {"GAME_OPENED", "ROUND_OPENED", "ODDS_CHANGE"},
        {"BET_STOP"},
        {"CARD", "ROUND_OPENED", "ODDS_CHANGE"},
        {"BET_STOP"},
        {"CARD", "ROUND_OPENED", "ODDS_CHANGE"},
        {"BET_STOP"},
        {"CARD"},
        {"CARD"},
        {"CARD"},
        {"CARD", "SETTLEMENT"},
        {"CONFIRMATION"},
        {"ROLL_BACK", "VOID"},
        {"HOLD"},
        {"NOTICE"},
    ]
    others = [image for image in images_to(two, last) if image.table.table == "golden"]
    assert [unsent(image) for image in others] == [unsent(image) for image in found]
    assert found[-1].table == studio.look()
    newest = OddsServiceStub(channel).GetOdds(pb.GetOddsRequest(table="golden")).image
    assert unsent(newest) == unsent(found[-1])
    settled = next(image for image in found if "SETTLEMENT" in kinds(image))
    assert settled.must_see_sequence == settled.sequence


def test_a_game_before_the_last_that_is_settled_anew_is_in_the_image(channel: Any) -> None:
    studio = Studio(channel, "older").create()
    games = [studio.play_game() for _ in range(3)]
    call = watch(channel, "older")
    first_images(call)
    studio.say(games_voided={"games": [games[0]], "reason": "VOID_REASON_MISDEAL"})
    (image,) = images_to(call, studio.look().position)
    assert kinds(image) == {"VOID", "ROLL_BACK"}
    assert [game.game for game in image.corrected_games] == games[:1]
    assert image.last_game.game == games[1]
    assert image.must_see_sequence == image.sequence


def test_who_comes_back_gets_what_must_be_seen_and_then_the_newest(channel: Any) -> None:
    Studio(channel, "back").create(shoe=False)
    (first,) = first_images(watch(channel, "back"))
    play(channel, "back", 0, 300)
    missed = first_images(watch(channel, "back", resume=resume(first)))
    assert all(image.historical for image in missed[:-1])
    assert not missed[-1].historical
    assert missed[-1].sequence == 301
    assert [image.previous_sequence for image in missed] == [1, *(image.sequence for image in missed[:-1])]
    assert all(image.must_see_sequence == image.sequence for image in missed[:-1])
    assert all("SETTLEMENT" in kinds(image) for image in missed[:-1])
    assert len(missed) > 20
    assert not any(image.snapshot_reason for image in missed)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"epoch": "other"}, "UNKNOWN_EPOCH"),
        ({"sequence": 99}, "UNKNOWN_SEQUENCE"),
        ({"sequence": 0}, "UNKNOWN_SEQUENCE"),
    ],
)
def test_what_is_unknown_gets_a_snapshot_with_the_reason(channel: Any, changed: dict[str, Any], reason: str) -> None:
    name = f"unknown-{reason.lower().replace('_', '-')}-{len(str(changed))}"
    Studio(channel, name).create()
    (first,) = first_images(watch(channel, name))
    (image,) = first_images(watch(channel, name, resume=resume(first, **changed)))
    assert pb.SnapshotReason.Name(image.snapshot_reason) == f"SNAPSHOT_REASON_{reason}"
    assert (image.previous_sequence, image.historical) == (0, False)


def test_it_goes_on_after_a_restart(tmp_path: Path) -> None:
    with server_process("--data", str(tmp_path)) as server, server.channel() as channel:
        Studio(channel, "t").create(shoe=False)
        (first,) = first_images(watch(channel, "t"))
        play(channel, "t", 0, 60)
        before = first_images(watch(channel, "t", resume=resume(first)))
        assert server.stop() == 0
    with server_process("--data", str(tmp_path)) as server, server.channel() as channel:
        after = first_images(watch(channel, "t", resume=resume(first)))
        assert [unsent(image) for image in after[:-1]] == [unsent(image) for image in before[:-1]]
        assert after[-1].sequence == 62
        (only,) = first_images(watch(channel, "t", resume=resume(before[-1])))
        assert [hold.reason for hold in only.table.holds] == ["RESTART"]
        assert "HOLD" in kinds(only)


def test_the_first_image_after_a_restart_says_what_the_restart_did(tmp_path: Path) -> None:
    """Also of a table that nobody has watched before: a bet stop is told as one."""
    with server_process("--data", str(tmp_path)) as server, server.channel() as channel:
        Studio(channel, "t").create().say(game_opened={})
        (before,) = first_images(watch(channel, "t"))
        server.process.kill()
        server.process.wait()
    with server_process("--data", str(tmp_path)) as server, server.channel() as channel:
        for image in (*first_images(watch(channel, "t", resume=resume(before))), *first_images(watch(channel, "t"))):
            assert image.sequence == before.sequence + 1
            assert kinds(image) == {"BET_STOP", "HOLD"}


def test_heartbeats_say_how_far_each_table_is(channel: Any) -> None:
    studio = Studio(channel, "beats").create()
    call = watch(channel, "beats", heartbeat_interval={"nanos": 500_000_000})
    first_images(call)
    start = time.monotonic()
    beats = [message.heartbeat for message in islice(call, 2)]
    assert 0.7 < time.monotonic() - start < 1.5
    for beat in beats:
        assert beat.state == pb.FEED_STATE_UP
        assert {each.table: each.sequence for each in beat.sequences} == {"beats": studio.look().position}


def sequences(number: int) -> list[pb.TableSequence]:
    return [pb.TableSequence(table=f"t{each}", sequence=1) for each in range(number)]


@pytest.mark.parametrize(
    "what",
    [
        {"heartbeat_interval": {"seconds": 6}},
        {"publish_delay": {"seconds": 61}},
        {"resume": {"epoch": "e", "sequences": sequences(20_001)}},
    ],
)
def test_what_is_asked_is_checked(channel: Any, what: dict[str, Any]) -> None:
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_WATCH"):
        next(watch(channel, **what))


def test_only_so_many_tables_can_be_named(channel: Any) -> None:
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_WATCH"):
        next(watch(channel, *(["t"] * 1_001)))


def test_all_of_thousands_of_tables_can_be_resumed(channel: Any) -> None:
    Studio(channel, "one-of-many").create()
    images = first_images(watch(channel, resume=pb.Resume(epoch="e", sequences=sequences(20_000))))
    assert "one-of-many" in {image.table.table for image in images}


def test_a_table_that_there_is_not(channel: Any) -> None:
    with refused(grpc.StatusCode.NOT_FOUND, "UNKNOWN_TABLE"):
        next(watch(channel, "no-such"))


def test_everything_is_held_back_for_the_delay(channel: Any) -> None:
    studio = Studio(channel, "delayed").create()
    start = time.monotonic()
    call = watch(channel, "delayed", publish_delay={"seconds": 1})
    first_images(call)
    assert 0.9 < time.monotonic() - start < 3
    start = time.monotonic()
    studio.say(game_opened={})
    assert images_to(call, 3)[-1].sequence == 3
    assert 0.9 < time.monotonic() - start < 3


def test_only_what_must_be_seen(channel: Any) -> None:
    Studio(channel, "must").create(shoe=False)
    call = watch(channel, "must", must_see_only=True)
    first_images(call)
    play(channel, "must", 0, 60)
    newest = OddsServiceStub(channel).GetOdds(pb.GetOddsRequest(table="must")).image
    found = images_to(call, newest.must_see_sequence)
    assert all(image.historical and image.must_see_sequence == image.sequence for image in found)
    assert len(found) > 3


def test_who_does_not_read_gets_the_newest_or_is_ended() -> None:
    """Between two images that must be seen others are dropped; when too many wait, the call ends and says where."""
    with server_process("--feed-must-see", "8") as server, server.channel() as channel:
        Studio(channel, "slow").create(shoe=False)
        with server.channel(**SMALL) as other:
            call = watch(other, "slow")
            iterator = iter(call)
            assert next(iterator).HasField("image")
            play(channel, "slow", 0, 60)
            found = server.metrics()
            assert found["baccarat_pricing_feed_conflated_total"] > 0
            assert found["baccarat_pricing_feed_evictions_total"] == 0
            assert found["baccarat_pricing_feed_oldest_pending_seconds"] > 0
            play(channel, "slow", 60, 400)
            assert server.metrics()["baccarat_pricing_feed_evictions_total"] == 1
            last = 0
            with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_CONSUMER") as errors:
                for message in iterator:
                    last = message.image.sequence or last
            metadata = errors[0].info.metadata
            assert 0 < int(metadata["sequence-slow"]) <= last  # what was on its way then may have arrived
        at = pb.Resume(epoch=metadata["epoch"], sequences=[pb.TableSequence(table="slow", sequence=last)])
        missed = first_images(watch(channel, "slow", resume=at))
        assert missed[0].previous_sequence == last
        assert missed[-1].sequence == 401
        assert sum(image.historical for image in missed) > 8


def test_the_end_of_the_server_ends_it(tmp_path: Path) -> None:
    with server_process() as server, server.channel() as channel:
        Studio(channel, "t").create()
        call = watch(channel, "t")
        first_images(call)
        threading.Timer(0.2, server.process.terminate).start()
        with refused(grpc.StatusCode.UNAVAILABLE, "DRAINING"):
            list(call)
        assert server.process.wait(10) == 0


def test_while_nothing_can_be_written_down_every_table_is_told_to_be_held(tmp_path: Path) -> None:
    async def story() -> None:
        async with hall(tmp_path) as found:
            await found.create()
            feed = Feed(found.floor, found.clock, FeedMetrics(CollectorRegistry()), Settings())
            found.floor.published = feed.told
            await found.say(events.ShoeLoaded("", 0), events.GameOpened())
            sent: list[pb.WatchTablesResponse] = []

            async def write(data: bytes) -> None:
                sent.append(pb.WatchTablesResponse.FromString(data))

            with feed.subscribe(Wish(frozenset(), False, "", {}, 0.5, 0)) as subscriber:
                running = asyncio.create_task(subscriber.run(write))
                await eventually(lambda: len(sent) == 2)
                found.journal.fail()
                with pytest.raises(JournalUnavailable):
                    await found.say(events.BettingClosed(None))
                feed.told_of_outage()
                await eventually(lambda: any(each.heartbeat.state == pb.FEED_STATE_DOWN for each in sent))
                found.journal.work()
                await found.recovered()
                feed.told_of_outage()
                await eventually(lambda: len([each for each in sent if each.HasField("image")]) >= 3)
                running.cancel()
                await asyncio.wait([running])
            images = [each.image for each in sent if each.HasField("image")]
            assert [image.sequence for image in images] == [3, 3, 3]
            assert [[hold.reason for hold in image.table.holds] for image in images] == [
                [],
                ["JOURNAL_UNAVAILABLE"],
                [],
            ]
            assert [kinds(image) for image in images[1:]] == [{"HOLD"}, {"HOLD"}]
            assert feed.oldest_pending() == 0

    asyncio.run(story())
