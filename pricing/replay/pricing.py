"""From shoes to priced and settled betting states: a pure function of an Arrow batch, whoever runs it."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pricing.domain.bets import Result
from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.engine.many import Offers, States, offer_many
from pricing.engine.quote import OfferState
from pricing.replay.arrow import shoes_of
from pricing.replay.columns import SCHEMA
from pricing.replay.precision import TEXTS, priceable
from pricing.replay.shoes import Precision
from pricing.replay.states import RESULTS, Betting, Places, betting_states

_RESULT_NAMES = pa.array([result.name for result in RESULTS])
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
    can = np.array([priceable(game, each.precision) for each in found.shoes], bool).reshape(-1, len(game.bets))
    states, bets = np.nonzero(can[found.shoe])
    columns = _of_states(found, arrays, states) | _of_bets(game, found, offers, states, bets)
    return pa.record_batch([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _of_states(found: Betting, arrays: States, states: Places) -> dict[str, pa.Array]:
    """The columns that all bets of a state share."""
    shoes = pa.array([shoe.shoe for shoe in found.shoes], pa.string())
    return {
        "shoe": shoes.take(pa.array(found.shoe[states])),
        "cards": _texts(found, arrays, states),
        "game": pa.array(found.game[states].astype(np.int32)),
        "round": pa.array(found.round[states].astype(np.int8)),
        "gone": pa.array(found.gone[states].astype(np.int16)),
    }


def _texts(found: Betting, arrays: States, states: Places) -> pa.Array:
    """The cards on the table; each text is made once."""
    precisions = np.array([shoe.precision for shoe in found.shoes], np.uint8)[found.shoe]
    there = np.arange(arrays.dealt.shape[1]) < arrays.lengths[:, None]
    keys = np.column_stack([precisions, arrays.lengths, np.where(there, arrays.dealt, 0)])
    each, places = np.unique(np.ascontiguousarray(keys).view(f"V{keys.shape[1]}").ravel(), return_inverse=True)
    texts = [_text(bytes(key)) for key in each.tolist()]
    return pa.array(texts, pa.string()).take(pa.array(places[states]))


def _text(key: bytes) -> str:
    precision, length, *dealt = key
    return " ".join(TEXTS[Precision(precision)][card] for card in dealt[:length])


def _of_bets(game: GameType, found: Betting, offers: Offers, states: Places, bets: Places) -> dict[str, pa.Array]:
    """The columns of a bet in a state."""
    odds, returns = offers.odds[states, bets], offers.returns[states, bets]
    active = offers.active[states, bets]
    ended = found.results[states, bets]
    paid = _paid(ended, np.where(np.isnan(odds), found.payouts[states, bets], odds), active)
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


def _paid(ended: NDArray[np.uint8], won: NDArray[np.float64], active: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What a unit staked came back as; not a number where none could be staked or it is not known."""
    paid = np.full(len(ended), np.nan)
    for result, back in ((Result.LOST, 0.0), (Result.PUSH, 1.0), (Result.VOID, 1.0)):
        paid[ended == RESULTS[result]] = back
    paid = np.where(ended == RESULTS[Result.WON], won, paid)
    paid[~active] = np.nan
    return paid
