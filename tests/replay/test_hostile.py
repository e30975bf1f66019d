"""Archives as nobody should write them: a finding or one line, never a traceback, and never a price that is wrong."""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import dealing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pricing.games import load_games
from pricing.replay.arrow import SHOES, batch_of
from pricing.replay.findings import Finding, FindingKind
from pricing.replay.pricing import price_shoes
from pricing.replay.read import read_shoes
from pricing.replay.readers.notations import UnknownFormat
from pricing.replay.shoes import ShoeRecord
from pricing.replay.simulate import native

GAME = load_games()["bet-on-baccarat"]
COUPS = ["6D 4D 6H 9S 2S 4S", "7C 8C JH 7D 7C", "8H 2S 6C 9C 6C TD", "4C KD KH 6D QS", "KH 8S 6D 5D AD"]
SHOE = dealing.deal(3)


def read(folder: Path, *records: Any, name: str = "data") -> tuple[list[ShoeRecord], list[Finding]]:
    """What a file of JSON Lines is read as; it can be priced, whatever it is."""
    file = folder / name
    file.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    found = [*read_shoes([file], GAME)]
    shoes = [shoe for shoe, _ in found]
    price_shoes(batch_of(shoes), GAME)
    return shoes, [finding for _, findings in found for finding in findings]


def gone(shoe: ShoeRecord) -> list[int]:
    """How many cards had left the shoe before each game that is priced."""
    return [coup.places[0] for coup in shoe.coups if coup.usable]


def games(shoe: str, *coups: str) -> list[dict[str, Any]]:
    return [{"shoe": shoe, "cards": each} for each in coups]


def test_a_game_of_too_many_cards_is_no_shoe(tmp_path: Path) -> None:
    (shoe,), (finding,) = read(tmp_path, *games("A", *COUPS[:2], "9H 2H KH 3S 5C 6C 7C", *COUPS[3:]))
    assert finding.kind is FindingKind.DRAWING
    assert gone(shoe) == [0, 6, 18, 23]


