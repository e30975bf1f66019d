"""Follows tables: images in order, resumed after every fault, and nothing on offer while anything is in doubt."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing
from enum import Enum, unique
from typing import Final, NamedTuple

from google.protobuf.duration_pb2 import Duration

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2 import TableImage
from pricing.client.calls import Access, CallFailed
from pricing.client.listening import messages
from pricing.client.messages import word
from pricing.client.view import Followed, Gap, Pulse, TableView

__all__ = ["Follower", "Moment", "TableImage", "TableView", "Update", "follow"]

_FOR_GOOD: Final = {"INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "UNAUTHENTICATED", "UNIMPLEMENTED"}
"""What trying again does not help with."""
_FIRST_WAIT: Final = 0.1
_LONGEST_WAIT: Final = 5.0


@unique
class Moment(Enum):
    """What an update is about."""

    IMAGE = "image"
    """A table has a new image."""
    COMPLETE = "complete"
    """Every table is known: what they offer counts."""
    LOST = "lost"
    """Nothing counts until the next COMPLETE."""


class Update(NamedTuple):
    """Something new about the tables that are followed."""

    moment: Moment
    image: TableImage | None = None
    why: str = ""


class Follower:
    """Follows tables of one server. Made by ``follow``, and iterated over once."""

    def __init__(self, access: Access, request: pb.WatchTablesRequest, wait: Callable[[int], float]) -> None:
        """Follow nothing before it is iterated over.

        Args:
            access: The server.
            request: What to ask it for.
            wait: Seconds to wait after so many failed tries.
        """
        self._access = access
        self._request = request
        self._wait = wait
        self._heartbeat = _seconds(request.heartbeat_interval)
        self._followed = Followed()
        self._followed.epoch = request.resume.epoch
        self._followed.sequences.update({each.table: each.sequence for each in request.resume.sequences})
        self._pulse = Pulse(self._heartbeat)
        self._doubt = "not connected yet"
        self._state = pb.FEED_STATE_UP
        self._updates = self._follow()

    def __aiter__(self) -> AsyncIterator[Update]:
        """Updates, until the caller stops asking for them."""
        return self._updates

    async def aclose(self) -> None:
        """Stop following."""
        await self._updates.aclose()

    @property
    def tables(self) -> list[str]:
        """Names of the tables that there is an image of."""
        return sorted(self._followed.images)

    @property
    def resume(self) -> pb.Resume | None:
        """Where another follower can go on."""
        return self._followed.resume()

    def view(self, table: str) -> TableView:
        """A table as it is known now. It says itself whether it can be relied on, however long nobody has asked."""
        time = self._pulse.server_time
        delay = _seconds(self._request.publish_delay)
        return TableView(
            self._followed.images.get(table), self._doubt_of(table), None if time is None else time - delay
        )

    def _doubt_of(self, table: str) -> str:
        if self._doubt:
            return self._doubt
        if self._pulse.silent:
            return "nothing was heard for too long"
        if self._state != pb.FEED_STATE_UP:
            return f"the feed is {word(pb.FeedState.Name(self._state))}"
        if table not in self._followed.images:
            return "the server does not tell of it"
        return "a newer image is on its way" if self._followed.behind(table) else ""

    async def _follow(self) -> AsyncGenerator[Update, None]:
        failed = 0
        while True:
            try:
                async with aclosing(self._watch()) as updates:
                    async for update in updates:
                        failed = 0
                        yield update
                why = "the server has ended the stream"
            except Gap as gap:
                why = f"gap: {gap}"
            except TimeoutError:
                why = "nothing was heard for too long"
            except CallFailed as failure:
                if failure.code in _FOR_GOOD:
                    raise
                why = f"{failure.code}: {failure}"
            if not self._doubt or not failed:
                self._doubt = why
                yield Update(Moment.LOST, why=why)
            await asyncio.sleep(self._wait(failed))
            failed += 1

    async def _watch(self) -> AsyncGenerator[Update, None]:
        """The updates of one connection.

        Raises:
            CallFailed, TimeoutError, Gap: What ends it.
        """
        self._pulse = Pulse(self._heartbeat)
        self._followed.connect()
        request = pb.WatchTablesRequest()
        request.CopyFrom(self._request)
        request.resume.CopyFrom(self._followed.resume() or pb.Resume())
        async with aclosing(messages(self._access, request, self._pulse)) as heard:
            async for message in heard:
                if update := self._take(message):
                    yield update

    def _take(self, message: pb.WatchTablesResponse) -> Update | None:
        if message.HasField("image"):
            image = message.image
            self._pulse.heard(image.server_time)
            self._followed.take(image)
            return Update(Moment.IMAGE, image)
        if message.HasField("snapshot_complete"):
            self._pulse.heard(message.snapshot_complete.server_time)
            self._followed.complete()
            self._doubt = ""
            return Update(Moment.COMPLETE)
        self._pulse.heard(message.heartbeat.server_time)
        self._state = message.heartbeat.state
        self._followed.newest.update({each.table: each.sequence for each in message.heartbeat.sequences})
        return None


def follow(  # noqa: PLR0913 - what can be asked for
    access: Access,
    tables: Iterable[str] = (),
    *,
    must_see_only: bool = False,
    heartbeat: float = 1.0,
    delay: float = 0.0,
    resume: pb.Resume | None = None,
    wait: Callable[[int], float] | None = None,
) -> Follower:
    """Follow tables of a server, through its restarts and all faults on the way to it.

    Iterating raises CallFailed only for what trying again does not help with, such as a table that there is not, and
    OSError for a certificate that cannot be read.

    Args:
        access: The server.
        tables: Names of tables; empty for all.
        must_see_only: Only what ends, settles, cancels or voids anything.
        heartbeat: Seconds, 0.5 to 5, between two signs of life; 2.5 of them without one, and nothing is on offer.
        delay: Seconds, 0 to 60, by which everything is held back.
        resume: Where an earlier follower left off.
        wait: Seconds to wait after so many failed tries; by default up to a tenth of a second, and up to twice as
            long each time.
    """
    request = pb.WatchTablesRequest(
        tables=list(tables),
        must_see_only=must_see_only,
        heartbeat_interval=_duration(heartbeat),
        publish_delay=_duration(delay),
        resume=resume,
    )
    return Follower(access, request, wait or _backoff)


def _backoff(failed: int) -> float:
    return random.uniform(0, min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(failed, 10)))


def _duration(seconds: float) -> Duration:
    found = Duration()
    found.FromNanoseconds(round(seconds * 1e9))
    return found


def _seconds(given: Duration) -> float:
    return given.ToNanoseconds() / 1e9
