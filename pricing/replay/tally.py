"""What a report needs of priced rows, summed part by part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pricing.replay.wins import Wins

Numbers: TypeAlias = NDArray[np.float64]

DEPTHS: Final = np.arange(0, 624, 26)
"""Where each stretch of a shoe starts, in cards gone; the last holds all that come after."""
PRICES: Final = np.geomspace(1, 1000, 601)
"""Where each class of odds starts, 200 to a factor of ten; the last is the top."""


class Key(NamedTuple):
    """What is counted apart."""

    round: int
    bet: str


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums over the rows of one bet in one round."""

    games: int
    """Rows with a result that is not void."""
    won: int
    wins: Wins
    """How many would win, by the chances."""
    expected: float
    """The sum of the chances."""
    brier: float
    expected_brier: float
    """What the sum of squared errors is on average if the chances are right."""
    log: float
    """The sum of -ln of the chance of what came."""
    staked: int
    """Rows on which a unit was staked."""
    paid: float
    mean_returns: float
    """The sum of what the stakes return on average."""
    depth: Numbers
    """By stretch of the shoe: rows, the sum of the chances, wins."""
    prices: NDArray[np.int64]
    """Rows on offer, by class of odds."""

    def __add__(self, other: Self) -> "Tally":
        """The sums over the rows of both."""
        return Tally(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


Tallies: TypeAlias = Mapping[Key, Tally]


def tally(rows: pa.Table) -> Tallies:
    """The sums over priced rows."""
    return {key: _tally(part) for key, part in _by_key(rows)}


def merge(first: Tallies, second: Tallies) -> Tallies:
    """The sums over the rows of both. The order matters in the last bit: the parts' own is the one to take."""
    return {
        **{key: first[key] + second[key] if key in second else first[key] for key in first},
        **{key: second[key] for key in second if key not in first},
    }


def _by_key(rows: pa.Table) -> Iterator[tuple[Key, pa.Table]]:
    bets = rows["bet"].combine_chunks().dictionary_encode()
    rounds, numbers = rows["round"].to_numpy(), bets.indices.to_numpy()
    for number, bet in enumerate(bets.dictionary.to_pylist()):
        for each in np.unique(rounds[numbers == number]):
            yield Key(int(each), bet), rows.filter(pa.array((numbers == number) & (rounds == each)))


def _tally(rows: pa.Table) -> Tally:
    rows = rows.filter(pc.is_in(rows["result"], pa.array(["WON", "LOST", "PUSH"])))
    won = pc.equal(rows["result"], "WON").to_numpy()
    ways, total = rows["win_ways"].to_numpy(), rows["ways"].to_numpy()
    chance, came = ways / total, np.where(won, ways, total - ways) / total
    offered = rows.filter(pc.equal(rows["state"], "ACTIVE"))
    depths = np.searchsorted(DEPTHS, rows["gone"].to_numpy(), "right") - 1
    odds = offered["odds"].drop_null().to_numpy()
    return Tally(
        games=len(won),
        won=int(won.sum()),
        wins=Wins.of(chance),
        expected=float(chance.sum()),
        brier=float(((chance - won) ** 2).sum()),
        expected_brier=float((chance * (1 - chance)).sum()),
        log=float(-np.log(came).sum()),
        staked=len(offered),
        paid=float(offered["paid"].to_numpy().sum()),
        mean_returns=float(offered["return"].to_numpy().sum()),
        depth=np.stack([np.bincount(depths, each, len(DEPTHS)) for each in (np.ones(len(won)), chance, won)]),
        prices=np.histogram(odds, PRICES)[0],
    )
