"""1,000 live tables with an event each a second, over one stream: `python tests/bench/bench_tables.py`.

The server is a process of its own; this one keeps the pace. Latency is counted from the moment an event was due, so
that a backlog shows. Then a server starts whose journal has 10,000 games. The exit code is 1 if a figure is worse than
what is wanted of it.
"""

import argparse
import asyncio
import gc
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import grpc

sys.path.append(str(Path(__file__).parents[1]))  # for the tests' helpers, when run as a script

from service.serving import ServerProcess, server_process
from service.studio import BY_EVENT, GAME, whole_games

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceStub
from pricing.service.floor.records import row_of
from pricing.service.messages.table_events import read_report
from pricing.service.roles import Caller, Role
from pricing.store.rows import NewRow, digest
from pricing.store.sqlite import open_journal
from pricing.table.apply import apply, create
from pricing.table.codec import outcome_of
from pricing.table.decide import decide
from pricing.table.events import ResultAnnounced, ShoeLoaded, TableCreated
from pricing.table.state import Entry, Report, Table

MOST_CPU: Final = 0.70
"""Of one core."""
MOST_MEMORY: Final = 20_000
"""Bytes of an idle table."""
MOST_LATER: Final = 0.05
"""Seconds by which the last third of the events may be slower in the median than the first; a backlog would be more."""
GAME_SECONDS: Final = 45
"""A real game takes about so long."""
LEAST_SPEED: Final = 50
"""How much faster than it was played a journal is to be rebuilt."""


class Load(NamedTuple):
    """What a while under load came to."""

    seconds: float
    cpu_seconds: float
    latencies: list[float]
    """Of each event, in the order in which they were due."""
    wrong: int
    """Answers that are no receipt, or that of a refused event."""


