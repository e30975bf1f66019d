"""From shoes to priced and settled betting states: a pure function of an Arrow batch, whoever runs it."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pricing.domain.bets import Result
from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.engine.many import Offers, offer_many
from pricing.engine.quote import OfferState
from pricing.replay.arrow import shoes_of
from pricing.replay.columns import SCHEMA
from pricing.replay.precision import TEXTS, priceable
from pricing.replay.states import Betting, betting_states

Places = NDArray[np.intp]

_RESULTS = {result: place for place, result in enumerate(Result)}
_RESULT_NAMES = pa.array([result.name for result in Result])
_STATE_NAMES = pa.array([OfferState.INACTIVE.name, OfferState.ACTIVE.name])


def price_shoes(shoes: pa.RecordBatch, game: GameType, policy: Policy = STANDING) -> pa.RecordBatch:
    """Price and settle every betting state.

    Args:
        shoes: Shoes, one a row, as `pricing.replay.arrow` has them.
        game: The game type by which they are priced.
        policy: What is set over the game type.

    Returns:
        Rows of the columns of `pricing.replay.columns`, in the order of shoes, games, rounds and bets.
    """
    found, arrays = betting_states(game, shoes_of(shoes))
    offers = offer_many(game, arrays, policy)
    can = np.array([priceable(game, each.shoe.precision) for each in found], bool).reshape(len(found), len(game.bets))
    states, bets = np.nonzero(can)
    columns = _of_states(found, states) | _of_bets(game, found, offers, states, bets)
    return pa.record_batch([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _of_states(found: Sequence[Betting], states: Places) -> dict[str, pa.Array]:
    """The columns that all bets of a state share."""
    texts = [" ".join(TEXTS[each.shoe.precision][card] for card in each.dealt) for each in found]
    values = {
        "shoe": [each.shoe.shoe for each in found],
        "game": [each.game for each in found],
        "round": [each.round for each in found],
        "cards": texts,
        "gone": [each.gone for each in found],
    }
    return {name: pa.array(each, SCHEMA.field(name).type).take(pa.array(states)) for name, each in values.items()}


def _of_bets(
    game: GameType, found: Sequence[Betting], offers: Offers, states: Places, bets: Places
) -> dict[str, pa.Array]:
    """The columns of a bet in a state."""
    shape = (len(found), len(game.bets))
    results = np.array([[_RESULTS[each] for each in state.settled.results] for state in found], np.int8).reshape(shape)
    payouts = np.array([state.settled.payouts for state in found], np.float64).reshape(shape)
    odds, returns = offers.odds[states, bets], offers.returns[states, bets]
    active = offers.active[states, bets]
    ended = results[states, bets]
    paid = _paid(ended, np.where(np.isnan(odds), payouts[states, bets], odds), active)
    return {
        "bet": pa.array([bet.id for bet in game.bets]).take(pa.array(bets)),
        "ways": pa.array(offers.total[states]),
        "win_ways": pa.array(offers.ways[states, bets, 0]),
        "push_ways": pa.array(offers.ways[states, bets, 1]),
        "state": _STATE_NAMES.take(pa.array(active.astype(np.int8))),
        "odds": pa.array(odds, from_pandas=True),
        "return": pa.array(returns, from_pandas=True),
        "result": _RESULT_NAMES.take(pa.array(ended)),
        "paid": pa.array(paid, from_pandas=True),
    }


def _paid(ended: NDArray[np.int8], won: NDArray[np.float64], active: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What a unit staked came back as; not a number where none could be staked or it is not known."""
    paid = np.full(len(ended), np.nan)
    for result, back in ((Result.LOST, 0.0), (Result.PUSH, 1.0), (Result.VOID, 1.0)):
        paid[ended == _RESULTS[result]] = back
    paid = np.where(ended == _RESULTS[Result.WON], won, paid)
    paid[~active] = np.nan
    return paid
