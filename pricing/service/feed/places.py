"""Where one subscriber stands: what they were sent of each table, and why some begin with a snapshot."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.service.feed.published import Own, Published
from pricing.service.feed.wish import Wish

_MOST_NAMED: Final = 50
"""Tables of which an error says where to go on: headers have no room for more."""


class Places:
    """The newest sequence of each table that one subscriber was sent."""

    def __init__(self, wish: Wish) -> None:
        """Stand where the subscriber says that they do, as far as that can be so."""
        self._wish = wish
        self._sent: dict[str, int] = {}
        self._reasons: dict[str, pb.SnapshotReason.ValueType] = {}

    def begin(self, newest: Published) -> int | None:
        """From which sequence of a table they go on; None when they get a snapshot."""
        name, wish = newest.name, self._wish
        after = wish.sequences.get(name)
        if after is None:
            self._reasons[name] = pb.SNAPSHOT_REASON_NEW
        elif wish.epoch != newest.epoch:
            self._reasons[name] = pb.SNAPSHOT_REASON_UNKNOWN_EPOCH
        elif not 0 < after <= newest.sequence:
            self._reasons[name] = pb.SNAPSHOT_REASON_UNKNOWN_SEQUENCE
        else:
            self._sent[name] = after
            return after
        return None

    def give_up(self, name: str, reason: "pb.SnapshotReason.ValueType") -> None:
        """What they missed of a table cannot be sent, or not all of it: they get a snapshot after all."""
        self._reasons[name] = reason
        del self._sent[name]

    def own(self, name: str, *, historical: bool) -> Own:
        """What is about them alone in the image of a table that they are sent next."""
        reason = self._reasons.get(name, pb.SNAPSHOT_REASON_UNSPECIFIED)
        return Own(self._sent.get(name, 0), historical or self._wish.must_see_only, reason)

    def sent(self, image: Published) -> None:
        """They were sent an image."""
        self._sent[image.name] = image.sequence
        if self._reasons:
            self._reasons.pop(image.name, None)

    def resume(self, epoch: str, first: Iterable[str] = ()) -> dict[str, str]:
        """Where they may go on, as metadata of an error; where there are too many tables, at some of them first."""
        named = islice(dict.fromkeys((*first, *self._sent)), _MOST_NAMED)
        return {"epoch": epoch} | {f"sequence-{name}": str(self._sent.get(name, 0)) for name in named}
