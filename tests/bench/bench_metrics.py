"""What metrics cost, with the cap full: `python tests/bench/bench_metrics.py`.

The work that is done for them on an event, against all that the event takes; and how long a scrape holds the event
loop, which meanwhile takes 100 events a second, by the median of the worst delay in each scrape: on a busy machine the
loop is late without any scrape, as the same without one shows. The exit code is 1 if a figure is worse than what is
wanted of it.
"""

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.request import urlopen

sys.path.append(str(Path(__file__).parents[1]))  # for the tests' helpers, when run as a script

from service.studio import BY_EVENT, GAME, whole_games

from pricing.service.floor.maker import NewTable
from pricing.service.messages.table_events import read_report
from pricing.service.metrics.metrics import TableMetrics
from pricing.service.metrics.tally import Tally
from pricing.service.roles import Caller, Role
from pricing.service.server.server import RunningServer, running
from pricing.service.settings import Settings
from pricing.service.telemetry.quoting import QUOTE_SECONDS

MOST_SHARE = 0.03
"""Of an event's time."""
MOST_HELD = 0.015
"""Seconds for which a scrape may hold the loop."""
STUDIO = Caller("studio", Role.STUDIO)


class Stopwatch:
    """Adds up the processor time of some methods, its own included."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def wrap(self, owner: object, name: str) -> None:
        method = getattr(owner, name)

        def timed(*given: object, **named: object) -> object:
            start = time.thread_time()
            try:
                return method(*given, **named)
            finally:
                self.seconds += time.thread_time() - start

        setattr(owner, name, timed)


async def play(server: RunningServer, names: list[str], events: int) -> None:
    """So many events at each table, those of all tables together."""
    scripts = [[read_report(each, STUDIO) for each in islice(whole_games(name), events)] for name in names]
    for reports in zip(*scripts, strict=True):
        taken = [server._floor.submit(name, report) for name, report in zip(names, reports, strict=True)]
        await asyncio.gather(*taken)


async def make(server: RunningServer, tables: int) -> list[str]:
    names = [f"table-{number:04d}" for number in range(tables)]
    for name in names:
        await server._floor.create(NewTable(name, GAME.name, False, BY_EVENT), event_id="made", actor="admin")
    return names


async def share_of_events(settings: Settings, events: int) -> tuple[float, float]:
    """Processor seconds of an event, and of what is done in it for metrics."""
    watch = Stopwatch()
    for owner, name in (
        (Tally, "told"),
        (TableMetrics, "recorded"),
        (TableMetrics, "published"),
        (QUOTE_SECONDS, "observe"),
    ):
        watch.wrap(owner, name)
    async with running(settings) as server:
        (name,) = await make(server, 1)
        await play(server, [name], 50)
        watch.seconds = 0.0
        script = [read_report(each, STUDIO) for each in islice(whole_games(name), 50, 50 + events)]
        start = time.process_time()
        for report in script:
            await server._floor.submit(name, report)
            server._feed.newest(name).data(historical=False)  # as for somebody who watches
        spent = time.process_time() - start
    return spent / events, watch.seconds / events


async def delays(settings: Settings, tables: int, scrapes: int) -> tuple[list[float], list[float]]:
    """By how much the loop was late, at worst, in each scrape, and in as long a time without one."""
    found: tuple[list[float], list[float]] = ([], [])
    async with running(settings) as server:
        names = await make(server, tables)
        await play(server, names, 12)
        scripts = {name: islice(whole_games(name), 12, None) for name in names}
        url = f"http://{server.http_address}/metrics"
        gc.collect()
        gc.freeze()
        for turn in range(2 * scrapes):
            for name in names:  # every table has changed since the last scrape
                await server._floor.submit(name, read_report(next(scripts[name]), STUDIO))
            wait = (lambda: urlopen(url, timeout=30).read()) if turn % 2 else (lambda: time.sleep(0.1))
            scrape = asyncio.create_task(asyncio.to_thread(wait))
            worst = 0.0
            for name in cycle(names):
                if scrape.done():
                    break
                server._floor.submit(name, read_report(next(scripts[name]), STUDIO))
                for _ in range(10):
                    start = time.perf_counter()
                    await asyncio.sleep(0.001)
                    worst = max(worst, time.perf_counter() - start - 0.001)
            await scrape
            found[not turn % 2].append(worst)
    return found


async def figures(options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    with TemporaryDirectory() as folder:
        settings = Settings(
            listen="127.0.0.1:0",
            http="127.0.0.1:0",
            data=Path(folder),
            metrics_tables=options.tables,
            log_level="error",
        )
        scraped, idle = map(median, await delays(settings, options.tables, options.scrapes))
    with TemporaryDirectory() as folder:
        settings = Settings(listen="127.0.0.1:0", http="off", data=Path(folder), log_level="error")
        event, own = await share_of_events(settings, options.events)
    share = own / event
    return iter(
        [
            (f"an event {1e6 * event:.0f} µs, metrics {1e6 * own:.1f} µs: {share:.1%}", share <= MOST_SHARE),
            (f"loop late in a scrape {1e3 * scraped:.1f} ms, without one {1e3 * idle:.1f} ms", scraped < MOST_HELD),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--scrapes", type=int, default=20)
    found = list(asyncio.run(figures(parser.parse_args())))
    for line, fine in found:
        print(line if fine else f"{line}   TOO MUCH")
    sys.exit(0 if all(fine for _, fine in found) else 1)


if __name__ == "__main__":
    main()
