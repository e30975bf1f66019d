"""Margin models: against fractions, many digits, and public packages that go the other way."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isclose

import penaltyblog
import pytest
import shin as public_shin
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pricing.domain.books import MarginModel
from pricing.engine.margins import MODELS

MOST = 624 * 623 * 622 * 621 * 620 * 619
"""All ways of twelve decks."""
TWO_WAY = [model for model in MarginModel if model is not MarginModel.TARGET_RETURN]
counts = st.integers(1, MOST) | st.integers(1, 1_000)
margins = st.integers(0, 400).map(lambda permille: Fraction(permille, 1_000)) | st.just(Fraction(1, 10**9))


def made(model: MarginModel, win: int, lose: int, margin: Fraction, unit: int = 100) -> int:
    return MODELS[model](win, lose, unit, *margin.as_integer_ratio())


def exact(model: MarginModel, win: int, lose: int, margin: Fraction) -> Fraction:
    """The odds by the model's definition, to some thirty-five digits where they are no ratio."""
    chance = Fraction(win, win + lose)
    if model is MarginModel.TARGET_RETURN:
        return (1 - margin) / chance
    if model is MarginModel.PROPORTIONAL:
        return 1 / (chance * (1 + margin))
    if model in (MarginModel.ADDITIVE, MarginModel.SHIN):
        return 1 / (chance + margin / 2)
    with localcontext() as context:
        context.prec = 60
        fair, target = digits(chance), digits(1 + margin)
        if model is MarginModel.ODDS_RATIO:
            quoted = root(
                lambda c: c * fair / (1 - fair + c * fair) + c * (1 - fair) / (fair + c * (1 - fair)) - target
            )
            return Fraction((1 - fair + quoted * fair) / (quoted * fair))
        log_fair, log_other = fair.ln(), (1 - fair).ln()
        exponent = root(lambda k: target - (log_fair * k).exp() - (log_other * k).exp())
        return Fraction((-log_fair * exponent).exp())


def root(rising: Callable[[Decimal], Decimal]) -> Decimal:
    """Where a function that rises above zero crosses it, by halving: slow, and nothing to go wrong."""
    low, high = Decimal(0), Decimal(1)
    while rising(high) < 0:
        low, high = high, high * 16
    for _ in range(130):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return low


def digits(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator


@pytest.mark.parametrize("model", MarginModel)
@given(counts, counts, margins)
def test_the_odds_are_those_of_the_definition_rounded_down(
    model: MarginModel, win: int, lose: int, margin: Fraction
) -> None:
    odds = made(model, win, lose, margin)
    if model is MarginModel.SHIN and odds == 0:
        assert 4 * Fraction(win * lose, (win + lose) ** 2) < margin**2
        return
    true = exact(model, win, lose, margin) * 100
    if odds > 10**7:  # far above every ladder
        assert true > 10**6
        return
    slack = Fraction(1, 10**9) if model in (MarginModel.POWER, MarginModel.ODDS_RATIO) else 0
    assert odds <= true + slack
    assert odds + 1 > true - slack


@st.composite
def near_a_tick(draw: st.DrawFn) -> tuple[int, int, Fraction, int]:
    """A book whose first odds are a tick, or miss it by the least that the counts can."""
    tick = draw(st.integers(102, 5_000))
    margin = Fraction(draw(st.integers(1, 200)), 1_000)
    model = draw(st.sampled_from([MarginModel.POWER, MarginModel.ODDS_RATIO]))
    size = draw(st.sampled_from([10**6, 10**15, MOST]))
    low, high = 1, size - 1
    while low < high:  # the most ways to win at which the odds are still the tick
        middle = (low + high + 1) // 2
        low, high = (middle, high) if made(model, middle, size - middle, margin) >= tick else (low, middle - 1)
    return low, size, margin, tick


@settings(max_examples=50)
@given(near_a_tick())
def test_no_tick_is_one_too_high_or_too_low_at_its_border(book: tuple[int, int, Fraction, int]) -> None:
    win, size, margin, tick = book
    for model in (MarginModel.POWER, MarginModel.ODDS_RATIO):
        for ways in (win, win + 1):
            if not 0 < ways < size:
                continue
            odds, true = made(model, ways, size - ways, margin), exact(model, ways, size - ways, margin)
            assert odds <= true * 100 < odds + 1 or isclose(true * 100, tick, rel_tol=1e-30)


@pytest.mark.parametrize(
    ("model", "odds"),
    [
        # 9 : 16 to the power of a half is 3 : 4, and 3/5 + 4/5 is 1.4: ticks that are hit exactly.
        (MarginModel.POWER, (166, 125)),
        # c = 3 turns 1 : 1 into 3/4 and 3/4, by hand.
        (MarginModel.PROPORTIONAL, (198, 111)),
    ],
)
def test_by_hand(model: MarginModel, odds: tuple[int, int]) -> None:
    margin = Fraction(2, 5)
    assert (made(model, 9, 16, margin), made(model, 16, 9, margin)) == odds


def test_even_chances_are_quoted_alike_by_every_model() -> None:
    assert {made(model, 5, 5, Fraction(1, 4)) for model in TWO_WAY} == {160}


@pytest.mark.parametrize("model", MarginModel)
@given(counts, counts)
def test_without_a_margin_the_odds_are_fair(model: MarginModel, win: int, lose: int) -> None:
    assert made(model, win, lose, Fraction(0)) == 100 * (win + lose) // win


@pytest.mark.parametrize("model", MarginModel)
@given(counts, counts, margins)
@example(1, MOST - 1, Fraction(1, 10))
@example(MOST - 1, 1, Fraction(1, 10))
def test_no_model_returns_more_than_is_staked(model: MarginModel, win: int, lose: int, margin: Fraction) -> None:
    assert made(model, win, lose, margin) * win <= 100 * (win + lose)


@pytest.mark.parametrize("model", [MarginModel.POWER, MarginModel.ODDS_RATIO])
@given(counts, counts, margins)
def test_some_models_never_leave_the_chances(model: MarginModel, win: int, lose: int, margin: Fraction) -> None:
    assert made(model, win, lose, margin) >= 100


_METHODS = {
    MarginModel.ODDS_RATIO: "odds_ratio",
    MarginModel.POWER: "power",
    MarginModel.PROPORTIONAL: "multiplicative",
    MarginModel.ADDITIVE: "additive",
    MarginModel.SHIN: "shin",
}


@pytest.mark.parametrize("model", TWO_WAY)
@pytest.mark.parametrize("chance", [0.25, 0.446 / 0.905, 0.5, 0.68, 0.93])
@pytest.mark.parametrize("margin", [Fraction(256, 10_000), Fraction(1, 20)])
def test_a_public_package_takes_the_margin_off_again(model: MarginModel, chance: float, margin: Fraction) -> None:
    size, unit = 10**12, 10**9
    win = int(chance * size)
    odds = [made(model, ways, size - ways, margin, unit) / unit for ways in (win, size - win)]
    found = penaltyblog.implied.calculate_implied(odds, method=_METHODS[model]).probabilities
    assert found[0] == pytest.approx(chance, abs=1e-6)


@pytest.mark.parametrize("chance", [0.1, 0.4, 0.9])
def test_the_package_of_shin_takes_his_margin_off_again(chance: float) -> None:
    size, unit = 10**12, 10**9
    win = int(chance * size)
    odds = [made(MarginModel.SHIN, ways, size - ways, Fraction(1, 20), unit) / unit for ways in (win, size - win)]
    assert public_shin.calculate_implied_probabilities(odds)[0] == pytest.approx(chance, abs=1e-6)
