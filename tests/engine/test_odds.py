"""From exact ways to odds: against fractions."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.domain.bets import Row
from pricing.domain.books import Margin, MarginModel
from pricing.domain.ladder import Ladder, Step
from pricing.engine.odds import FixedPayouts, MadeOdds

PLAIN = Ladder((Step(Decimal("1.01"), Decimal("0.01"), Decimal("1000.00")),))
COARSE = Ladder((Step(Decimal("1.1"), Decimal("0.1"), Decimal(2)), Step(Decimal(2), Decimal("0.5"), Decimal(20))))
MOST = 624 * 623 * 622 * 621 * 620 * 619
"""All ways of twelve decks."""

margins = st.integers(0, 999).map(lambda permille: Fraction(permille, 1_000)) | st.just(Fraction(1, 10**9))


def target_return(margin: Fraction, ladder: Ladder, cap: Fraction = Fraction(1)) -> MadeOdds:
    return MadeOdds(Margin(MarginModel.TARGET_RETURN, margin), ladder, cap)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    """Ways to win and to get the stake back, of all ways."""
    total = draw(st.integers(2, MOST) | st.integers(2, 2_000))
    push = draw(st.integers(0, total - 2))
    return draw(st.integers(1, total - push - 1)), push, total


@given(counts(), margins, st.sampled_from([PLAIN, COARSE]))
def test_odds_are_what_the_margin_allows_rounded_down(
    ways: tuple[int, int, int], margin: Fraction, ladder: Ladder
) -> None:
    win, push, total = ways
    allowed = Fraction(total - push, win) * (1 - margin)
    offer = target_return(margin, ladder).offer([win], push, total)
    first, top = ladder.steps[0].first, ladder.steps[-1].last
    if offer is None:
        assert allowed < first
        return
    assert offer[0] is not None
    odds = Decimal(offer[0])
    step = next(step for step in reversed(ladder.steps) if step.first <= odds)
    assert odds <= allowed
    assert odds == top or odds + step.step > allowed
    assert odds <= top
    assert (odds - step.first) % step.step == 0
    returned = (Fraction(odds) * win + push) / total
    assert offer[1] == float(returned)
    assert returned <= (allowed * win + push) / total


@pytest.mark.parametrize(
    ("win", "push", "total", "margin", "odds"),
    [
        (1, 0, 2, "0", "2.00"),
        (1, 0, 2, "0.025", "1.95"),
        (1, 0, 2, "0.0001", "1.99"),
        (1, 50, 100, "0", "50.00"),
        (1, 0, 1_000, "0", "1000.00"),
        (1, 0, 1_001, "0", "1000.00"),
        (1, 0, 10**15, "0.999", "1000.00"),
        (100, 0, 101, "0", "1.01"),
        (101, 0, 102, "0", None),
        (1, 0, 2, "0.5", None),
        (MOST // 2, 0, MOST, "0", "2.00"),
        (MOST // 2 + 1, 0, MOST, "0", "1.99"),
    ],
)
def test_odds(win: int, push: int, total: int, margin: str, odds: str | None) -> None:
    offer = target_return(Fraction(margin), PLAIN).offer([win], push, total)
    assert (None if offer is None else offer[0]) == odds


payouts = (
    st.decimals("1.01", "1000", places=2) | st.decimals("1.001", "10", places=4) | st.integers(2, 300).map(Decimal)
)


@given(counts(), st.lists(payouts, min_size=1, max_size=4), st.data())
def test_what_payouts_are_worth(ways: tuple[int, int, int], pays: list[Decimal], data: st.DataObject) -> None:
    win, push, total = ways
    cuts = sorted(data.draw(st.lists(st.integers(0, win), min_size=len(pays) - 1, max_size=len(pays) - 1)))
    each = [upper - lower for lower, upper in zip([0, *cuts], [*cuts, win], strict=True)]
    offer = FixedPayouts([Row(str(number), frozenset({number}), payout) for number, payout in enumerate(pays)]).offer(
        each, push, total
    )
    paid = sum((Fraction(payout) * count for payout, count in zip(pays, each, strict=True)), Fraction(push))
    assert offer[1] == float(paid / total)
    assert (offer[0] is None) is (len(pays) > 1)
    if offer[0] is not None:
        assert Decimal(offer[0]) == pays[0]


def test_payouts_of_whole_tens() -> None:
    assert FixedPayouts([Row("row", frozenset({4}), Decimal("1E+1"))]).offer([1], 0, 10) == ("10.00", 1.0)


@given(counts(), st.sampled_from(MarginModel), margins, st.integers(1, 1_000))
def test_no_odds_return_more_than_the_cap(
    ways: tuple[int, int, int], model: MarginModel, margin: Fraction, permille: int
) -> None:
    win, push, total = ways
    cap = Fraction(permille, 1_000)
    offer = MadeOdds(Margin(model, margin), PLAIN, cap).offer([win], push, total)
    free = MadeOdds(Margin(model, margin), PLAIN, Fraction(1)).offer([win], push, total)
    if offer is None or offer[0] is None:
        least = (Fraction("1.01") * win + push) / total
        assert free is None or least > cap
        return
    assert (Fraction(offer[0]) * win + push) / total <= cap
    assert free is not None
    assert free[0] is not None
    higher = Fraction(offer[0]) + Fraction("0.01")
    assert offer == free or (higher * win + push) / total > cap


def test_what_fixed_payouts_win() -> None:
    even = FixedPayouts([Row("row", frozenset({4}), Decimal(2))])
    assert even.gain([6], 0, 10) == Fraction(1, 5)
    assert even.gain([4], 2, 10) == 0
    assert even.gain([4], 0, 10) == Fraction(-1, 5)
