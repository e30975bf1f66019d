"""An image of a table on its way to everybody: made once, sent to each with what is about them alone."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.images.changes import changes, games_named
from pricing.service.images.image import game_message, table_message
from pricing.service.messages.times import time_message
from pricing.table.state import Entry, Table

IMAGE, HEARTBEAT = b"\x0a", b"\x1a"
"""What stands before each in a WatchTablesResponse."""

_A_MOMENT: Final = 1_000
"""Microseconds within which two subscribers are told the same time of the server."""


class Own(NamedTuple):
    """What is about one caller alone in an image."""

    previous: int
    """Sequence of the image of the table that they were sent before; 0 if none."""
    historical: bool
    reason: "pb.SnapshotReason.ValueType"

    def message(self, now: int) -> pb.TableImage:
        """As a message, which goes together with the image itself."""
        return pb.TableImage(
            previous_sequence=self.previous,
            historical=self.historical,
            snapshot_reason=self.reason,
            server_time=time_message(now),
        )


class Published:
    """A table after an event. Its bytes are made when they are first sent, and kept."""

    __slots__ = (
        "_framed",
        "_frames",
        "_live",
        "_past",
        "before",
        "entry",
        "epoch",
        "must_see",
        "must_see_sequence",
        "outage",
        "stops",
        "table",
    )

    def __init__(  # noqa: PLR0913 - all there is to say
        self,
        table: Table,
        epoch: str,
        *,
        before: Table | None = None,
        entry: Entry | None = None,
        must_see: bool = False,
        must_see_sequence: int = 0,
        outage: int | None = None,
        stops: bool = False,
    ) -> None:
        """Keep the states.

        Args:
            table: After the event.
            epoch: Of the journal.
            before: The table before it.
            entry: The event; None where only an outage has begun or ended.
            must_see: Whether everybody must see it.
            must_see_sequence: Of the newest such image up to this one.
            outage: Since when nothing can be written down, if so.
            stops: Whether it ends offers.
        """
        self.table = table
        self.epoch = epoch
        self.before = before
        self.entry = entry
        self.must_see = must_see
        self.must_see_sequence = must_see_sequence
        self.outage = outage
        self.stops = stops
        self._live: bytes | None = None
        self._past: bytes | None = None
        self._frames: dict[Own, bytes] = {}
        self._framed = 0
        """When the frames were made."""

    @property
    def name(self) -> str:
        """Of the table."""
        return self.table.name

    @property
    def sequence(self) -> int:
        """The position of its event: each event has one image, so both count without a gap, also after a restart."""
        return self.table.position

    def data(self, *, historical: bool) -> bytes:
        """The part of the image that is the same for everybody, of what is or of what was."""
        if historical:
            if self._past is None:
                self._past = self._message(offers=False).SerializeToString()
            return self._past
        if self._live is None:
            self._live = self._message(offers=True).SerializeToString()
        return self._live

    def image(self, own: Own, now: int) -> pb.TableImage:
        """The image as a message, with what is about one caller."""
        return pb.TableImage.FromString(self.data(historical=own.historical) + own.message(now).SerializeToString())

    def frame(self, own: Own, now: int) -> bytes:
        """A WatchTablesResponse with the image and what is about one caller: fields of a message may stand apart.

        Most callers stand at the same place: those who are sent it at the same moment share its bytes.
        """
        if not 0 <= now - self._framed < _A_MOMENT:
            self._frames.clear()
            self._framed = now
        found = self._frames.get(own)
        if found is None:
            found = framed(IMAGE, self.data(historical=own.historical), own.message(now).SerializeToString())
            self._frames[own] = found
        return found

    def under(self, outage: int | None) -> "Published":
        """The same image while nothing can be written down, or when it can again."""
        return Published(
            self.table,
            self.epoch,
            before=self.before,
            entry=self.entry,
            must_see=self.must_see,
            must_see_sequence=self.must_see_sequence,
            outage=outage,
            stops=outage is not None,
        )

    def again(self) -> "Published":
        """The same for those who know what happened: only whether anything can be written down is new."""
        return Published(
            self.table,
            self.epoch,
            must_see_sequence=self.must_see_sequence,
            outage=self.outage,
            stops=self.stops,
        )

    def _message(self, *, offers: bool) -> pb.TableImage:
        table, entry = self.table, self.entry
        last = table.past.get(table.name, 1)
        corrected = games_named(entry, table) if entry else iter(())
        return pb.TableImage(
            epoch=self.epoch,
            sequence=self.sequence,
            must_see_sequence=self.must_see_sequence,
            event_time=time_message(entry.time if entry else table.time),
            publish_time=time_message(self.outage or table.time),
            changes=sorted({*self._changes()}),
            table=table_message(table, self.epoch, self.outage, offers=offers),
            last_game=game_message(table, last) if last else None,
            corrected_games=[game_message(table, game) for game in corrected if game is not table.game],
        )

    def _changes(self) -> "Iterator[pb.ChangeKind.ValueType]":
        if self.entry:
            yield from changes(self.before, self.entry, self.table)
        if self.outage is not None or self.entry is None:
            yield pb.CHANGE_KIND_HOLD


def framed(field: bytes, *parts: bytes) -> bytes:
    """A WatchTablesResponse with a message that is in parts."""
    return b"".join((field, varint(sum(map(len, parts))), *parts))


def varint(number: int) -> bytes:
    r"""A length as protobuf writes it.

    >>> varint(300)
    b'\xac\x02'
    """
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)
