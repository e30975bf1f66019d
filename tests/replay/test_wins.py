"""The Poisson-binomial distribution, against sums of fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.replay.wins import Wins

chances = st.lists(st.integers(0, 64).map(lambda n: n / 64), max_size=150)


def exactly(each: list[float]) -> list[Fraction]:
    found = [Fraction(1)]
    for chance in map(Fraction, each):
        lost = [*(share * (1 - chance) for share in found), Fraction(0)]
        found = [a + b * chance for a, b in zip(lost, [Fraction(0), *found], strict=True)]
    return found


@given(chances, chances)
def test_sums_are_those_of_fractions(first: list[float], second: list[float]) -> None:
    found = Wins.of(np.array(first)) + Wins.of(np.array(second))
    exact = exactly(first + second)
    for wins, chance in enumerate(found.chances.tolist(), found.least):
        assert chance == pytest.approx(float(exact[wins]), rel=1e-9, abs=1e-17)
    assert sum(found.chances) == pytest.approx(1, abs=1e-12)


@given(chances, st.sampled_from([0.5, 0.05, 0.001]))
def test_outside_a_band_lies_at_most_its_level(each: list[float], level: float) -> None:
    low, high = Wins.of(np.array(each)).band(level)
    exact = exactly(each)
    assert sum(exact[:low]) <= level / 2 + 1e-12
    assert sum(exact[high + 1 :]) <= level / 2 + 1e-12
    assert sum(exact[: low + 1]) > level / 2 - 1e-12
    assert sum(exact[high:]) > level / 2 - 1e-12
