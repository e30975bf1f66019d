"""Simulated games end as often as they are priced to, and a report tells when they do not."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pricing.games import load_games
from pricing.replay.arrow import batch_of
from pricing.replay.figures import figures
from pricing.replay.pricing import price_shoes
from pricing.replay.simulate import House, simulate
from pricing.replay.tally import tally

GAME = load_games()["bet-on-baccarat"]


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    """Of some 11,000 games; README.md has the commands for a million."""
    house = House(GAME, burns=0.01, voids=0.002)
    return pa.Table.from_batches([price_shoes(batch_of(simulate(house, 1, range(200))), GAME)])


def test_every_bet_is_inside_its_band_in_every_round(rows: pa.Table) -> None:
    found = figures(tally(rows), {}, [])
    assert len(found["bets"]) == 27
    assert all(bet["games"] > 10_000 for bet in found["bets"])
    assert [bet for bet in found["bets"] if not bet["calibration"]["inside"]] == []


def test_chances_that_are_a_little_too_high_are_outside(rows: pa.Table) -> None:
    wrong = pc.multiply(pc.divide(rows["win_ways"], 100), 110)
    first = rows.set_column(rows.schema.get_field_index("win_ways"), "win_ways", wrong).filter(
        pc.equal(rows["round"], 1)
    )
    outside = {bet["bet"] for bet in figures(tally(first), {}, [])["bets"] if not bet["calibration"]["inside"]}
    assert {"player", "banker", "big"} <= outside
