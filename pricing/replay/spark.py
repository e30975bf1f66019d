"""Replay on Spark: the same function of Arrow batches, run by ``mapInArrow``."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from pricing.domain.game import GameType
from pricing.domain.policy import STANDING, Policy
from pricing.replay.columns import SCHEMA
from pricing.replay.pricing import price_shoes
from pricing.replay.workers import game_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def price_frame(shoes: "DataFrame", game: GameType, policy: Policy = STANDING) -> "DataFrame":
    """Price and settle every betting state of a frame of shoes, one a row as in `pricing.replay.arrow`.

    Args:
        shoes: The shoes.
        game: The game type by which they are priced.
        policy: What is set over the game type.

    Returns:
        The rows of `pricing.replay.columns`; in what order is Spark's to say.
    """
    from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415 - Spark is an extra

    return shoes.mapInArrow(partial(price_batches, game.text, policy), from_arrow_schema(SCHEMA))


def price_batches(game: str, policy: Policy, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Price batch by batch, by the text of a game type, as Spark's workers call it."""
    return (price_shoes(batch, game_of(game), policy) for batch in batches)
