"""Many states a call: the chances and the odds of arrays of states, number for number those of `quote`."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pricing.domain.books import Margin, MarginModel
from pricing.domain.game import GameType
from pricing.domain.ladder import Ladder
from pricing.domain.policy import STANDING, Policy
from pricing.engine.chances import way_counter
from pricing.engine.margins import MODELS
from pricing.engine.odds import FixedPayouts
from pricing.engine.terms import BetTerms, round_terms

Counts: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]

_DOUBTFUL: Final = 1e-11
"""Odds in floating point are wrong by less than a hundredth of this share of them: nearer to a whole number than this,
whole numbers decide on which side they lie."""


class States(NamedTuple):
    """States of coups in their betting rounds, one a row, known to be legal."""

    remaining: NDArray[np.uint8]
    """Counts of the 52 cards still in the shoe."""
    dealt: NDArray[np.uint8]
    """Cards of the coup in dealing order, in six columns; those after the last do not matter."""
    lengths: NDArray[np.uint8]
    """How many cards each coup has."""


class Offers(NamedTuple):
    """What is offered in each state for each bet."""

    total: Counts
    """Shape (states,): the denominator of the ways."""
    ways: Counts
    """Shape (states, bets, 2): completions in which the bet wins, and in which the stake comes back."""
    active: NDArray[np.bool_]
    """Shape (states, bets): whether the bet can be backed."""
    odds: Numbers
    """Shape (states, bets): decimal odds, the double nearest to them; not a number where there are none or several."""
    returns: Numbers
    """Shape (states, bets): what one unit staked returns on average; not a number where nothing is on offer."""


def offer_many(game: GameType, states: States, policy: Policy = STANDING) -> Offers:
    """Price many betting states, each as `quote` prices it.

    >>> fresh = States(np.full((1, 52), 6, np.uint8), np.zeros((1, 6), np.uint8), np.zeros(1, np.uint8))
    >>> from pricing.games import load_games
    >>> offer_many(load_games()["bet-on-baccarat"], fresh).odds[0, 2:4].tolist()
    [9.67, 12.16]
    """
    total, ways, tiers = way_counter(game).count_many(*states)
    win, push = ways[:, :, 0], ways[:, :, 1]
    active = (win > 0) & (win < total[:, None] - push)
    odds, returns = np.full(win.shape, np.nan), np.full(win.shape, np.nan)
    for cards in np.unique(states.lengths):
        first = 0
        for place, terms in enumerate(round_terms(game, policy, game.betting_round(int(cards))).bets):
            won = win[:, place : place + 1]
            if count := len(terms.tiers):
                won, first = tiers[:, first : first + count], first + count
            rows = np.flatnonzero(active[:, place] & (states.lengths == cards))
            odds[rows, place], returns[rows, place] = _offers(
                terms, game.ladder, won[rows], push[rows, place], total[rows]
            )
    return Offers(total, ways, active & ~np.isnan(returns), odds, returns)


def _offers(
    terms: BetTerms, ladder: Ladder, won: Counts, push: Counts, total: Counts
) -> tuple[Numbers | float, Numbers | float]:
    """Odds and mean returns, from the ways of the winning rows; not a number where there are none."""
    offering, margin = terms.offering, terms.margin
    if isinstance(offering, FixedPayouts):
        payouts = np.broadcast_to(np.array(offering.payouts), won.shape)
        return float(offering.odds or "nan"), mean_returns(won, payouts, offering.unit, push, total)
    if offering is None or margin is None:
        return np.nan, np.nan
    prices, certain = proposed(margin, ladder, won[:, 0], push, total, terms.max_return)
    returns = mean_returns(won, prices[:, None], ladder.unit, push, total)
    odds = np.where(prices, prices / ladder.unit, np.nan)
    returns = np.where(prices, returns, np.nan)
    for row in np.flatnonzero(~certain).tolist():
        offer = offering.offer(won[row].tolist(), int(push[row]), int(total[row]))
        odds[row], returns[row] = (float(offer[0] or "nan"), offer[1]) if offer else (np.nan, np.nan)
    return odds, returns


def proposed(  # noqa: PLR0913, PLR0917 - a margin and a state have as many parts
    margin: Margin, ladder: Ladder, win: Counts, push: Counts, total: Counts, most: Fraction
) -> tuple[Counts, NDArray[np.bool_]]:
    """Prices by a margin model, and which of them are certain to be the exact ones.

    They are made in floating point and, where that leaves a doubt, in whole numbers of 64 bits if they are so small.

    Args:
        margin: The model and its margin.
        ladder: The prices there are.
        win: Ways in which the bet wins.
        push: Ways in which the stake comes back.
        total: All ways.
        most: What a unit staked may return on average.

    Returns:
        Prices in units of the ladder, 0 below it; and where no whole number is so near that it might lie between.
    """
    firsts, steps, lasts = _ranges(ladder)
    with np.errstate(invalid="ignore"):  # a chance that rounds to 1 may be no proposal
        made = _MODELS.get(margin.model, _undecided)(win / (total - push), float(margin.margin))
    odds = np.minimum(made, (total * float(most) - push) / win) * ladder.unit
    # Where most ways push, the odds that return the most are a small difference of great numbers.
    doubt = _DOUBTFUL * ladder.unit * (np.abs(made) + total / win)
    certain = np.abs(odds - np.rint(odds)) > doubt  # false for what is not a number, too
    values = np.where(certain, np.minimum(odds, lasts[-1] + 1.0), 0.0).astype(np.int64)
    if margin.model in _IN_ARRAYS:
        rows = np.flatnonzero(~certain & (push == 0))
        common = np.gcd(win[rows], total[rows])
        small = total[rows] // common <= 2**62 // (4 * ladder.unit * max(margin.margin.denominator, most.denominator))
        rows, common = rows[small], common[small]
        values[rows] = _in_whole(margin, ladder, win[rows] // common, total[rows] // common, most)
        certain[rows] = True
    place = np.searchsorted(firsts, values, "right") - 1
    first, step, last = firsts[place], steps[place], lasts[place]
    prices = np.where(values >= last, last, values - (values - first) % step)
    return np.where(place < 0, 0, prices), certain


def _in_whole(margin: Margin, ladder: Ladder, win: Counts, total: Counts, most: Fraction) -> Counts:
    """Odds in units of bets that never push, whose ways are so few that no product is beyond 64 bits."""
    made = _IN_ARRAYS[margin.model](win, total - win, ladder.unit, *margin.margin.as_integer_ratio())
    odds: Counts = np.minimum(made, total * (ladder.unit * most.numerator) // (win * most.denominator))
    return odds


def _odds_ratio(chance: Numbers, margin: float) -> Numbers:
    square, other = chance**2, (1 - chance) ** 2
    b, c = margin * (square + other), (1 - margin) * other
    odds: Numbers = 1 + 2 * c / (b + np.sqrt(b**2 + 4 * (1 + margin) * square * c))
    return odds


def _shin(chance: Numbers, margin: float) -> Numbers:
    room = 4 * chance * (1 - chance) - margin**2
    return np.where(room > _DOUBTFUL, 1 / (chance + margin / 2), np.nan)


def _undecided(chance: Numbers, margin: float) -> Numbers:
    """What the model itself has to decide."""
    return np.full_like(chance, np.nan)


_MODELS: Final[Mapping[MarginModel, Callable[[Numbers, float], Numbers]]] = {
    MarginModel.TARGET_RETURN: lambda chance, margin: (1 - margin) / chance,
    MarginModel.PROPORTIONAL: lambda chance, margin: 1 / (chance * (1 + margin)),
    MarginModel.ADDITIVE: lambda chance, margin: 1 / (chance + margin / 2),
    MarginModel.SHIN: _shin,
    MarginModel.ODDS_RATIO: _odds_ratio,
}
"""The odds of each model in floating point, from the fair chance and the margin. The power model, which has no closed
form, is not among them: each state of it goes through `pricing.engine.margins.power`."""


_IN_ARRAYS: Final[Mapping[MarginModel, Callable[..., Any]]] = {
    model: MODELS[model] for model in (MarginModel.TARGET_RETURN, MarginModel.PROPORTIONAL, MarginModel.ADDITIVE)
}
"""Models whose formula holds for arrays as it stands."""


@lru_cache(maxsize=256)
def _ranges(ladder: Ladder) -> tuple[Counts, Counts, Counts]:
    """Where each range of the ladder starts, its step and where it ends, in units."""
    firsts, steps, lasts = np.array(ladder.ranges, np.int64).T
    return firsts, steps, lasts


def mean_returns(won: Counts, payouts: Counts, unit: int, push: Counts, total: Counts) -> Numbers:
    """What one unit staked returns on average, correctly rounded.

    Where doubles cannot be told apart by what the machine's longest floats know of a quotient, it is that double; the
    others are divided as whole numbers, whose products are beyond 64 bits.

    Args:
        won: Shape (states, rows): ways of each winning row.
        payouts: What each pays, in 1 / unit.
        unit: Whole numbers of payouts to one unit staked.
        push: Ways in which the stake comes back.
        total: All ways.
    """
    paid = (won.astype(np.longdouble) * payouts).sum(axis=1) + push.astype(np.longdouble) * unit
    quotients = paid / (total.astype(np.longdouble) * unit)
    error = np.finfo(np.longdouble).eps * (won.shape[1] + 4)
    returns: Numbers = (quotients * (1 - error)).astype(np.float64)
    most = (quotients * (1 + error)).astype(np.float64)
    doubtful = np.flatnonzero(returns != most)
    each = zip(*(of[doubtful].tolist() for of in (won, payouts, push, total)), strict=True)
    returns[doubtful] = [
        (sum(map(int.__mul__, ways, pays)) + pushed * unit) / (every * unit) for ways, pays, pushed, every in each
    ]
    return returns