def cpu_seconds(process: int) -> float:
    """What a process has used of the processors so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def make_tables(channel: Any, names: Sequence[str]) -> None:
    """Make the tables, and load a shoe at each."""
    stub: Any = TableServiceStub(channel)
    for start in range(0, len(names), 50):
        some = names[start : start + 50]
        requests = [pb.CreateTableRequest(table=name, game_type=GAME.name, event_id="made") for name in some]
        await asyncio.gather(*(stub.CreateTable(request) for request in requests))
        first = [pb.RecordEventRequest(event=next(whole_games(name))) for name in some]
        await asyncio.gather(*(stub.RecordEvent(request) for request in first))


def scripts(names: Sequence[str], seconds: int) -> list[list[pb.StreamEventsRequest]]:
    """For each table its events after the first."""
    return [
        [pb.StreamEventsRequest(event=event) for event in islice(whole_games(name), 1, seconds + 1)] for name in names
    ]


async def load(channel: Any, server: ServerProcess, names: Sequence[str], seconds: int) -> Load:
    """An event of each table each second, evenly spread."""
    events = scripts(names, seconds)
    due: dict[tuple[str, str], float] = {}
    latencies: dict[tuple[str, str], float] = {}
    wrong = 0
    call: Any = TableServiceStub(channel).StreamEvents()

    async def read() -> None:
        nonlocal wrong
        while isinstance(answer := await call.read(), pb.StreamEventsResponse):
            key = answer.table, answer.event_id
            latencies[key] = time.perf_counter() - due[key]
            wrong += not answer.HasField("receipt") or answer.receipt.HasField("refusal")

    gc.collect()
    gc.freeze()
    reading = asyncio.create_task(read())
    before, start = cpu_seconds(server.process.pid), time.perf_counter()
    for second in range(seconds):
        for place, script in enumerate(events):
            moment = start + second + place / len(names)
            request = script[second]
            due[request.event.table, request.event.event_id] = moment
            if (wait := moment - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            await call.write(request)
    await call.done_writing()
    await reading
    took = time.perf_counter() - start
    return Load(took, cpu_seconds(server.process.pid) - before, [latencies[key] for key in due], wrong)


def percentile(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def figures_of_load(found: Load, tables: int) -> Iterator[tuple[str, bool]]:
    """Each figure as a line, and whether it is as wanted."""
    third = len(found.latencies) // 3
    first, last = found.latencies[:third], found.latencies[-third:]
    yield f"{len(found.latencies):,} events in {found.seconds:.1f} s, {found.wrong} wrong answers", not found.wrong
    for name, part in (("first third", first), ("last third", last)):
        p50, p99 = (1000 * percentile(part, share) for share in (0.5, 0.99))
        yield f"latency, {name:<12} p50 {p50:6.1f} ms   p99 {p99:6.1f} ms", True
    later = percentile(last, 0.5) - percentile(first, 0.5)
    yield f"growth of the median    {1000 * later:6.1f} ms   (at most {1000 * MOST_LATER:.0f})", later <= MOST_LATER
    share = found.cpu_seconds / found.seconds
    each = 1e6 * found.cpu_seconds / len(found.latencies)
    yield f"server, of one core     {share:6.1%}   {each:.0f} µs an event   (at most {MOST_CPU:.0%})", share <= MOST_CPU


async def measure_load(tables: int, seconds: int) -> list[tuple[str, bool]]:
    names = [f"table-{number:04d}" for number in range(tables)]
    with server_process() as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            await make_tables(channel, [f"warm-{number}" for number in range(20)])
            before = server.resident()
            await make_tables(channel, names)
            idle = (server.resident() - before) / tables
            found = await load(channel, server, names, seconds)
            played = (server.resident() - before) / tables
    return [
        (f"memory of an idle table {idle / 1000:6.1f} kB   (at most {MOST_MEMORY / 1000:.0f})", idle <= MOST_MEMORY),
        (f"the same after the load {played / 1000:6.1f} kB", True),
        *figures_of_load(found, tables),
    ]


def write_games(folder: Path, games: int, tables: int) -> int:
    """A journal of so many games; how many rows it has."""
    rows = 0
    with open_journal(folder) as journal:
        journal.put_text(GAME.text)
        for number in range(tables):
            written = list(rows_of_games(f"table-{number:04d}", number, games // tables))
            for start in range(0, len(written), 1000):
                journal.append(written[start : start + 1000]).result()
            rows += len(written)
    return rows


def rows_of_games(name: str, seed: int, games: int) -> Iterator[NewRow]:
    """The rows of a table at which so many games are played."""
    game_hash = digest(GAME.text)
    types, studio = {game_hash: GAME}, Caller("studio", Role.STUDIO)
    made = TableCreated(GAME.name, game_hash, False, BY_EVENT)
    entry = Entry(1, 1_700_000_000_000_000, Report("made", made, "admin"))
    table: Table = create(name, entry, types)
    yield row_of(name, entry, outcome_of(table, None))
    for message in whole_games(name, seed):
        report = read_report(message, studio)
        if isinstance(report.event, ShoeLoaded):
            report = replace(report, event=ShoeLoaded(game_hash, GAME.decks))
        entry = Entry(table.position + 1, table.time + 4_000_000, report, decide(table, report))
        table = apply(table, entry, types)
        yield row_of(name, entry, outcome_of(table, entry.refusal))
        games -= isinstance(report.event, ResultAnnounced)
        if not games:
            return


def measure_rebuild(games: int, tables: int) -> list[tuple[str, bool]]:
    with TemporaryDirectory() as folder:
        data = Path(folder, "data")
        rows = write_games(data, games, tables)
        empty, _ = seconds_to_start()
        took, cpu = seconds_to_start("--data", str(data))
    rebuilding = took - empty
    speed = games * GAME_SECONDS / tables / rebuilding
    return [
        (f"start with {games:,} games   {took:6.1f} s, of which {cpu:.1f} s of processor; {empty:.1f} s without", True),
        (f"rebuilt {rows:,} events  {rebuilding:6.1f} s   {1e6 * rebuilding / rows:.0f} µs each", True),
        (
            f"against their real play {speed:6,.0f} × as fast, {tables} tables at once   (at least {LEAST_SPEED})",
            speed >= LEAST_SPEED,
        ),
    ]


def seconds_to_start(*arguments: str) -> tuple[float, float]:
    """From a server's start to its serving: seconds, and seconds of processor."""
    start = time.perf_counter()
    with server_process(*arguments) as server:
        return time.perf_counter() - start, cpu_seconds(server.process.pid)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--games", type=int, default=10_000)
    options = parser.parse_args()
    figures = asyncio.run(measure_load(options.tables, options.seconds)) if options.seconds else []
    if options.games:
        figures += measure_rebuild(options.games, 10)
    for line, _ in figures:
        print(line)
    sys.exit(0 if all(fine for _, fine in figures) else 1)


if __name__ == "__main__":
    main()
