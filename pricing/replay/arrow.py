"""Shoes as Arrow batches, one a row: the native form of Parquet files, and how shoes go from process to process."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import pyarrow as pa

from pricing.replay.shoes import Coup, Precision, ShoeRecord

GAME: Final = pa.struct([("number", pa.int64()), ("first", pa.int32()), ("void", pa.bool_()), ("usable", pa.bool_())])
"""A game: the place of its first card among the shoe's, from 0; it goes on to the next one's, without burned cards."""

SHOES: Final = pa.schema(
    [
        ("shoe", pa.string()),
        ("decks", pa.int8()),
        ("precision", pa.string()),
        ("cards", pa.binary()),
        ("burned", pa.list_(pa.int32())),
        ("games", pa.list_(GAME)),
        ("source", pa.string()),
    ]
)
"""A shoe a row: its cards as bytes of indexes in dealing order, the places of those that are of no game, its games."""


def batch_of(shoes: Iterable[ShoeRecord]) -> pa.RecordBatch:
    """The shoes as a batch."""
    return pa.RecordBatch.from_pylist([_row(shoe) for shoe in shoes], SHOES)


def shoes_of(batch: pa.RecordBatch) -> Iterator[ShoeRecord]:
    """The shoes of a batch."""
    return map(shoe_of, batch.to_pylist())


def _row(shoe: ShoeRecord) -> dict[str, Any]:
    played = {place for coup in shoe.coups for place in coup.places}
    # A game without cards begins where the next one does.
    firsts = [coup.places[0] if coup.places else None for coup in shoe.coups]
    following = len(shoe.cards)
    for number in reversed(range(len(firsts))):
        following = firsts[number] = following if (first := firsts[number]) is None else first
    games = [
        {"number": coup.number, "first": first, "void": coup.void, "usable": coup.usable}
        for coup, first in zip(shoe.coups, firsts, strict=True)
    ]
    return {
        "shoe": shoe.shoe,
        "decks": shoe.decks,
        "precision": shoe.precision.name,
        "cards": shoe.cards,
        "burned": [place for place in range(len(shoe.cards)) if place not in played],
        "games": games,
        "source": shoe.source,
    }


def shoe_of(row: Mapping[str, Any]) -> ShoeRecord:
    """The shoe of a row, as plain values.

    Raises:
        TypeError, KeyError, ValueError: It is not such a row.
    """
    burned = set(row["burned"])
    firsts = [game["first"] for game in row["games"]]
    coups = tuple(
        Coup(
            game["number"],
            tuple(place for place in range(first, after) if place not in burned),
            game["void"],
            game["usable"],
        )
        for game, (first, after) in zip(row["games"], pairwise([*firsts, len(row["cards"])]), strict=True)
    )
    return ShoeRecord(row["shoe"], row["decks"], Precision[row["precision"]], row["cards"], coups, row["source"])
