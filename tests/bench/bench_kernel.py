"""Times the kernel against a plain enumeration in C: python tests/bench/bench_kernel.py [--oracle FILE.c].

Both fill the 400 cells of a fresh six-deck shoe; the kernel also counts the pairs, folds all into the groups of the
nine bets, and is called from Python. Rounds alternate, so that a busy machine slows both. Exit status 1 if the kernel
is not 60 times as fast.
"""

import argparse
import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent)]

import oracle  # noqa: E402 - found by the line above

from pricing.engine._kernel import CoupCounter  # noqa: E402

NEEDED = 60
DECKS, DEALT = 6, b""

Clock = Callable[[], float]


def build(source: Path, folder: str) -> ctypes.CDLL:
    """Compiles a plain enumeration as it is meant to be: optimised."""
    library = Path(folder) / "enumeration.so"
    subprocess.run(["gcc", "-O3", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def unit_groups() -> list[list[int]]:
    """A group for the wins of each bet and one for its pushes, as the engine asks for."""
    ones = [oracle.bets([int(i == cell) for i in range(oracle.CELLS)]) for cell in range(oracle.CELLS)]
    return [[cell for cell in range(oracle.CELLS) if ones[cell][bet][i]] for bet in ones[0] for i in (0, 1)]


def per_call(call: Callable[[], object], times: int, clock: Clock) -> float:
    """Seconds a call."""
    start = clock()
    for _ in range(times):
        call()
    return (clock() - start) / times


def main() -> None:
    """Checks that both agree, then times them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--oracle", type=Path, default=HERE / "reference.c", help="C file with outcome_table")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()

    groups = unit_groups()
    counter = CoupCounter(oracle.to_masks(), groups)
    shoe, out, cells = bytes([DECKS] * 52), array("q", [0] * len(groups)), array("q", [0] * oracle.CELLS)
    counts, dealt, table = (ctypes.c_int * 52)(*shoe), (ctypes.c_int * 6)(), (ctypes.c_uint64 * 400)()

    with tempfile.TemporaryDirectory() as folder:
        plain = build(options.oracle, folder).outcome_table
        plain(counts, dealt, 0, table)
        counter.cells(shoe, DEALT, cells)
        if list(table) != cells[:400].tolist():
            sys.exit("the kernel and the enumeration do not agree")

        def slow() -> None:
            plain(counts, dealt, 0, table)

        def fast() -> None:
            counter.count(shoe, DEALT, out)

        slows, fasts = list[float](), list[float]()
        for _ in range(max(options.rounds, 7)):
            slows.append(per_call(slow, 10, time.process_time))
            fasts.append(per_call(fast, 5000, time.process_time))

    slow_time, fast_time = statistics.median(slows), statistics.median(fasts)
    ratio = statistics.median(a / b for a, b in zip(slows, fasts, strict=True))
    print(f"{options.oracle.name}: {slow_time * 1e6:,.0f} µs of CPU a call (400 cells)")
    print(f"CoupCounter.count: {fast_time * 1e6:.2f} µs of CPU a call ({len(groups)} groups, from Python)")
    print(f"ratio: {ratio:.0f} (at least {NEEDED} needed)")
    if ratio < NEEDED:
        sys.exit(1)


if __name__ == "__main__":
    main()
