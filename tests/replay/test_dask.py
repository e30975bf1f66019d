"""Replay on Dask: real workers, one of which is killed on the way."""

import os
import signal
from pathlib import Path

import dealing
import pytest

from pricing.games import load_games
from pricing.replay.run import Plan, replay
from pricing.replay.workers import start_workers

GAME = load_games()["bet-on-baccarat"]


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_loses_and_doubles_nothing(tmp_path: Path) -> None:
    from distributed import LocalCluster

    plans = [Plan(GAME, tmp_path / name, {}, 1) for name in ("here", "dask")]
    with start_workers(None, 1) as hands:
        replay(plans[0], dealing.deal_many(12), hands, lambda _: None)
    options = {"host": "127.0.0.1", "dashboard_address": None, "threads_per_worker": 1}
    with LocalCluster(n_workers=2, processes=True, **options) as cluster:  # type: ignore[no-untyped-call]
        killed: list[int] = []

        def kill_one(_: int) -> None:
            if not killed:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)

        address = cluster.scheduler_address.removeprefix("tcp://")
        with start_workers(f"dask://{address}", 1) as hands:
            replay(plans[1], dealing.deal_many(12), hands, kill_one)
    here, there = ({file.name: file.read_bytes() for file in plan.out.iterdir()} for plan in plans)
    assert killed
    assert here == there
