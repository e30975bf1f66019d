"""Who prices the parts of a replay: this process, others on this machine, or Dask's on any."""

import importlib
import io
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pricing.domain.game import GameType
from pricing.domain.policy import Policy
from pricing.games.reader import read_game_type
from pricing.replay.errors import InvalidRun
from pricing.replay.pricing import price_shoes
from pricing.replay.tally import Tallies, tally

DASK: Final = "dask://"
_LOOKS: Final = 0.5
"""Seconds between two looks of a worker whether the process that started it is still there."""


class WorkerLost(OSError):
    """A worker has died, by itself or by somebody's hand."""


class Task(NamedTuple):
    """A part of a replay, in a form that goes to any process."""

    game: str
    """The text of the game type."""
    policy: Policy
    shoes: bytes
    """A batch of shoes in Arrow's stream format."""


class Part(NamedTuple):
    """A priced part."""

    rows: bytes
    """A Parquet file of one row group."""
    tallies: Tallies


class Workers(NamedTuple):
    """Who prices."""

    executor: Executor
    number: int


def task_of(game: GameType, policy: Policy, shoes: pa.RecordBatch) -> Task:
    """The task of pricing these shoes."""
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, shoes.schema) as writer:
        writer.write_batch(shoes)
    return Task(game.text, policy, stream.getvalue())


def price_part(task: Task) -> Part:
    """Price a part: the same bytes in whatever process."""
    with pa.ipc.open_stream(task.shoes) as stream:
        (batch,) = stream
    rows = pa.Table.from_batches([price_shoes(batch, game_of(task.game), task.policy)])
    file = io.BytesIO()
    pq.write_table(rows, file, row_group_size=max(1, len(rows)), compression="zstd")
    return Part(file.getvalue(), tally(rows))


@lru_cache(maxsize=16)
def game_of(text: str) -> GameType:
    """The game type of a text, read once in each process."""
    return read_game_type(text, "the game type of a replay")


@contextmanager
def start_workers(engine: str | None, number: int) -> Iterator[Workers]:
    """Start or reach those who price, and let them go at the end.

    Args:
        engine: None for this machine, or ``dask://HOST:PORT`` for the workers of a Dask scheduler.
        number: How many processes of this machine; one is this process itself.

    Raises:
        InvalidRun: An engine that is none, or that does not answer.
    """
    if engine is not None:
        with _dask(engine) as workers:
            yield workers
        return
    spawn = multiprocessing.get_context("spawn")
    executor = (
        ThreadPoolExecutor(1) if number == 1 else ProcessPoolExecutor(number, spawn, _begin_worker, (os.getpid(),))
    )
    try:
        yield Workers(executor, number)
    except BrokenProcessPool:
        raise WorkerLost("a process that priced has died; the same command goes on from what is done") from None
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _dask(engine: str) -> Iterator[Workers]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InvalidRun("engine", engine, "what is installed; Dask comes with baccarat-pricing[dask]") from None
    if not re.fullmatch(r"dask://[^/:\s]+:[0-9]{1,5}", engine):
        raise InvalidRun("engine", engine, f"{DASK}HOST:PORT")
    try:
        client = distributed.Client(f"tcp://{engine.removeprefix(DASK)}", set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidRun("engine", f"{engine}: {error}", "a Dask scheduler that can be reached") from None
    with client:
        yield Workers(client.get_executor(pure=False), max(1, sum(client.nthreads().values())))


def _begin_worker(parent: int) -> None:
    """Ctrl-C reaches every process of a terminal: the one that started the others ends them, or they end after it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: int) -> None:
    while os.getppid() == parent:
        threading.Event().wait(_LOOKS)
    os._exit(1)
