"""What a durable append costs, beside bare fdatasync on the same disk: ``python tests/bench/bench_journal.py``.

The rounds of all three alternate, so that a disk or a machine that slows down slows all of them; medians count.
"""

import argparse
import os
import statistics
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from pricing.store.rows import NewRow, Row, canonical
from pricing.store.sqlite import SqliteJournal, open_journal

_BODY = canonical({"card": 17, "event_time": 1_700_000_000_000_000, "side": "player", "source_number": 123_456})
_OUTCOME = canonical({"card_state": 41, "game": "bj1-000017", "round": 2, "note": "x" * 150})


def new_row(table: str, position: int) -> NewRow:
    event_id = f"{table}-4fd1-9c56-{position:012d}"
    return NewRow(
        table, position, event_id, "card_dealt", 1_700_000_000_000_000 + position, "studio-1", _BODY, _OUTCOME
    )


class Bench:
    """One journal with 1,000 tables, and a plain file beside it."""

    def __init__(self, folder: Path, tables: int) -> None:
        self.journal: SqliteJournal = open_journal(folder / "data")
        self.tables = [f"table-{number:04d}" for number in range(tables)]
        self.last = dict.fromkeys(self.tables, 0)
        self.bare = os.open(folder / "bare", os.O_CREAT | os.O_WRONLY, 0o600)

    def append(self, table: str) -> Future[tuple[Row, ...]]:
        self.last[table] += 1
        return self.journal.append([new_row(table, self.last[table])])

    def serial(self, times: int) -> list[float]:
        """One writer that waits for each answer."""
        turns = cycle(self.tables)
        return [_timed(lambda: self.append(next(turns)).result()) for _ in range(times)]

    def fdatasync(self, times: int) -> list[float]:
        """The least that any durable append can cost: 600 bytes more in a file, synced."""
        return [_timed(self._sync) for _ in range(times)]

    def grouped(self, rounds: int) -> list[float]:
        """Every table with one event in flight: seconds for one event of each, all answered."""
        return [_timed(self._one_of_each) for _ in range(rounds)]

    def close(self) -> None:
        self.journal.close()
        os.close(self.bare)

    def _sync(self) -> None:
        os.write(self.bare, b"x" * 600)
        os.fdatasync(self.bare)

    def _one_of_each(self) -> None:
        for answer in [self.append(table) for table in self.tables]:
            answer.result()


def _timed(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def _percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1e6


def measure(folder: Path, *, rounds: int, times: int, tables: int) -> Iterator[str]:
    """The figures, a line each."""
    bench = Bench(folder, tables)
    bench.serial(times)  # warms up
    bench.grouped(1)
    bare, serial, grouped = [], [], []
    for _ in range(rounds):
        bare.append(bench.fdatasync(times))
        serial.append(bench.serial(times))
        grouped.append(statistics.median(bench.grouped(3)))
    bench.close()
    for name, series in (("bare fdatasync", bare), ("serial append", serial)):
        p50, p99 = (statistics.median(_percentile(values, part) for values in series) for part in (0.5, 0.99))
        rate = times / statistics.median(map(sum, series))
        yield f"{name:<15} p50 {p50:5.0f} µs   p99 {p99:5.0f} µs   {rate:8,.0f} /s"
    seconds = statistics.median(grouped)
    yield f"grouped append  one event of each of {tables} tables {1000 * seconds:5.1f} ms   {tables / seconds:8,.0f} /s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--times", type=int, default=400)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="on the disk to measure; the temporary folder by default")
    options = parser.parse_args()
    with TemporaryDirectory(dir=options.folder) as folder:
        for line in measure(Path(folder), rounds=options.rounds, times=options.times, tables=options.tables):
            print(line)


if __name__ == "__main__":
    main()
