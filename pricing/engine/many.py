"""Many states a call: the chances and the odds of arrays of states, number for number those of `quote`."""

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pricing.domain.bets import Bet
from pricing.domain.game import GameType
from pricing.domain.ladder import Ladder
from pricing.engine.chances import way_counter

Counts: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]

_DOUBTFUL = 1e-12
"""A quotient in floating point is wrong by less than a hundredth of this share of it: nearer to a whole number than
this, whole numbers decide on which side it lies."""


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


def offer_many(game: GameType, states: States) -> Offers:
    """Price many betting states, each as `quote` prices it.

    >>> fresh = States(np.full((1, 52), 6, np.uint8), np.zeros((1, 6), np.uint8), np.zeros(1, np.uint8))
    >>> from pricing.games import load_games
    >>> offer_many(load_games()["bet-on-baccarat"], fresh).odds[0, :3].tolist()
    [1.97, 1.92, 9.67]
    """
    total, ways, tiers = way_counter(game).count_many(*states)
    win, push = ways[:, :, 0], ways[:, :, 1]
    active = (win > 0) & (win < total[:, None] - push)
    odds, returns = np.full(win.shape, np.nan), np.full(win.shape, np.nan)
    first = 0
    for place, bet in enumerate(game.bets):
        won = win[:, place : place + 1]
        if (count := len(bet.winning_rows)) > 1:
            won, first = tiers[:, first : first + count], first + count
        rows = np.flatnonzero(active[:, place])
        found = _offers(bet, game.ladder, won[rows], push[rows, place], total[rows])
        odds[rows, place], returns[rows, place] = found
        active[rows, place] = ~np.isnan(found[1])
    return Offers(total, ways, active, odds, returns)


def floors(ladder: Ladder, numerators: tuple[Counts, int], denominators: tuple[Counts, int]) -> Counts:
    """`Ladder.floor` of many quotients; 0 where a quotient is below the ladder.

    Args:
        ladder: The prices there are.
        numerators: Numbers, and what each is to be multiplied by.
        denominators: Likewise.
    """
    firsts, steps, lasts = _ranges(ladder)
    (above, by), (below, of) = numerators, denominators
    by *= ladder.unit
    quotients = np.minimum(above / below * (by / of), lasts[-1] + 1.0)
    values = np.floor(quotients).astype(np.int64)
    doubtful = np.flatnonzero(np.abs(quotients - np.rint(quotients)) <= _DOUBTFUL * quotients)
    exact = (a * by // (b * of) for a, b in zip(above[doubtful].tolist(), below[doubtful].tolist(), strict=True))
    values[doubtful] = [min(value, lasts[-1]) for value in exact]
    place = np.searchsorted(firsts, values, "right") - 1
    first, step, last = firsts[place], steps[place], lasts[place]
    prices = np.where(values >= last, last, values - (values - first) % step)
    return np.where(place < 0, 0, prices)


@lru_cache(maxsize=256)
def _ranges(ladder: Ladder) -> tuple[Counts, Counts, Counts]:
    """Where each range of the ladder starts, its step and where it ends, in units."""
    ranges = [[int(each * ladder.unit) for each in (step.first, step.step, step.last)] for step in ladder.steps]
    firsts, steps, lasts = np.array(ranges, np.int64).T
    return firsts, steps, lasts


def _offers(bet: Bet, ladder: Ladder, won: Counts, push: Counts, total: Counts) -> tuple[Numbers, Numbers]:
    """Odds and mean returns of a bet, from the ways of its winning rows; not a number where there are none."""
    if bet.margin is not None:
        given, of = (1 - bet.margin).as_integer_ratio()
        prices = floors(ladder, (total - push, given), (won[:, 0], of))
        returns = mean_returns(won, prices[:, None], ladder.unit, push, total)
        return np.where(prices, prices / ladder.unit, np.nan), np.where(prices, returns, np.nan)
    pays = [row.pays for row in bet.winning_rows if row.pays is not None]
    unit = 10 ** max(0, *(-int(each.as_tuple().exponent) for each in pays))
    payouts = np.broadcast_to(np.array([int(each * unit) for each in pays]), won.shape)
    odds = float(pays[0]) if len(pays) == 1 else np.nan
    return np.full(len(total), odds), mean_returns(won, payouts, unit, push, total)


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
    returns, most = ((quotients * (1 + side * error)).astype(np.float64) for side in (-1, 1))
    doubtful = np.flatnonzero(returns != most)
    each = zip(*(of[doubtful].tolist() for of in (won, payouts, push, total)), strict=True)
    returns[doubtful] = [
        (sum(map(int.__mul__, ways, pays)) + pushed * unit) / (every * unit) for ways, pays, pushed, every in each
    ]
    return returns
