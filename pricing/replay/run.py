"""A replay: shoes in, a folder of Parquet files out, part by part, so that what is cut off goes on where it was."""

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.domain.policy_text import to_text
from pricing.replay.arrow import batch_of
from pricing.replay.columns import SCHEMA
from pricing.replay.errors import InvalidRun
from pricing.replay.shoes import ShoeRecord
from pricing.replay.tally import Tallies, merge, tally
from pricing.replay.workers import Part, Workers, price_part, task_of

MANIFEST: Final = "_replay.json"
"""What a folder is the output of. Readers of Parquet leave out names that start so, or with a dot."""


_HALF: Final = re.compile(r"\..*\.half")


class Plan(NamedTuple):
    """What is to be done, other than by whom."""

    game: GameType
    out: Path
    source: Mapping[str, Any]
    """What tells the shoes from any others, as JSON; a run only goes on from one of the same."""
    shoes_per_part: int = 64
    policy: Policy = STANDING


def replay(plan: Plan, shoes: Iterable[ShoeRecord], workers: Workers, done: Callable[[int], None]) -> Tallies:
    """Price and settle all shoes into ``part-*.parquet`` in the folder, each file whole or not there.

    Parts that are there from a run that was cut off are kept. Memory does not grow with the number of shoes.

    Args:
        plan: What is to be done.
        shoes: The shoes, the same in every run.
        workers: Who prices.
        done: Told the number of shoes of each part that is finished.

    Returns:
        The sums over all rows.

    Raises:
        InvalidRun: The folder holds something else.
    """
    _claim(plan)
    tallies: Tallies = {}
    for number, part in _parts(plan, shoes, workers):
        tallies = merge(tallies, part)
        done(number)
    return tallies


class _Started(NamedTuple):
    """A part that is being priced, or is there already."""

    shoes: int
    file: Path
    priced: Future[Part] | None


def _parts(plan: Plan, shoes: Iterable[ShoeRecord], workers: Workers) -> Iterator[tuple[int, Tallies]]:
    """The number of shoes and the sums of each part, in order; two for each worker are under way."""
    started: deque[_Started] = deque()
    for number, chunk in enumerate(_chunks(shoes, plan.shoes_per_part)):
        file = plan.out / f"part-{number:06}.parquet"
        priced = (
            None
            if file.exists()
            else workers.executor.submit(price_part, task_of(plan.game, plan.policy, batch_of(chunk)))
        )
        started.append(_Started(len(chunk), file, priced))
        if len(started) > 2 * workers.number:
            yield _finish(started.popleft())
    while started:
        yield _finish(started.popleft())


def _finish(part: _Started) -> tuple[int, Tallies]:
    if part.priced is None:
        try:
            return part.shoes, tally(pq.read_table(part.file, schema=SCHEMA))
        except pa.ArrowInvalid:
            allowed = "parts as they were written: remove it, and it is made anew"
            raise InvalidRun("out", f"{part.file}, which is damaged", allowed) from None
    rows, tallies = part.priced.result()
    write_whole(part.file, rows)
    return part.shoes, tallies


def _chunks(shoes: Iterable[ShoeRecord], size: int) -> Iterator[list[ShoeRecord]]:
    """Shoes in lists of that size; one list, empty, if there are no shoes."""
    rest = iter(shoes)
    chunk = list(islice(rest, size))
    yield chunk
    while chunk := list(islice(rest, size)):
        yield chunk


def _claim(plan: Plan) -> None:
    """Say what the folder is for, or check that it is for the same."""
    columns = {field.name: str(field.type) for field in SCHEMA}
    mine = {
        "game": plan.game.text,
        "policy": to_text(plan.policy),
        "source": plan.source,
        "shoes_per_part": plan.shoes_per_part,
        "columns": columns,
    }
    manifest = plan.out / MANIFEST
    plan.out.mkdir(parents=True, exist_ok=True)
    others = [file for file in plan.out.iterdir() if not _HALF.fullmatch(file.name)]  # of a run that was cut off
    if not manifest.exists() and others:
        raise InvalidRun("out", f"{plan.out}, which holds other files", "a new or empty folder, or one to go on with")
    if manifest.exists() and _read(manifest) != mine:
        raise InvalidRun("out", f"{plan.out}, the output of another run", "a new or empty folder, or one to go on with")
    write_whole(manifest, json.dumps(mine, indent=2).encode())


def write_whole(file: Path, content: bytes) -> None:
    """Write a file such that it is there whole or not at all."""
    half = file.with_name(f".{file.name}.{os.getpid()}.half")
    try:
        with half.open("wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        half.replace(file)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


def _read(manifest: Path) -> Any:
    try:
        return json.loads(manifest.read_text("utf-8"))
    except ValueError:
        return None
