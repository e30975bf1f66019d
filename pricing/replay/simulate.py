"""Simulated shoes, dealt as a house does. Each shoe has a random stream of its own: it is the same in every run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pricing.domain.cards import CARDS, POINTS
from pricing.domain.coup import FULL_COUP, next_side
from pricing.domain.drawing import DrawingRules
from pricing.domain.game import GameType
from pricing.replay.arrow import SHOES, batch_of
from pricing.replay.shoes import Coup, Precision, ShoeRecord

ROW_GROUP: Final = 512
"""Shoes of a row group, or of a piece in memory."""


@dataclass(frozen=True, slots=True)
class House:
    """How a house deals."""

    game: GameType
    burns: float = 0.0
    """How often a card is burned before a game, 0 to 1."""
    voids: float = 0.0
    """How often a game is void, 0 to 1; its cards are gone all the same."""


def simulate(house: House, seed: int, numbers: range) -> Iterator[ShoeRecord]:
    """Deal the shoes of these numbers, from 0.

    >>> from pricing.games import load_games
    >>> house = House(load_games()["bet-on-baccarat"])
    >>> next(simulate(house, 1, range(7, 8))) == [*simulate(house, 1, range(9))][7]
    True
    """
    lengths = _lengths(house.game.drawing)
    full = np.tile(np.arange(len(CARDS), dtype=np.uint8), house.game.decks)
    for number in numbers:
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(number,))))
        yield _shoe(house, f"{seed}-{number + 1}", rng, full, lengths)


def write_parquet(path: Path, shoes: Iterator[ShoeRecord]) -> int:
    """Write shoes to a Parquet file in its native form, row group by row group; how many there were."""
    count = 0
    with pq.ParquetWriter(path, SHOES, compression="zstd") as writer:
        for batch in _batches(shoes):
            writer.write_batch(batch, row_group_size=ROW_GROUP)
            count += batch.num_rows
    return count


def native(shoe: ShoeRecord) -> dict[str, Any]:
    """A shoe as a line of the native form in JSON Lines: cards as text, places from 0."""
    (row,) = batch_of([shoe]).to_pylist()
    games = [{key: game[key] for key in ("number", "first", "void")} for game in row["games"]]
    cards = " ".join(CARDS[card] for card in shoe.cards)
    return {"shoe": shoe.shoe, "decks": shoe.decks, "cards": cards, "burned": row["burned"], "games": games}


def _batches(shoes: Iterator[ShoeRecord]) -> Iterator[pa.RecordBatch]:
    for first in shoes:
        yield batch_of(chain([first], (shoe for _, shoe in zip(range(ROW_GROUP - 1), shoes, strict=False))))


def _shoe(house: House, name: str, rng: np.random.Generator, full: NDArray[np.uint8], lengths: bytes) -> ShoeRecord:
    cards = rng.permutation(full).tobytes()
    change = house.game.shoe_change
    chances = rng.random((len(cards) // 4, 2)).tolist() if house.burns or house.voids else None
    coups: list[Coup] = []
    place, more_games = 0, change.games_after
    while len(cards) - place > FULL_COUP:
        burned, void = (False, False) if chances is None else _fate(house, chances[len(coups)])
        place += burned
        end = place + lengths[_key(cards[place : place + FULL_COUP])]
        coups.append(Coup(len(coups) + 1, tuple(range(place, end)), void))
        place = end
        if len(cards) - place < change.below:
            if not more_games:
                break
            more_games -= 1
    return ShoeRecord(name, house.game.decks, Precision.CARDS, cards[:place], tuple(coups), "simulated")


def _fate(house: House, chances: Sequence[float]) -> tuple[bool, bool]:
    return chances[0] < house.burns, chances[1] < house.voids


def _key(cards: bytes) -> int:
    """All that a coup's length depends on: both two-card totals, and what the fifth card counts."""
    player, banker = (POINTS[cards[0]] + POINTS[cards[2]]) % 10, (POINTS[cards[1]] + POINTS[cards[3]]) % 10
    return player * 100 + banker * 10 + POINTS[cards[4]]


def _lengths(rules: DrawingRules) -> bytes:
    """How many cards a coup takes, by ``_key``."""
    return bytes(_length(key // 100, key // 10 % 10, key % 10, rules) for key in range(1000))


def _length(player: int, banker: int, fifth: int, rules: DrawingRules) -> int:
    hands = {1: [player, 0], 2: [banker, 0]}
    for dealt in (4, 5):
        side = next_side(hands[1], hands[2], rules)
        if side is None:
            return dealt
        hands[side].append(fifth)
    return FULL_COUP
