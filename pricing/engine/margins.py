"""Margin models: from fair chances to odds, in whole numbers.

With a of N ways to win and the margin m = n / d, q = a / N is the fair chance and the quoted one is

- target return: q / (1 - m), for a bet that stands alone: a stake returns 1 - m on average;
- proportional: q (1 + m);
- additive: q + m / 2;
- Shin: of two outcomes the very same, as long as 4 q (1 - q) >= m**2, see `shin`;
- odds-ratio: c q / (1 - q + c q), with c such that the two quoted chances sum to 1 + m;
- power: q**k, with k likewise.

The odds are one by the quoted chance. Every function gives them times a unit, rounded down, exactly: floating point, if
any, only proposes. Sources: Shin, Economic Journal 103 (1993), equation 5; Clarke, Kovalchik and Ingram, American
Journal of Sports Science 5 (2017), for the power and odds-ratio models, here from chances to odds.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, isqrt, log
from types import MappingProxyType
from typing import Final, TypeAlias

from pricing.domain.books import MarginModel

Odds: TypeAlias = Callable[[int, int, int, int, int], int]
"""Odds of a bet in whole units, rounded down; 0 where the model has none.

Args: ways in which it wins and in which it loses, both above 0; the units in 1; the margin's numerator and denominator.
"""

_CLOSE: Final = 1e-6
"""A thousand times what a proposal in floating point can be wrong by, in units."""


def target_return(win: int, lose: int, unit: int, n: int, d: int) -> int:
    """Of 49 ways to win and 51 to lose, 2.04 is fair, and 1.95 keeps 4 %.

    >>> target_return(49, 51, 100, 0, 1), target_return(49, 51, 100, 4, 100)
    (204, 195)
    """
    return unit * (win + lose) * (d - n) // (win * d)


def proportional(win: int, lose: int, unit: int, n: int, d: int) -> int:
    """Both chances are raised by the same factor.

    >>> proportional(49, 51, 100, 4, 100)
    196
    """
    return unit * (win + lose) * d // (win * (d + n))


def additive(win: int, lose: int, unit: int, n: int, d: int) -> int:
    """Both chances are raised by as much.

    >>> additive(1, 9, 100, 5, 100), proportional(1, 9, 100, 5, 100)
    (800, 952)
    """
    ways = win + lose
    return 2 * unit * ways * d // (2 * win * d + ways * n)


def shin(win: int, lose: int, unit: int, n: int, d: int) -> int:
    """The chances quoted where a share z of all bettors knows the result.

    They are s (s + t) and t (s + t) with s**2 = z q + (1 - z) q**2 and t likewise of 1 - q. Their sum is 1 + m where
    1 - z = (4 q (1 - q) - m**2) / (4 q (1 - q) (1 + m)), and then s (s + t) = q + m / 2. If that share were above one
    there are no odds.

    >>> shin(1, 9, 100, 5, 100), shin(1, 9999, 100, 5, 100)
    (800, 0)
    """
    if 4 * win * lose * d * d < (n * (win + lose)) ** 2:
        return 0
    return additive(win, lose, unit, n, d)


def odds_ratio(win: int, lose: int, unit: int, n: int, d: int) -> int:
    """The odds for each outcome against the other are shortened by the same factor c.

    With a ways to win and b to lose the odds are 1 + y, y = b / (c a), and the sum of the quoted chances asks that
    (1 + m) a**2 y**2 + m (a**2 + b**2) y - (1 - m) b**2 = 0, whose positive root is found in whole numbers.

    >>> odds_ratio(1, 9, 100, 5, 100), odds_ratio(9, 1, 100, 5, 100)
    (782, 108)
    """
    square = win * win
    shift = n * (square + lose * lose)
    root = isqrt(unit * unit * (shift * shift + 4 * (d * d - n * n) * (win * lose) ** 2))
    return unit + (root - unit * shift) // (2 * (d + n) * square)


def power(win: int, lose: int, unit: int, n: int, d: int) -> int:
    """Both chances are raised to the same power.

    >>> power(1, 9, 100, 5, 100), power(9, 1, 100, 5, 100)
    (730, 109)
    """
    if n == 0 or win == lose:  # the power is 1, or does not matter
        return proportional(win, lose, unit, n, d)
    value = unit * exp(_exponent(win, lose, n / d) * log((win + lose) / win))
    odds = int(value)
    if _CLOSE < value - odds < 1 - _CLOSE:
        return odds
    odds = round(value)
    return odds if _power_allows(odds, win, lose, unit, Fraction(n, d)) else odds - 1


MODELS: Mapping[MarginModel, Odds] = MappingProxyType({
    MarginModel.TARGET_RETURN: target_return,
    MarginModel.ODDS_RATIO: odds_ratio,
    MarginModel.POWER: power,
    MarginModel.PROPORTIONAL: proportional,
    MarginModel.ADDITIVE: additive,
    MarginModel.SHIN: shin,
})  # fmt: skip
"""The odds of each model."""


def _exponent(win: int, lose: int, margin: float) -> float:
    """The k at which the two chances to the power of k sum to 1 + margin, by Newton's method.

    The sum is convex and falls with k: from 1 the first step goes below the root, all others go up to it.
    """
    ways = win + lose
    log_win, log_lose = log(win / ways), log(lose / ways)
    k, step = 1.0, 1.0
    while abs(step) > 1e-15:
        of_win, of_lose = exp(k * log_win), exp(k * log_lose)
        step = (of_win + of_lose - 1 - margin) / (of_win * log_win + of_lose * log_lose)
        k = max(k - step, 0.0)
    return k


def _power_allows(odds: int, win: int, lose: int, unit: int, margin: Fraction) -> bool:
    """Whether odds are at most those of the power model, decided to forty digits.

    At the k that gives just these odds the other chance is what the sum asks for, or more.
    """
    if odds <= unit:
        return True
    with localcontext() as context:
        context.prec = 60
        price = Decimal(odds) / unit
        k = price.ln() / (Decimal(win + lose) / win).ln()
        other = (k * (Decimal(lose) / (win + lose)).ln()).exp()
        missing = 1 + Decimal(margin.numerator) / margin.denominator - 1 / price
        return other >= missing - Decimal("1e-40")  # equal, if some exponent makes all of it rational
