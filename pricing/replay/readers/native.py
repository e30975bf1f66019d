"""Parquet files in the native form, checked like every other source."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pricing.domain.cards import CARDS, POINTS, RANKS
from pricing.domain.game import GameType
from pricing.replay.arrow import SHOES, batch_of, shoes_of
from pricing.replay.findings import Finding
from pricing.replay.readers.building import build_whole
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
        row = 0
        for batch in file.iter_batches(_ROWS):
            for row, shoe in enumerate(shoes_of(batch), row + 1):  # noqa: B020 - goes on counting
                yield _checked(shoe, f"{path.name}:{row}", game)


def native_rows(path: Path) -> int:
    """How many shoes a Parquet file holds.

    Raises:
        UnknownFormat: No such file.
    """
    with _opened(path) as file:
        return int(file.metadata.num_rows)


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    allowed = f"a Parquet file with the columns {', '.join(SHOES.names)}"
    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(SHOES):
                raise UnknownFormat(path.name, ", ".join(file.schema_arrow.names), allowed)
            yield file
    except pa.ArrowInvalid as error:
        raise UnknownFormat(path.name, str(error), allowed) from None


def _checked(shoe: ShoeRecord, place: str, game: GameType) -> tuple[ShoeRecord, tuple[Finding, ...]]:
    name, texts = _WRITTEN[shoe.precision]
    (row,) = batch_of([shoe]).to_pylist()
    cards = ["?" if card == UNREAD else texts[card] if card < len(texts) else f"byte {card}" for card in shoe.cards]
    whole = WholeShoe(place, shoe.shoe, shoe.decks, cards, frozenset(row["burned"]), row["games"])
    found, findings = build_whole(whole, find_notation(name), game).finish(shoe.shoe, shoe.source)
    unusable = {coup.number for coup in shoe.coups if not coup.usable}
    coups = tuple(coup._replace(usable=coup.usable and coup.number not in unusable) for coup in found.coups)
    return ShoeRecord(found.shoe, found.decks, found.precision, found.cards, coups, found.source), findings
