"""The price ladder: which decimal odds may be offered. A price is a whole number of the ladder's unit."""

from bisect import bisect_right
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from pricing.domain.errors import InvalidGameType


@dataclass(frozen=True, slots=True)
class Step:
    """A range of the ladder: prices from the first to the last, a step apart."""

    first: Decimal
    step: Decimal
    last: Decimal


@dataclass(frozen=True, slots=True)
class Ladder:
    """Ascending ranges of prices; two ranges may share the price at which they meet.

    >>> ladder = Ladder((Step(Decimal("1.01"), Decimal("0.01"), Decimal("1000.00")),))
    >>> ladder.text(ladder.floor(193))
    '1.93'
    >>> ladder.floor(100) is None
    True
    >>> ladder.text(ladder.floor(500_000))
    '1000.00'
    """

    steps: tuple[Step, ...]
    unit: int = field(init=False)
    """Prices are multiples of 1 / unit, 100 for two decimals."""
    places: int = field(init=False)
    """Decimals of a price, at least two."""
    ranges: tuple[tuple[int, int, int], ...] = field(init=False, repr=False)
    """First price, step and last price of each range, in units."""
    _starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the ranges and turn them into whole numbers."""
        if not self.steps:
            raise InvalidGameType("ladder", [], "one range or more")
        numbers = [number for step in self.steps for number in (step.first, step.step, step.last)]
        places = max(2, *(-int(number.as_tuple().exponent) for number in numbers))
        unit = 10**places
        ranges = tuple((int(step.first * unit), int(step.step * unit), int(step.last * unit)) for step in self.steps)
        for place, (first, step, last) in enumerate(ranges):
            if first <= unit or step <= 0 or last < first or (last - first) % step:
                allowed = "from above 1.00, a positive step, and to a whole number of steps above from"
                raise InvalidGameType(f"ladder[{place}]", self.steps[place], allowed)
        for place, ((_, step, last), (first, next_step, _)) in enumerate(pairwise(ranges), 1):
            if first not in (last, last + step, last + next_step):
                allowed = "a start where the range before it ends, or a step later"
                raise InvalidGameType(f"ladder[{place}].from", self.steps[place].first, allowed)
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "places", places)
        object.__setattr__(self, "ranges", ranges)
        object.__setattr__(self, "_starts", tuple(first for first, _, _ in ranges))

    def floor(self, value: int) -> int | None:
        """The highest price not above so many units; None below the first, the last one above the top."""
        place = bisect_right(self._starts, value) - 1
        if place < 0:
            return None
        first, step, last = self.ranges[place]
        return last if value >= last else value - (value - first) % step

    def text(self, price: int) -> str:
        """The price in decimal, with at least two places: "1.90"."""
        return _text(price, self.places)


@lru_cache(maxsize=10_000)
def _text(price: int, places: int) -> str:
    digits = str(price)
    return f"{digits[:-places]}.{digits[-places:]}"
