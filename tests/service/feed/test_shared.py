"""What is made once for all who may be told the same: images in their frames, and the sequences of heartbeats."""

import asyncio
from pathlib import Path

from prometheus_client import CollectorRegistry
from service.floors import Hall, eventually, tell

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.types_pb2 import OFFER_STATE_SUSPENDED
from pricing.domain.cards import CARDS
from pricing.service.feed.feed import Feed
from pricing.service.feed.published import Own
from pricing.service.feed.wish import Wish
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.settings import Settings
from pricing.table import events

ALL = Wish(frozenset(), False, "", {}, 5, 0)
NEXT = Own(previous=3, historical=False, reason=pb.SNAPSHOT_REASON_UNSPECIFIED)


def feed_of(hall: Hall) -> Feed:
    feed = Feed(hall.floor, hall.clock, FeedMetrics(CollectorRegistry()), Settings())
    hall.floor.published = feed.told
    return feed


def test_who_stand_at_the_same_place_share_the_bytes_of_an_image(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        image = feed_of(hall).newest("t")
        now = hall.clock.now()
        first = image.frame(NEXT, now)
        assert image.frame(NEXT, now + 999) is first
        for own, at in ((NEXT._replace(previous=2), now), (NEXT._replace(historical=True), now), (NEXT, now + 1000)):
            other = image.frame(own, at)
            assert other != first
            found = pb.WatchTablesResponse.FromString(other).image
            assert (found.previous_sequence, found.historical) == (own.previous, own.historical)
            assert found.server_time.ToMicroseconds() == at
        assert pb.WatchTablesResponse.FromString(image.frame(NEXT, now - 1)).image.server_time.ToMicroseconds() < now

    tell(story, tmp_path)


def test_the_sequences_of_heartbeats_are_made_once_for_all_who_watch_the_same(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        feed = feed_of(hall)
        asked = 0
        newest_of = feed.newest_of

        def counted(wish: Wish) -> object:
            nonlocal asked
            asked += 1
            return newest_of(wish)

        feed.newest_of = counted  # type: ignore[assignment, method-assign]
        with feed.subscribe(ALL) as one, feed.subscribe(ALL) as two, feed.subscribe(ALL._replace(delay=1)) as late:
            for sequence in (2, 3):
                for subscriber in (one, two):
                    beat = pb.WatchTablesResponse.FromString(subscriber.heartbeat()).heartbeat
                    assert [(each.table, each.sequence) for each in beat.sequences] == [("t", sequence)]
                assert asked == sequence - 1
                assert not pb.WatchTablesResponse.FromString(late.heartbeat()).heartbeat.sequences
                await hall.say(events.CutCardSeen())

    tell(story, tmp_path)


def test_who_waits_for_an_image_too_long_is_told_so(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        feed = feed_of(hall)
        written: list[bytes] = []

        async def write(data: bytes) -> None:
            written.append(data)
            if len(written) > 2:
                await asyncio.Event().wait()

        with feed.subscribe(ALL) as slow:
            running = asyncio.create_task(slow.run(write))
            await eventually(lambda: len(written) == 2)
            await hall.say(events.GameOpened())
            await eventually(lambda: len(written) == 3)
            await hall.say(events.BettingClosed(None))
            for state in (pb.FEED_STATE_UP, pb.FEED_STATE_DELAYED):
                assert pb.WatchTablesResponse.FromString(slow.heartbeat()).heartbeat.state == state
                await asyncio.sleep(1.1)
            assert feed.oldest_pending() > 1
            running.cancel()
            await asyncio.wait([running])

    tell(story, tmp_path)


def test_an_image_that_a_newer_one_waits_behind_is_of_the_past(tmp_path: Path) -> None:
    """An earlier game is made void while a round is open; a caller who reads that late is offered nothing."""

    async def story(hall: Hall) -> None:
        feed = feed_of(hall)
        images: list[pb.TableImage] = []
        taken = asyncio.Event()

        async def write(data: bytes) -> None:
            message = pb.WatchTablesResponse.FromString(data)
            if message.HasField("image"):
                images.append(message.image)
            if len(images) == 2:
                await taken.wait()

        cards = [events.CardDealt(CARDS.index(card), None) for card in ["2D", "6H", "KC", "7S", "TD", "6C"]]
        stop = events.BettingClosed(None)
        first: list[events.Event] = [
            stop,
            cards[0],
            stop,
            cards[1],
            stop,
            *cards[2:],
            events.ResultAnnounced("banker", 2, 9),
        ]
        await hall.say(events.GameOpened(), *first, events.GameOpened())
        over = hall.floor.table("t").past.get("t", 1)
        assert over
        with feed.subscribe(ALL) as slow:
            running = asyncio.create_task(slow.run(write))
            await eventually(lambda: images)
            await hall.say(events.HoldPlaced(events.HoldOwner.STUDIO, "look"))
            await eventually(lambda: len(images) == 2)
            await hall.say(events.HoldLifted(events.HoldOwner.STUDIO, "look"))
            await hall.say(events.GamesVoided((over.reference,), events.VoidReason.MISDEAL), stop, cards[0])
            taken.set()
            await eventually(lambda: images[-1].sequence == hall.floor.table("t").position)
            running.cancel()
            await asyncio.wait([running])
        *_, late, newest = images
        assert (late.historical, newest.historical) == (True, False)
        assert pb.CHANGE_KIND_VOID in late.changes
        assert {bet.state for each in late.table.game.rounds for bet in each.bets} == {OFFER_STATE_SUSPENDED}

    tell(story, tmp_path)
