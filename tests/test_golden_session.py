"""A session at a table, events in and images out, kept under golden/ to be read and to notice every change.

Each line of session-events.jsonl is an event in protobuf's JSON, by the side that tells it, or a policy, `after`
so many seconds (else 1); a line without either lets the clock act. Each line makes one image. When they are to change,
`python tests/test_golden_session.py` writes session-images.jsonl anew.
"""

import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from google.protobuf.json_format import MessageToDict, ParseDict
from prometheus_client import CollectorRegistry
from service.floors import SECOND, Hall, HandClock, Unreliable, eventually

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.table_service_pb2 import TableEvent
from pricing.baccarat.v1.trading_service_pb2 import Policy
from pricing.games import load_games
from pricing.service.feed.feed import Feed
from pricing.service.feed.wish import Wish
from pricing.service.floor.policies import Policies, PolicyUpdate
from pricing.service.messages.policy_messages import read_policy
from pricing.service.messages.table_events import read_report
from pricing.service.metrics.feed_metrics import FeedMetrics
from pricing.service.roles import Caller, Role
from pricing.service.settings import Settings

GOLDEN: Final = Path(__file__).parent / "golden"
EVENTS: Final = GOLDEN / "session-events.jsonl"
IMAGES: Final = GOLDEN / "session-images.jsonl"
TABLE: Final = "golden"
WINDOWS_MS: Final = (15_000, 15_000, 15_000)


class Journal(Unreliable):
    """One that has the same epoch every time."""

    @property
    def epoch(self) -> str:
        return "the-epoch"


async def tell(hall: Hall, event_id: str, line: dict[str, Any]) -> None:
    """Let happen what a line says."""
    hall.clock.wait(round(line.get("after", 1) * SECOND))
    if "policy" in line:
        policy = read_policy(ParseDict(line["policy"], Policy()))
        update = PolicyUpdate(policy, "", {TABLE: None}, event_id, "a-trader", dry=False)
        await Policies(hall.floor.joint, load_games()).update(update)
    for role in (Role.STUDIO, Role.TRADER):
        if role in line:
            event = ParseDict(line[role], TableEvent(table=TABLE, event_id=event_id))
            await hall.floor.submit(TABLE, read_report(event, Caller(f"a-{role}", role)))


async def images_of(lines: list[dict[str, Any]], folder: Path) -> list[pb.TableImage]:
    """What a caller is sent who watches the table from its first event."""
    hall, images = Hall(Journal(folder), HandClock()), list[pb.TableImage]()
    feed = Feed(hall.floor, hall.clock, FeedMetrics(CollectorRegistry()), Settings())
    hall.floor.published = feed.told

    async def write(data: bytes) -> None:
        message = pb.WatchTablesResponse.FromString(data)
        if message.HasField("image"):
            images.append(message.image)

    await hall.floor.open()
    await hall.create(TABLE, WINDOWS_MS)
    with feed.subscribe(Wish(frozenset({TABLE}), False, "", {}, 5, 0)) as subscriber:
        running = asyncio.create_task(subscriber.run(write))
        await eventually(lambda: images)
        for line in lines:
            before = len(images)
            await tell(hall, f"line-{before}", line)
            async with asyncio.timeout(10):
                while len(images) == before:
                    await asyncio.sleep(0.001)
        running.cancel()
        await asyncio.wait([running])
    await hall.floor.close()
    return images


def session() -> str:
    """The images, one a line."""
    lines = [json.loads(line) for line in EVENTS.read_text("utf-8").splitlines()]
    with TemporaryDirectory() as folder:
        images = asyncio.run(images_of(lines, Path(folder)))
    return "".join(f"{json.dumps(MessageToDict(image))}\n" for image in images)


def test_golden_session() -> None:
    found, kept = session().splitlines(), IMAGES.read_text("utf-8").splitlines()
    for number, (image, expected) in enumerate(zip(found, kept, strict=True)):
        assert json.loads(image) == json.loads(expected), f"after line {number} of {EVENTS.name}"
    assert found == kept


def test_golden_session_has_everything_that_can_happen() -> None:
    images = [json.loads(line) for line in IMAGES.read_text("utf-8").splitlines()]
    seen = {change for image in images for change in image.get("changes", ())}
    unseen = {"CHANGE_KIND_UNSPECIFIED", "CHANGE_KIND_TABLE_CLOSED"}
    assert seen == {*pb.ChangeKind.keys()} - unseen
    assert [image["sequence"] for image in images] == [str(number + 1) for number in range(len(images))]


if __name__ == "__main__":
    IMAGES.write_text(session(), "utf-8")
