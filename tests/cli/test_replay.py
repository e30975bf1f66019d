"""`baccarat-pricing replay`, as it is called."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import dealing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pricing.replay.arrow import batch_of
from pricing.replay.columns import SCHEMA


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pricing.cli", "replay", *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.fixture
def shoes(tmp_path: Path) -> Path:
    pq.write_table(pa.Table.from_batches([batch_of(dealing.deal_many(3))]), tmp_path / "shoes.parquet")
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


def test_dirty_games_are_told_and_set_aside(tmp_path: Path) -> None:
    source, out, told = tmp_path / "coups.txt", tmp_path / "priced", tmp_path / "findings.jsonl"
    source.write_text("6D 4D 6H 9S 2S 4S\n7C 8C JH 7D\n4C KD KH 6D QS\n")
    numbers = tmp_path / "report.json"
    assert call(source, "--out", out, "--strict").returncode == 2
    ran = call(source, "--out", out, "--findings", told, "--report", numbers)
    assert (ran.returncode, "1 findings: 1 drawing" in ran.stderr) == (0, True), ran.stderr
    (finding,) = map(json.loads, told.read_text("utf-8").splitlines())
    assert (finding["place"], finding["kind"]) == ("coups.txt:2", "drawing")
    assert [each["kind"] for each in json.loads(numbers.read_text("utf-8"))["findings"]] == ["drawing"]
    rows = pq.read_table(out)
    assert set(rows["game"].to_pylist()) == {1, 3}
    assert rows.filter(pa.compute.equal(rows["game"], 3))["gone"][0].as_py() == 10


def test_a_policy_is_set_over_the_game_type(shoes: Path, tmp_path: Path) -> None:
    policy, out = tmp_path / "policy.json", tmp_path / "priced"
    policy.write_text('{"rules": [{"bet": "tie", "closed": true}, {"bet": "big", "margin_shift": "0.05"}]}')
    assert call(shoes, "--out", out, "--policy", policy).returncode == 0
    assert call(shoes, "--out", tmp_path / "standing").returncode == 0
    shifted, standing = (pq.read_table(folder).to_pylist() for folder in (out, tmp_path / "standing"))
    assert {row["state"] for row in shifted if row["bet"] == "tie"} == {"INACTIVE"}
    pairs = [(one["odds"], two["odds"]) for one, two in zip(shifted, standing, strict=True) if one["bet"] == "big"]
    assert all(one <= two for one, two in pairs if one and two)
    assert any(one < two for one, two in pairs if one and two)
    ran = call(shoes, "--out", out, "--policy", policy.with_name("none.json"))
    assert (ran.returncode, "none.json" in ran.stderr) == (2, True)
    policy.write_text('{"rules": [{"bet": "frob"}]}')
    assert "rules[0].bet: got 'frob'" in call(shoes, "--out", out, "--policy", policy).stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--engine", "dask://x"], "engine: got 'dask://x'; allowed: dask://HOST:PORT"),
        (["--engine", "dask://x:1/y"], "allowed: dask://HOST:PORT"),
    ],
)
def test_an_engine_that_is_none_is_refused_at_once(shoes: Path, tmp_path: Path, flags: list[str], message: str) -> None:
    ran = call(shoes, "--out", tmp_path / "priced", *flags)
    assert (ran.returncode, message in ran.stderr) == (2, True)


def test_what_a_full_disk_left_is_gone_on_from(shoes: Path, tmp_path: Path) -> None:
    out = tmp_path / "priced"
    out.mkdir()
    (out / "._replay.json.7.half").write_text("{")
    assert call(shoes, "--out", out).returncode == 0
    (out / "_replay.json").write_text("{")
    ran = call(shoes, "--out", out)
    assert (ran.returncode, "the output of another run" in ran.stderr) == (2, True)


def test_a_pipe_is_no_archive(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    ran = call(tmp_path / "pipe", "--out", tmp_path / "priced")
    assert (ran.returncode, "allowed: files, as they are read more than once" in ran.stderr) == (2, True)


def test_a_clean_run_leaves_no_old_findings(shoes: Path, tmp_path: Path) -> None:
    told = tmp_path / "findings.jsonl"
    told.write_text("of another run")
    assert call(shoes, "--out", tmp_path / "priced", "--findings", told).returncode == 0
    assert told.read_text() == ""


def runs(process: int) -> bool:
    """Whether a process is there, and not only until somebody asks how it ended."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def workers_of(process: int) -> list[int]:
    """Its children that price, of those that multiprocessing starts."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == process and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


@pytest.mark.parametrize("killed", ["worker", "parent"])
def test_workers_end_with_who_started_them_and_tell_when_one_dies(tmp_path: Path, killed: str) -> None:
    source = tmp_path / "shoes.parquet"
    pq.write_table(pa.Table.from_batches([batch_of(dealing.deal_many(300))]), source)
    command = [sys.executable, "-m", "pricing.cli", "replay", str(source), "--out", str(tmp_path / "priced")]
    command += ["--workers", "2", "--part", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while len(workers := workers_of(process.pid)) < 2 or not list((tmp_path / "priced").glob("part-*")):
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(workers[0] if killed == "worker" else process.pid, signal.SIGKILL)
        _, err = process.communicate(timeout=30)  # which workers that live on would keep from ending
    if killed == "worker":
        assert process.returncode == 1
        assert err.splitlines()[-1].endswith("has died; the same command goes on from what is done")
    assert not any(runs(worker) for worker in workers)


@pytest.mark.parametrize("flag", ["--findings", "--report"])
def test_what_is_read_is_not_written_over(tmp_path: Path, flag: str) -> None:
    source = tmp_path / "coups.json"
    source.write_text(text := '[{"shoe": 1, "cards": "6D 4D 6H 9S 2S 4S"}]')
    ran = call(source, "--out", tmp_path / "priced", flag, source)
    assert (ran.returncode, "allowed: other files than FILES" in ran.stderr) == (2, True)
    assert source.read_text() == text


def test_a_damaged_part_is_said(shoes: Path, tmp_path: Path) -> None:
    assert call(shoes, "--out", tmp_path / "priced").returncode == 0
    (part,) = (tmp_path / "priced").glob("part-*")
    part.write_bytes(part.read_bytes()[:100])
    ran = call(shoes, "--out", tmp_path / "priced")
    assert (ran.returncode, "which is damaged; allowed: " in ran.stderr.replace("'", "")) == (2, True)
