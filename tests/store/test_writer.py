"""The thread that lets calls share a commit."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from pricing.store.journal import JournalUnavailable, PositionTaken
from pricing.store.writer import Writer

Call = Callable[[None], Any]
LONG = 20.0


class Disk:
    """Commits whenever it is told to."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.sizes: list[int] = []
        self.error: BaseException | None = None

    def commit(self, calls: Sequence[Call]) -> list[Any]:
        self.entered.release()
        assert self.go.acquire(timeout=LONG)
        self.sizes.append(len(calls))
        if self.error:
            raise self.error
        return [call(None) for call in calls]


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def writer(disk: Disk) -> Iterator[Writer[None]]:
    writer = Writer[None](disk.commit, linger=LONG)
    yield writer
    disk.go.release(100)
    writer.close()


def test_calls_that_come_during_a_commit_share_the_next(writer: Writer[None], disk: Disk) -> None:
    first = writer.submit(lambda _: 0)
    disk.entered.acquire(timeout=LONG)
    others = [writer.submit(lambda _, number=number: number) for number in range(1, 6)]  # type: ignore[misc]
    disk.go.release(2)
    assert [answer.result(LONG) for answer in (first, *others)] == list(range(6))
    assert disk.sizes == [1, 5]


def test_a_lone_writer_never_waits_for_others(writer: Writer[None], disk: Disk) -> None:
    disk.go.release(50)
    for number in range(50):
        assert writer.submit(lambda _: 0).result(LONG / 2) == 0, number


def test_after_a_shared_commit_the_same_number_of_calls_is_enough(writer: Writer[None], disk: Disk) -> None:
    writer.submit(lambda _: 0)
    disk.entered.acquire(timeout=LONG)
    shared = [writer.submit(lambda _: 0) for _ in range(3)]
    disk.go.release(2)
    for answer in shared:
        answer.result(LONG)
    disk.go.release()
    again = [writer.submit(lambda _: 0) for _ in range(3)]
    for answer in again:
        answer.result(LONG / 2)
    assert disk.sizes == [1, 3, 3]


def test_without_the_others_it_waits_for_a_moment_only() -> None:
    disk = Disk()
    writer = Writer[None](disk.commit, linger=0.05)
    writer.submit(lambda _: 0)
    disk.entered.acquire(timeout=LONG)
    shared = [writer.submit(lambda _: 0) for _ in range(3)]
    disk.go.release(9)
    for answer in shared:
        answer.result(LONG)
    for _ in range(2):
        assert writer.submit(lambda _: 0).result(LONG) == 0
    writer.close()
    assert disk.sizes == [1, 3, 1, 1]


def test_a_failed_commit_fails_every_call_by_an_error_of_its_own(writer: Writer[None], disk: Disk) -> None:
    disk.error = JournalUnavailable("the disk is full")
    first = writer.submit(lambda _: 0)
    disk.entered.acquire(timeout=LONG)
    answers = [writer.submit(lambda _: 0) for _ in range(3)]
    disk.go.release(2)
    errors = [answer.exception(LONG) for answer in (first, *answers)]
    assert {str(error) for error in errors} == {"the disk is full"}
    assert len({id(error) for error in errors}) == 4


def test_a_bug_in_a_commit_reaches_its_callers_and_the_next_call_works(writer: Writer[None], disk: Disk) -> None:
    disk.go.release(2)
    disk.error = RuntimeError("bug")
    with pytest.raises(RuntimeError, match="bug"):
        writer.submit(lambda _: 0).result(LONG)
    disk.error = None
    assert writer.submit(lambda _: 7).result(LONG) == 7


def test_an_answer_can_be_an_error(writer: Writer[None], disk: Disk) -> None:
    disk.go.release()
    with pytest.raises(PositionTaken):
        writer.submit(lambda _: PositionTaken("t", 1, 1)).result(LONG)


def test_a_call_given_up_before_its_turn_is_left_out(writer: Writer[None], disk: Disk) -> None:
    first = writer.submit(lambda _: 0)
    disk.entered.acquire(timeout=LONG)
    assert not first.cancel()
    second, third = writer.submit(lambda _: 2), writer.submit(lambda _: 3)
    assert second.cancel()
    disk.go.release(2)
    assert third.result(LONG) == 3
    assert disk.sizes == [1, 1]


def test_closing_carries_out_what_waits(disk: Disk) -> None:
    writer = Writer[None](disk.commit, linger=LONG)
    answers = [writer.submit(lambda _: 0) for _ in range(5)]
    disk.go.release(5)
    writer.close()
    assert all(answer.done() for answer in answers)
    with pytest.raises(JournalUnavailable):
        writer.submit(lambda _: 0).result(0)