@pytest.mark.parametrize("numbered", [False, True])
def test_shoes_that_take_turns_go_on_nowhere(tmp_path: Path, numbered: bool) -> None:
    both = chain.from_iterable(zip(games("A", *COUPS), games("B", *COUPS), strict=True))
    rows = [row | ({"number": place // 2 + 1} if numbered else {}) for place, row in enumerate(both)]
    shoes, findings = read(tmp_path, *rows)
    assert [bool(gone(shoe)) for shoe in shoes] == [True, True, *[False] * 8]
    assert {finding.kind for finding in findings} == {FindingKind.BOUNDARY}


def test_what_nobody_could_read_parts_no_games(tmp_path: Path) -> None:
    cards = " ".join(COUPS).split()
    (shoe,), findings = read(tmp_path, {"shoe": "A", "cards": [*cards[:13], "?", *cards[14:]]})
    assert gone(shoe) == [0, 6]
    assert len(shoe.cards) == len(cards)
    assert [finding.kind for finding in findings] == [FindingKind.BOUNDARY]


@pytest.mark.parametrize("burned", ["12", " 12", [12], "12,", ["12"]])
def test_places_of_burned_cards_may_be_a_text(tmp_path: Path, burned: Any) -> None:
    cards = f"{COUPS[0]} {COUPS[2]} 9H {COUPS[1]}"
    (shoe,), findings = read(tmp_path, {"shoe": "A", "cards": cards, "burned": burned})
    assert (gone(shoe), findings) == ([0, 6, 13], [])


@pytest.mark.parametrize("decks", [30, 0.5, -1, 1e999, "many", [6], True, 6.5])
def test_decks_that_there_are_not(tmp_path: Path, decks: Any) -> None:
    _, findings = read(tmp_path, *games("A", COUPS[0]), {"shoe": "A", "cards": COUPS[1], "decks": decks})
    assert [finding.kind for finding in findings] == [FindingKind.RECORD]


def test_a_void_game_may_have_any_cards(tmp_path: Path) -> None:
    void = {"shoe": "A", "cards": "9H 2H KH 3S 5C 6C 7C", "void": True}
    (shoe,), findings = read(tmp_path, *games("A", COUPS[0]), void, *games("A", COUPS[1]))
    assert (gone(shoe), findings) == ([0, 13], [])


@pytest.mark.parametrize("number", [20240101123045, "x", -1, 10**30, None, [1]])
def test_numbers_of_games(tmp_path: Path, number: Any) -> None:
    (shoe,), findings = read(tmp_path, {"shoe": "A", "number": number, "cards": COUPS[0]})
    assert findings == []
    assert shoe.coups[0].number == (number if number == 20240101123045 else 1)


def test_games_alike_by_chance_are_no_duplicates(tmp_path: Path) -> None:
    """Of ranks alone, in a row, in one shoe."""
    (shoe,), findings = read(tmp_path, {"shoe": "A", "cards": "9 2 K 3 9 2 K 3 8 2 K 4 8 2 K 4"})
    assert (gone(shoe), findings) == ([0, 4, 8, 12], [])


ORDERS = {"newest first": [4, 3, 2, 1], "swapped": [1, 3, 2, 4], "gap": [1, 2, 4, 5], "again": [1, 2, 1, 2]}
USABLE = {"newest first": 1, "swapped": 1, "gap": 2, "again": 2}


@pytest.mark.parametrize("order", ORDERS)
def test_games_out_of_order(tmp_path: Path, order: str) -> None:
    """What left the shoe before them is not known."""
    rows = [{"shoe": "A", "number": number, "cards": COUPS[number - 1]} for number in ORDERS[order]]
    (shoe,), findings = read(tmp_path, *rows)
    assert {finding.kind for finding in findings} == {FindingKind.BOUNDARY}
    assert len(gone(shoe)) == USABLE[order]


def test_numbers_that_count_something_else_are_no_gaps(tmp_path: Path) -> None:
    rows = [{"shoe": "A", "number": 7_000 + 13 * place, "cards": coup} for place, coup in enumerate(COUPS)]
    (shoe,), findings = read(tmp_path, *rows)
    assert (len(gone(shoe)), findings) == (5, [])


def test_numbers_part_shoes_that_nobody_names(tmp_path: Path) -> None:
    rows = [{"number": number, "cards": COUPS[number - 1]} for number in (1, 2, 3, 1, 2)]
    shoes, findings = read(tmp_path, *rows)
    assert ([gone(shoe) for shoe in shoes], findings) == ([[0, 6, 11], [0, 6]], [])


@pytest.mark.parametrize("parquet", [False, True])
def test_a_shoe_in_two_files(tmp_path: Path, parquet: bool) -> None:
    files = [tmp_path / f"{name}.{'parquet' if parquet else 'jsonl'}" for name in ("one", "two")]
    for file in files:
        if parquet:
            pq.write_table(pa.Table.from_batches([batch_of([SHOE])]), file)
        else:
            file.write_text(json.dumps(native(SHOE)) + "\n", "utf-8")
    (first, _), (second, findings) = read_shoes(files, GAME)
    assert gone(first)
    assert not gone(second)
    assert [finding.kind for finding in findings] == [FindingKind.BOUNDARY]


@pytest.mark.parametrize(
    ("void", "is_void"), [(1.0, True), ("Y", True), ("void", True), ("false", False), (0.0, False)]
)
def test_games_that_are_void(tmp_path: Path, void: Any, is_void: bool) -> None:
    (shoe,), _ = read(tmp_path, {"shoe": "A", "number": 1.0, "decks": "6.0", "cards": COUPS[0], "void": void})
    assert shoe.coups[0].void is is_void
    whole = {"shoe": "A", "cards": COUPS[0], "games": [{"number": 1, "first": 0, "void": void}]}
    (shoe,), _ = read(tmp_path, whole)
    assert shoe.coups[0].void is is_void


def test_a_shoe_that_is_written_twice(tmp_path: Path) -> None:
    for named in ({"shoe": "A"}, {}):
        shoes, findings = read(tmp_path, *[named | {"cards": " ".join(COUPS)}] * 2)
        assert [len(gone(shoe)) for shoe in shoes] == [5, 0]
        assert [finding.kind for finding in findings] == [FindingKind.BOUNDARY]


def test_texts_that_are_no_utf8(tmp_path: Path) -> None:
    (shoe,), _ = read(tmp_path, *games("\ud800", COUPS[0]), name="sch\udce9.jsonl")
    assert (shoe.shoe, shoe.source) == ("?", "sch?.jsonl")


def test_lines_and_files_of_any_length(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("shoe,cards\nA," + "9S " * 200_000 + "\nA,9S KD 2C 3C\n", "utf-8")
    ((first, _), *_) = read_shoes([file], GAME)
    assert len(gone(first)) == 1
    file.write_text(f"{COUPS[0]}\n{COUPS[1]}\n" * 4_000, "utf-8")
    ((shoe, findings),) = read_shoes([file], GAME)
    price_shoes(batch_of([shoe]), GAME)
    assert FindingKind.TOO_MANY in {finding.kind for finding in findings}


def written(folder: Path, **changed: Any) -> Path:
    (row,) = batch_of([SHOE]).to_pylist()
    file = folder / "shoes.parquet"
    pq.write_table(pa.Table.from_pylist([row | changed], SHOES), file)
    return file


@pytest.mark.parametrize(
    "changed",
    [
        {"precision": None},
        {"precision": "X"},
        {"cards": None},
        {"burned": None},
        {"games": None},
        {"shoe": None},
        {"decks": 30},
        {"games": [{"number": 1, "first": None, "void": False, "usable": True}]},
        {"burned": [-1, 9999]},
        {"games": [{"number": 1, "first": -1, "void": False, "usable": True}]},
        {"games": [{"number": 1, "first": 0, "void": None, "usable": True}]},
    ],
)
def test_a_row_that_is_no_shoe(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(UnknownFormat, match=r"shoes.parquet:1: got .a row that is no shoe"):
        list(read_shoes([written(tmp_path, **changed)], GAME))


def test_wider_numbers_are_numbers(tmp_path: Path) -> None:
    table = pq.read_table(written(tmp_path))
    place = table.schema.get_field_index("decks")
    pq.write_table(table.set_column(place, "decks", table["decks"].cast(pa.int64())), tmp_path / "wide.parquet")
    ((shoe, findings),) = read_shoes([tmp_path / "wide.parquet"], GAME)
    assert (native(shoe), findings) == (native(SHOE), ())


def test_columns_may_stand_in_any_order_and_beside_others(tmp_path: Path) -> None:
    table = pq.read_table(written(tmp_path)).drop_columns(["source"])
    table = table.select(table.column_names[::-1]).append_column("more", pa.array([1]))
    pq.write_table(table, tmp_path / "other.parquet")
    ((shoe, findings),) = read_shoes([tmp_path / "other.parquet"], GAME)
    assert (native(shoe), findings) == (native(SHOE), ())
