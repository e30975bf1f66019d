"""Replay on Spark: the same function of Arrow batches, run by ``mapInArrow``."""

from collections.abc import Iterable, Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from pricing.domain.game import GameType
from pricing.replay.columns import SCHEMA
from pricing.replay.pricing import price_shoes
from pricing.replay.workers import game_of


def price_frame(shoes: DataFrame, game: GameType) -> DataFrame:
    """Price and settle every betting state of a frame of shoes, one a row as in `pricing.replay.arrow`.

    Args:
        shoes: The shoes.
        game: The game type by which they are priced.

    Returns:
        The rows of `pricing.replay.columns`; in what order is Spark's to say.
    """
    return shoes.mapInArrow(partial(price_batches, game.text), from_arrow_schema(SCHEMA))


def price_batches(game: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Price batch by batch, by the text of a game type, as Spark's workers call it."""
    return (price_shoes(batch, game_of(game)) for batch in batches)
