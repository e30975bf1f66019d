"""Parquet files in the native form, checked like every other source."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pricing.domain.cards import CARDS, POINTS, RANKS
from pricing.domain.game import GameType
from pricing.domain.shoe import DECKS
from pricing.replay.arrow import SHOES, batch_of, shoe_of
from pricing.replay.findings import Finding
from pricing.replay.readers.building import build_whole
from pricing.replay.readers.layouts import utf8
from pricing.replay.readers.notations import UnknownFormat, find_notation
from pricing.replay.readers.played import WholeShoe
from pricing.replay.shoes import UNREAD, Precision, ShoeRecord

_ROWS = 64
_WRITTEN = {
    Precision.CARDS: ("evolution", CARDS),
    Precision.RANKS: ("ranks", tuple(RANKS[card // 4] for card in range(52))),
    Precision.POINTS: ("points", tuple(str(points) for points in POINTS)),
}


def native_shoes(path: Path, game: GameType) -> Iterator[tuple[ShoeRecord, tuple[Finding, ...]]]:
    """The shoes of a Parquet file; a game that is not usable there stays so.

    Raises:
        UnknownFormat: No such file.
    """
    with _opened(path) as file:
        rows = (row for batch in file.iter_batches(_ROWS) for row in _cast(batch, path).to_pylist())
        for number, row in enumerate(rows, 1):
            place = f"{utf8(path.name)}:{number}"
            try:
                _check(row)
                shoe = shoe_of(row)
            except (TypeError, KeyError, ValueError) as error:
                raise UnknownFormat(place, f"a row that is no shoe: {error}", "every value of a shoe") from None
            yield _checked(shoe, place, game)


def _check(row: Mapping[str, Any]) -> None:
    """Check what the types of the columns do not say.

    Raises:
        TypeError, ValueError: What is wrong.
    """
    firsts, cards = [game["first"] for game in row["games"]], len(row["cards"])
    if firsts != sorted(firsts) or not all(0 <= first <= cards for first in firsts):
        raise ValueError(f"games that begin at {firsts}, of {cards} cards")
    if not all(0 <= place < cards for place in row["burned"]):
        raise ValueError(f"burned cards at {row['burned']}, of {cards}")
    if row["decks"] not in DECKS:
        raise ValueError(f"{row['decks']} decks")
    if None in (row["shoe"], *row["burned"], *(value for game in row["games"] for value in game.values())):
        raise TypeError("a value is missing")


def _cast(batch: pa.RecordBatch, path: Path) -> pa.RecordBatch:
    """The batch with the types of the native form, if its numbers fit."""
    try:
        if "source" not in batch.schema.names:
            batch = batch.append_column("source", pa.array([""] * len(batch), pa.string()))
        return batch.select(SHOES.names).cast(SHOES)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UnknownFormat(utf8(path.name), str(error), _allowed()) from None


def _allowed() -> str:
    return f"a Parquet file with the columns {', '.join(f'{field.name} ({field.type})' for field in SHOES)}"


def native_rows(path: Path) -> int:
    """How many shoes a Parquet file holds.

    Raises:
        UnknownFormat: No such file.
    """
    with _opened(path) as file:
        return int(file.metadata.num_rows)


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    try:
        with pq.ParquetFile(path) as file:
            if not {*SHOES.names} - {"source"} <= {*file.schema_arrow.names}:
                raise UnknownFormat(utf8(path.name), ", ".join(file.schema_arrow.names), _allowed())
            yield file
    except pa.ArrowInvalid as error:
        raise UnknownFormat(utf8(path.name), str(error), _allowed()) from None


def _checked(shoe: ShoeRecord, place: str, game: GameType) -> tuple[ShoeRecord, tuple[Finding, ...]]:
    name, texts = _WRITTEN[shoe.precision]
    (row,) = batch_of([shoe]).to_pylist()
    cards = ["?" if card == UNREAD else texts[card] if card < len(texts) else f"byte {card}" for card in shoe.cards]
    whole = WholeShoe(place, shoe.shoe, shoe.decks, cards, frozenset(row["burned"]), row["games"])
    found, findings = build_whole(whole, find_notation(name), game).finish(shoe.shoe, shoe.source)
    unusable = {coup.number for coup in shoe.coups if not coup.usable}
    coups = tuple(coup._replace(usable=coup.usable and coup.number not in unusable) for coup in found.coups)
    return ShoeRecord(found.shoe, found.decks, found.precision, found.cards, coups, found.source), findings
