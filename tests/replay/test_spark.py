"""Replay on a real Spark of this machine."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import dealing
import pytest
from pyspark.sql import SparkSession

from pricing.games import load_games
from pricing.replay.arrow import batch_of
from pricing.replay.pricing import price_shoes
from pricing.replay.spark import price_frame

GAME = load_games()["bet-on-baccarat"]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings: Any = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2]").config(map=settings)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore")
def test_spark_gives_the_same_rows(spark: SparkSession) -> None:
    import pyarrow as pa

    shoes = batch_of(dealing.deal_many(3))
    frame = spark.createDataFrame(pa.Table.from_batches([shoes]))
    rows = price_frame(frame, GAME).toArrow().to_pylist()
    here = price_shoes(shoes, GAME).to_pylist()
    assert sorted(rows, key=str) == sorted(here, key=str)
