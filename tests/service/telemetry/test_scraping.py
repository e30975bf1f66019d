"""Whoever writes samples out lets other threads go on in between."""

import sys
import time
from collections.abc import Iterator
from threading import Event, Thread

import pytest
from prometheus_client.samples import Sample

from pricing.service.telemetry.scraping import Samples

SAMPLES = [Sample("n", {"table": str(number)}, number) for number in range(1000)]


@pytest.fixture
def turns() -> Iterator[list[float]]:
    """Grows whenever another thread gets the interpreter, which none takes from the one that has it."""
    found: list[float] = []
    ends = Event()

    def work() -> None:
        while not ends.is_set():
            found.append(time.perf_counter())
            time.sleep(1e-5)

    before = sys.getswitchinterval()
    sys.setswitchinterval(10)
    thread = Thread(target=work)
    thread.start()
    yield found
    ends.set()
    thread.join()
    sys.setswitchinterval(before)


def test_samples_are_all_there_and_others_go_on(turns: list[float]) -> None:
    before = len(turns)
    assert [sample.value for sample in Samples(SAMPLES)] == list(range(1000))
    assert len(turns) - before > 10


def test_a_list_lets_nobody_go_on(turns: list[float]) -> None:
    before = len(turns)
    assert [sample.value for sample in SAMPLES] == list(range(1000))
    assert len(turns) == before
