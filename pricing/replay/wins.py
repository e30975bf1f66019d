"""How many of many bets win: the Poisson-binomial distribution, summed part by part in little memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_TAIL: Final = 1e-18
"""What is dropped at each end of a sum of two distributions."""
_DIRECT: Final = 64
"""Up to so many bets at a time, all groups of them are summed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Wins:
    """How many bets win, each independently with its own chance.

    Sums of positive products only, so that each probability is as exact as doubles are; what is dropped at the ends is
    below 1e-18 a sum. Memory grows with the root of the number of bets.

    >>> Wins.of(np.array([0.5, 0.5])).chances.tolist()
    [0.25, 0.5, 0.25]
    """

    least: int
    """The number of wins that the first of the chances is about."""
    chances: Numbers

    @classmethod
    def of(cls, chances: Numbers) -> "Wins":
        """The wins of some bets with these chances."""
        padded = np.zeros(-(-len(chances) // _DIRECT) * _DIRECT or _DIRECT)
        padded[: len(chances)] = chances
        sums = np.stack([1 - padded, padded], axis=1)
        while sums.shape[1] <= _DIRECT:
            sums = _pairwise(sums[0::2], sums[1::2])
        return total([_trimmed(0, each) for each in sums])

    def __add__(self, other: "Wins") -> "Wins":
        """The wins of the bets of both."""
        return _trimmed(self.least + other.least, np.convolve(self.chances, other.chances))

    def band(self, level: float) -> tuple[int, int]:
        """The fewest and the most wins such that fewer, and more, each have at most half of this probability.

        >>> Wins.of(np.full(100, 0.5)).band(0.05)
        (40, 60)
        """
        fewer, more = np.cumsum(self.chances), np.cumsum(self.chances[::-1])
        low = int(np.searchsorted(fewer, level / 2, "right"))
        high = int(np.searchsorted(more, level / 2, "right"))
        return self.least + low, self.least + len(self.chances) - 1 - high


NO_BETS: Final = Wins(0, np.ones(1))


def total(parts: Sequence[Wins]) -> Wins:
    """The wins of all the bets, summed in pairs."""
    if len(parts) < 2:
        return parts[0] if parts else NO_BETS
    return total(parts[: len(parts) // 2]) + total(parts[len(parts) // 2 :])


def _pairwise(first: Numbers, second: Numbers) -> Numbers:
    """The sums of distributions, row by row."""
    width = first.shape[1]
    sums = np.zeros((len(first), 2 * width - 1))
    for wins in range(width):
        sums[:, wins : wins + width] += first[:, wins : wins + 1] * second
    return sums


def _trimmed(least: int, chances: Numbers) -> Wins:
    low = int(np.searchsorted(np.cumsum(chances), _TAIL, "right"))
    high = len(chances) - int(np.searchsorted(np.cumsum(chances[::-1]), _TAIL, "right"))
    return Wins(least + low, chances[low:high])
