"""The function that Spark's workers run, called as ``mapInArrow`` calls it."""

import pickle
from functools import partial

import dealing
import pyarrow as pa

from pricing.domain.policy import STANDING
from pricing.games import load_games
from pricing.replay.arrow import batch_of
from pricing.replay.pricing import price_shoes
from pricing.replay.spark import price_batches

GAME = load_games()["bet-on-baccarat"]


def test_batches_give_the_same_rows_wherever_they_are_cut() -> None:
    shoes = batch_of(dealing.deal_many(3))
    sent = pickle.loads(pickle.dumps(partial(price_batches, GAME.text, STANDING)))  # as it goes to a worker
    rows = pa.Table.from_batches(sent(iter([shoes.slice(0, 2), shoes.slice(2)])))
    assert rows == pa.Table.from_batches([price_shoes(shoes, GAME)])
