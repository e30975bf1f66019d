"""Where a subscriber stands: goes on where that can be, and else is told why they begin anew."""

from typing import Any

import pytest

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.games import load_games
from pricing.service.feed.places import Places
from pricing.service.feed.published import Own, Published
from pricing.service.feed.wish import Wish
from pricing.table.state import Table


def image(name: str, sequence: int) -> Published:
    return Published(Table(name, load_games()["bet-on-baccarat"], False, (), position=sequence), "now")


def places(**wish: Any) -> Places:
    return Places(Wish(frozenset(), False, "now", {"t": 7}, 1, 0)._replace(**wish))


@pytest.mark.parametrize(
    ("wish", "newest", "reason"),
    [
        ({}, 6, pb.SNAPSHOT_REASON_UNKNOWN_SEQUENCE),
        ({"sequences": {"t": 0}}, 9, pb.SNAPSHOT_REASON_UNKNOWN_SEQUENCE),
        ({"sequences": {"t": -1}}, 9, pb.SNAPSHOT_REASON_UNKNOWN_SEQUENCE),
        ({"epoch": "before"}, 9, pb.SNAPSHOT_REASON_UNKNOWN_EPOCH),
        ({"sequences": {}}, 9, pb.SNAPSHOT_REASON_NEW),
    ],
)
def test_who_cannot_go_on_is_told_why(wish: dict[str, Any], newest: int, reason: "pb.SnapshotReason.ValueType") -> None:
    found = places(**wish)
    assert found.begin(image("t", newest)) is None
    assert found.own("t", historical=False) == Own(0, False, reason)
    found.sent(image("t", newest))
    assert found.own("t", historical=False) == Own(newest, False, pb.SNAPSHOT_REASON_UNSPECIFIED)


@pytest.mark.parametrize("newest", [7, 8])
def test_who_can_goes_on(newest: int) -> None:
    found = places()
    assert found.begin(image("t", newest)) == 7
    assert found.own("t", historical=True) == Own(7, True, pb.SNAPSHOT_REASON_UNSPECIFIED)
    assert found.resume("now") == {"epoch": "now", "sequence-t": "7"}
    found.give_up("t", pb.SNAPSHOT_REASON_TOO_OLD)
    assert found.own("t", historical=False) == Own(0, False, pb.SNAPSHOT_REASON_TOO_OLD)


def test_an_error_names_no_more_tables_than_headers_have_room_for() -> None:
    found = places()
    for number in range(60):
        found.sent(image(f"t{number}", 1))
    assert len(found.resume("now")) == 51
    assert found.resume("now", ["t59"])["sequence-t59"] == "1"
