"""What a table costs: ``python tests/bench/bench_table.py``.

Some days of play at one table are rebuilt from its journal's entries, as text and as values. Less than 50 times as
fast as real play, at a game each 45 seconds, or more than 20 KB of memory for a table at rest, and the exit code is 1.
"""

import argparse
import gc
import json
import random
import sys
import time
import tracemalloc
from typing import Final

from pricing.domain.coup import Side
from pricing.games import load_games
from pricing.table import events
from pricing.table.apply import apply, create
from pricing.table.codec import body_of, entry_of, outcome_of
from pricing.table.state import Entry, Report, ShoePhase, Table

KIND: Final = load_games()["bet-on-baccarat"]
TYPES: Final = {"text": KIND}
SECONDS_A_GAME: Final = 45
LEAST_SPEED: Final = 50
MOST_KB: Final = 20


def created() -> tuple[Table, Entry]:
    event = events.TableCreated(KIND.name, "text", True, (12_000, 8_000, 8_000))
    entry = Entry(1, 1_767_225_600_000_000, Report("e1", event, "admin"))
    return create("t1", entry, TYPES), entry


def play(games: int, seed: int) -> tuple[Table, list[Entry]]:
    """A table after so many games, and its journal."""
    table, entry = created()
    entries, dice = [entry], random.Random(seed)
    shoe: list[int] = []

    def tell(event: events.Event) -> None:
        nonlocal table
        position = table.position + 1
        report = Report(f"e{position}", event, "studio", True, table.time, position)
        entries.append(Entry(position, table.time + 4_500_000, report))
        table = apply(table, entries[-1], TYPES)

    for _ in range(games):
        if table.shoe is None or table.shoe.phase is not ShoePhase.ACTIVE:
            shoe = dice.sample([card for card in range(52) for _ in range(KIND.decks)], 52 * KIND.decks)
            tell(events.ShoeLoaded("text", KIND.decks))
        tell(events.GameOpened())
        while (game := table.running) and game.coup.next_side:
            if game.open_round:
                tell(events.BettingClosed(None))
            tell(events.CardDealt(shoe.pop(), None))
        player, banker = (table.need_game().coup.total(side) for side in Side)
        winner = "tie" if player == banker else "player" if player > banker else "banker"
        tell(events.ResultAnnounced(winner, player, banker))
    return table, entries


def rebuild(entries: list[Entry]) -> Table:
    table, _ = created()
    for entry in entries[1:]:
        table = apply(table, entry, TYPES)
    return table


def rebuild_from_text(rows: list[tuple[int, int, str, str, str, str]]) -> Table:
    table, _ = created()
    for position, recorded, event_id, actor, body, outcome in rows[1:]:
        entry = entry_of(position, recorded, event_id, actor, json.loads(body), json.loads(outcome))
        table = apply(table, entry, TYPES)
    return table


def as_rows(entries: list[Entry], table: Table) -> list[tuple[int, int, str, str, str, str]]:
    outcome = json.dumps(outcome_of(table, None))
    return [
        (each.position, each.recorded_time, each.report.event_id, each.report.actor, json.dumps(body), outcome)
        for each in entries
        for body in [body_of(each.report)]
    ]


def card_seconds(entries: list[Entry], repeats: int) -> float:
    """CPU of one card event."""
    table, _ = created()
    spent, cards = 0.0, 0
    for entry in entries[1:]:
        if isinstance(entry.event, events.CardDealt):
            began = time.process_time()
            for _ in range(repeats):
                apply(table, entry, TYPES)
            spent, cards = spent + time.process_time() - began, cards + repeats
        table = apply(table, entry, TYPES)
    return spent / cards


def kilobytes(tables: int) -> float:
    """Memory of a table at rest that remembers as many games as a table does."""
    tracemalloc.start()
    play(500, 0)  # fills what is kept once for all tables
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    kept = [play(150, seed)[0] for seed in range(1, tables + 1)]
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / len(kept) / 1024


def main(games: int, rounds: int) -> int:
    table, entries = play(games, 1)
    rows = as_rows(entries, table)
    gc.collect()
    gc.freeze()  # a service streams its rows; here they all lie in memory, where the collector would visit them
    values, texts = [], []
    for _ in range(rounds):
        began = time.process_time()
        assert rebuild(entries) == table
        middle = time.process_time()
        assert rebuild_from_text(rows) == table
        values.append(middle - began)
        texts.append(time.process_time() - middle)
    speed = games * SECONDS_A_GAME / min(texts)
    memory = kilobytes(20)
    print(f"a card event           {min(card_seconds(entries[:5_000], 10) for _ in range(rounds)) * 1e6:9.1f} us")
    print(f"an event, any          {min(values) / len(entries) * 1e6:9.1f} us, {len(entries) / games:.1f} a game")
    print(f"100,000 events         {min(values) / len(entries) * 1e5:9.2f} s")
    print(f"rebuilt from values    {games / min(values):9.0f} games/s")
    print(f"rebuilt from text      {games / min(texts):9.0f} games/s")
    print(f"against real play      {speed:9.0f} x (at least {LEAST_SPEED})")
    print(f"a table at rest        {memory:9.1f} KB (at most {MOST_KB})")
    return int(speed < LEAST_SPEED or memory > MOST_KB)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    sys.exit(main(arguments.games, arguments.rounds))
