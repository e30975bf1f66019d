"""What a follower of tables knows: the newest image of each, whether it can be relied on, and what is offered by it."""

from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.tables_pb2 import ROUND_STATE_OPEN, TABLE_STATE_OPEN, BettingRound
from pricing.baccarat.v1.types_pb2 import OFFER_STATE_ACTIVE, BetPrice, OfferState
from pricing.client.messages import word

_MOST_RESUMED: Final = 20_000
"""Tables that a server takes sequences of; of others there are snapshots."""
SILENCE: Final = 2.5
"""Heartbeat intervals without a word after which nothing is relied on."""


def happened(image: pb.TableImage) -> list[str]:
    """What happened at a table, in words: "bet stop"."""
    if image.snapshot_reason:
        return ["snapshot"]
    return [word(pb.ChangeKind.Name(change)) for change in image.changes]


def state_of(bet: BetPrice) -> str:
    """The state of a bet in one word."""
    return word(OfferState.Name(bet.state))


class Gap(Exception):
    """An image does not follow on from the one before: something was lost on the way."""


class Pulse:
    """Until when what was heard can be relied on, by the server's own times.

    The message that took the least time says how the two clocks are to each other; one that was held up on the way,
    or in a buffer, is as old as it is late.
    """

    def __init__(self, heartbeat: float) -> None:
        """Have heard nothing yet.

        Args:
            heartbeat: Seconds between heartbeats.
        """
        self._silence = SILENCE * heartbeat
        self._ahead: float | None = None
        """Our clock less the server's, at most."""
        self.until = monotonic() + self._silence
        """On the monotonic clock."""

    @property
    def silent(self) -> bool:
        """Whether nothing was heard for too long."""
        return monotonic() > self.until

    @property
    def server_time(self) -> float | None:
        """Seconds since 1970 UTC by the server's clock, as far as is known."""
        return None if self._ahead is None else monotonic() - self._ahead

    def heard(self, time: Timestamp) -> None:
        """A message was sent at this time of the server."""
        sent = time.ToNanoseconds() / 1e9
        ahead = monotonic() - sent
        self._ahead = ahead if self._ahead is None else min(self._ahead, ahead)
        self.until = max(self.until, sent + self._ahead + self._silence)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as it is known at a moment."""

    image: pb.TableImage | None
    """The newest; None before the first."""
    stale: str
    """Why it cannot be relied on; empty when it can."""
    server_time: float | None = None
    """Of the moment, in seconds since 1970 UTC, less the delay that was asked for."""

    @property
    def open_round(self) -> BettingRound | None:
        """The round in which bets are taken; None whenever that is not certain."""
        image = self.image
        if self.stale or image is None or image.historical or image.table.state != TABLE_STATE_OPEN:
            return None
        found = next((each for each in image.table.game.rounds if each.state == ROUND_STATE_OPEN), None)
        if found and found.HasField("close_time") and self.server_time is not None:
            return found if self.server_time < found.close_time.ToNanoseconds() / 1e9 else None
        return found

    @property
    def offers(self) -> list[BetPrice]:
        """The bets that are taken, each with its odds; none whenever that is not certain."""
        found = self.open_round
        return [bet for bet in found.bets if bet.state == OFFER_STATE_ACTIVE] if found else []


class Followed:
    """The newest images of some tables, each checked to follow on from the one before."""

    def __init__(self) -> None:
        """Know of none."""
        self.epoch = ""
        self.sequences: dict[str, int] = {}
        """Of the newest image of each table that was seen."""
        self.images: dict[str, pb.TableImage] = {}
        self.newest: dict[str, int] = {}
        """What the server says is the newest sequence of each table."""
        self._must_see: dict[str, int] = {}
        self._told: set[str] = set()
        """The tables of which this connection has told."""

    def connect(self) -> None:
        """A connection begins, which tells of each table once before it is complete."""
        self._told.clear()

    def complete(self) -> None:
        """Every table was told of: what was not is no more."""
        for name in self.images.keys() - self._told:
            for known in (self.images, self.sequences, self.newest, self._must_see):
                known.pop(name, None)

    def take(self, image: pb.TableImage) -> None:
        """Take an image in.

        Raises:
            Gap: It does not follow on from the one before.
        """
        name = image.table.table
        if image.epoch != self.epoch:  # sequences of one epoch say nothing in another
            self.sequences.clear()
            self.newest.clear()
            self._must_see.clear()
        if image.snapshot_reason == pb.SNAPSHOT_REASON_UNSPECIFIED and image.previous_sequence:
            self._check(name, image)
        self.epoch = image.epoch
        self._told.add(name)
        self.sequences[name] = image.sequence
        self.newest[name] = max(image.sequence, self.newest.get(name, 0) if not image.snapshot_reason else 0)
        self._must_see[name] = image.must_see_sequence
        self.images[name] = image

    def behind(self, name: str) -> bool:
        """Whether the server has a newer image of a table than was seen."""
        return self.newest.get(name, 0) > self.sequences.get(name, 0)

    def resume(self) -> pb.Resume | None:
        """Where to go on."""
        if not self.epoch:
            return None
        known = islice(self.sequences.items(), _MOST_RESUMED)
        found = [pb.TableSequence(table=name, sequence=sequence) for name, sequence in known]
        return pb.Resume(epoch=self.epoch, sequences=found)

    def _check(self, name: str, image: pb.TableImage) -> None:
        last = self.sequences.get(name, 0)
        if image.epoch != self.epoch or image.previous_sequence != last or image.sequence < last:
            raise Gap(f"{name}: image {image.sequence} follows {image.previous_sequence}, not {last}")
        if last < image.must_see_sequence < image.sequence:
            raise Gap(f"{name}: image {image.must_see_sequence} was not seen")
