"""Watching tables, for tests: calls, and what comes of them."""

from typing import Any

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.baccarat.v1.odds_service_pb2_grpc import OddsServiceStub


def watch(channel: Any, *tables: str, **what: Any) -> Any:
    return OddsServiceStub(channel).WatchTables(pb.WatchTablesRequest(tables=tables, **what), timeout=30)


def resume(image: pb.TableImage, **changed: Any) -> pb.Resume:
    at = {"epoch": image.epoch, "sequence": image.sequence, **changed}
    return pb.Resume(epoch=at["epoch"], sequences=[pb.TableSequence(table=image.table.table, sequence=at["sequence"])])


def first_images(call: Any) -> list[pb.TableImage]:
    """Those before SnapshotComplete."""
    images: list[pb.TableImage] = []
    for message in call:
        if message.HasField("snapshot_complete"):
            return images
        if message.HasField("image"):
            images.append(message.image)
    raise AssertionError("no SnapshotComplete")


def images_to(call: Any, sequence: int) -> list[pb.TableImage]:
    found = []
    for message in call:
        if message.HasField("image"):
            found.append(message.image)
            if message.image.sequence == sequence:
                break
    return found


def kinds(image: pb.TableImage) -> set[str]:
    return {pb.ChangeKind.Name(change).removeprefix("CHANGE_KIND_") for change in image.changes}


def unsent(image: pb.TableImage) -> pb.TableImage:
    """What is not about the call in which it came."""
    shared = pb.TableImage()
    shared.CopyFrom(image)
    for name in ("previous_sequence", "historical", "snapshot_reason", "server_time"):
        shared.ClearField(name)
    return shared
