"""`baccarat-pricing replay`, as it is called."""

import json
import subprocess
import sys
from pathlib import Path

import dealing
import pyarrow.parquet as pq
import pytest

from pricing.replay.columns import SCHEMA
from pricing.replay.shoe_files import write_shoes


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pricing.cli", "replay", *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.fixture
def shoes(tmp_path: Path) -> Path:
    write_shoes(tmp_path / "shoes.parquet", dealing.deal_many(3))
    return tmp_path / "shoes.parquet"


def test_shoes_become_rows_and_a_report(shoes: Path, tmp_path: Path) -> None:
    out, page, numbers = tmp_path / "priced", tmp_path / "report.html", tmp_path / "report.json"
    ran = call(shoes, "--out", out, "--report", page, "--report", numbers)
    assert ran.returncode == 0, ran.stderr
    rows = pq.read_table(out)
    assert rows.schema == SCHEMA
    found = json.loads(numbers.read_text("utf-8"))
    assert len(found["bets"]) == 27
    assert sum(bet["games"] for bet in found["bets"]) == sum(each != "VOID" for each in rows["result"].to_pylist())
    text = page.read_text("utf-8")
    assert text.count("<svg") == 4
    assert "src=" not in text


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--report", "report.txt"], "--report: got 'report.txt'; allowed: a name that ends in .html or .json"),
        (["--engine", "ray://here"], "engine: got 'ray://here'; allowed: dask://HOST:PORT"),
    ],
)
def test_what_cannot_be_run_is_refused(shoes: Path, tmp_path: Path, flags: list[str], message: str) -> None:
    ran = call(shoes, "--out", tmp_path / "priced", *flags)
    assert ran.returncode == 2
    assert ran.stderr.strip().endswith(message)
