"""Replays: the same bytes whoever prices, and whatever cut them off."""

from pathlib import Path

import dealing
import pytest

from pricing.games import load_games
from pricing.replay.errors import InvalidRun
from pricing.replay.run import Plan, replay
from pricing.replay.workers import start_workers

GAME = load_games()["bet-on-baccarat"]


def run(out: Path, workers: int = 1, source: str = "test") -> dict[str, bytes]:
    with start_workers(None, workers) as hands:
        replay(Plan(GAME, out, {"seed": source}, 2), dealing.deal_many(5), hands, lambda _: None)
    return contents(out)


def contents(out: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in out.iterdir()}


def test_two_processes_write_what_one_writes(tmp_path: Path) -> None:
    alone = run(tmp_path / "one")
    assert sorted(alone) == ["_replay.json", *(f"part-{number:06}.parquet" for number in range(3))]
    assert run(tmp_path / "two", workers=2) == alone


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    plan = Plan(GAME, tmp_path / "cut", {"seed": "test"}, 2)
    with start_workers(None, 1) as hands, pytest.raises(KeyboardInterrupt):
        replay(plan, dealing.deal_many(5), hands, interrupt)
    assert set(contents(plan.out)) < set(whole)
    assert run(plan.out) == whole


def test_the_output_of_something_else_is_left_alone(tmp_path: Path) -> None:
    run(tmp_path / "out")
    with pytest.raises(InvalidRun, match="another run"):
        run(tmp_path / "out", source="other")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    with pytest.raises(InvalidRun, match="other files"):
        run(tmp_path / "notes")
