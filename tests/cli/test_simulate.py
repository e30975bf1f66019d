"""`baccarat-pricing simulate`: the same seed gives the same file, and both kinds of file the same shoes."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cli.calling import Cli

from pricing.games import load_games
from pricing.replay.arrow import shoes_of
from pricing.replay.read import read_shoes
from pricing.replay.shoes import ShoeRecord
from pricing.replay.simulate import House, simulate

GAME = load_games()["bet-on-baccarat"]


def parquet(path: Path) -> list[ShoeRecord]:
    return [shoe for batch in pq.ParquetFile(path).iter_batches() for shoe in shoes_of(batch)]


def test_same_seed_same_bytes(cli: Cli, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.parquet" for name in "abc"]
    for file, seed in zip(files, "778", strict=True):
        flags = ("--shoes", "600", "--seed", seed, "--burns", "0.01")
        assert cli("simulate", *flags, "--out", str(file)).code == 0
    first, second, other = (file.read_bytes() for file in files)
    assert first == second != other
    assert pq.ParquetFile(files[0]).num_row_groups == 2
    shoes = parquet(files[0])
    assert len(shoes) == 600
    assert shoes[:5] == [*simulate(House(GAME, burns=0.01), 7, range(5))]


def test_both_files_hold_the_same_shoes(cli: Cli, tmp_path: Path) -> None:
    flags = ("--shoes", "5", "--seed", "2", "--burns", "0.1", "--voids", "0.1")
    for name in ("shoes.parquet", "shoes.jsonl"):
        assert cli("simulate", *flags, "--out", str(tmp_path / name)).code == 0
    read = [*read_shoes([tmp_path / "shoes.jsonl"], GAME)]
    assert not any(findings for _, findings in read)
    checked = [*read_shoes([tmp_path / "shoes.parquet"], GAME)]
    assert checked == [(shoe, ()) for shoe in parquet(tmp_path / "shoes.parquet")]
    facts = [(shoe.shoe, shoe.decks, shoe.cards, shoe.coups) for shoe in parquet(tmp_path / "shoes.parquet")]
    assert [(shoe.shoe, shoe.decks, shoe.cards, shoe.coups) for shoe, _ in read] == facts


@pytest.mark.parametrize("flags", ["--out x.csv", "--burns 2", "--shoes 0", "--seed -1", "--game no-such"])
def test_bad_use_is_one_line(cli: Cli, flags: str) -> None:
    code, out, err = cli("simulate", *["--shoes", "1", "--seed", "1", "--out", "x.parquet"], *flags.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
