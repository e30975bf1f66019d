"""Times the pricing stage of a replay against `pricing.price`: python tests/bench/bench_replay.py [--shoes N].

Both price the same betting states on one core, in turn, so that a busy machine slows both; the whole run, with files
and sums, is timed beside them with one process and with two. Exit status 1 if the stage is not 5 times as fast as
`price`, or two processes not 1.6 times as fast as one.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

import dealing  # noqa: E402 - found by the line above

from pricing import price  # noqa: E402
from pricing.domain.cards import CARDS  # noqa: E402
from pricing.games import load_games  # noqa: E402
from pricing.replay.arrow import batch_of  # noqa: E402
from pricing.replay.pricing import price_shoes  # noqa: E402
from pricing.replay.run import Plan, replay  # noqa: E402
from pricing.replay.shoes import ShoeRecord  # noqa: E402
from pricing.replay.workers import start_workers  # noqa: E402

GAME = load_games()["bet-on-baccarat"]


def one_by_one(shoe: ShoeRecord) -> int:
    """Price the states of a shoe by `price`; how many there are."""
    states = 0
    for coup in shoe.coups:
        for each in GAME.rounds:
            gone = [*shoe.cards[: coup.places[each.cards]]]
            dealt = shoe.dealt(coup)[: each.cards]
            for card in dealt:
                gone.remove(card)
            price(GAME, dealt=[CARDS[card] for card in dealt], removed=[CARDS[card] for card in gone])
            states += 1
    return states


def whole_run(shoes: list[ShoeRecord], workers: int) -> float:
    """Seconds of a second replay: the start of the processes is no part of it."""
    with tempfile.TemporaryDirectory() as folder, start_workers(None, workers) as hands:
        replay(Plan(GAME, Path(folder, "warm"), {}, 4), shoes, hands, lambda _: None)  # until each process is there
        start = time.perf_counter()
        replay(Plan(GAME, Path(folder, "out"), {}, 32), shoes, hands, lambda _: None)
        return time.perf_counter() - start


def main() -> None:
    """Time, print, and fail where it is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--shoes", type=int, default=512, help="at least 1")
    shoes = list(dealing.deal_many(max(1, parser.parse_args().shoes)))
    slow = fast = 0.0
    price_shoes(batch_of(shoes[-256:]), GAME)  # as in a long run, most kinds of endings are known
    pieces = [shoes[first : first + 32] for first in range(0, min(len(shoes), 128), 32)]
    for piece in pieces:
        batch = batch_of(piece)
        start = time.process_time()
        states = sum(map(one_by_one, piece))
        middle = time.process_time()
        rows = price_shoes(batch, GAME).num_rows
        slow, fast = slow + (middle - start) / states, fast + (time.process_time() - middle) * len(GAME.bets) / rows
    one, two = (whole_run(shoes, workers) for workers in (1, 2))
    print(
        f"price: {slow / len(pieces) * 1e6:.0f} us of CPU a state; a replay's pricing {fast / len(pieces) * 1e6:.1f} us"
    )
    print(f"ratio {slow / fast:.1f} (at least 5)")
    print(f"whole run: {len(shoes) / one:.0f} shoes/s with one process, {len(shoes) / two:.0f} with two")
    print(f"ratio {one / two:.2f} (at least 1.6)")
    sys.exit(int(slow / fast < 5 or one / two < 1.6))


if __name__ == "__main__":
    main()
