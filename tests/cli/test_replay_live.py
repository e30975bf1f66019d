"""`baccarat-pricing replay --to`: a shoe at a real server is offered what the array path makes of it."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import dealing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.calling import Cli, serving

from pricing.client.calls import Access
from pricing.client.history import PlayedGame, games_of, history_connected, summarize_game
from pricing.games import load_games
from pricing.replay.arrow import batch_of
from pricing.replay.live import Fault, reports
from pricing.replay.pricing import price_shoes
from pricing.replay.read import read_shoes
from pricing.replay.shoes import ShoeRecord

GAME = load_games()["bet-on-baccarat"]
SHOE = dealing.deal(5)
SHORT = ShoeRecord("short", 6, SHOE.precision, SHOE.cards, SHOE.coups[:2])
ADDED = {
    Fault.GAP: {"resumed"},
    Fault.DUPLICATE: set[str](),  # the journal has it once
    Fault.DELAY: {"window_ended"},
    Fault.MISREAD: {"scan_corrected"},
    Fault.EARLY_CARD: {"early_card_resolved"},
    Fault.VOID: {"games_voided", "card_burned"},
}
"""The kinds of events that a fault adds to a shoe's, as the journal has them."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def live(data: Path) -> Iterator[str]:
    with serving("--data", str(data)) as address:
        yield address


def play(cli: Cli, live: str, shoe: ShoeRecord, folder: Path, *flags: str) -> str:
    """Play a shoe; the name of its table."""
    pq.write_table(pa.Table.from_batches([batch_of([shoe])]), folder / "shoe.parquet")
    code, out, err = cli("replay", str(folder / "shoe.parquet"), "--to", live, "--speed", "0", *flags)
    assert (code, err) == (0, "")
    return out.splitlines()[0].split()[-1]


def games(live: str, table: str) -> list[PlayedGame]:
    """The games of a table, oldest first."""

    async def ask() -> list[PlayedGame]:
        async with history_connected(Access(address=live)) as client:
            asked = games_of(table)
            asked.with_odds = True
            return [game async for game in client.games(asked, timeout=10)]

    return asyncio.run(ask())[::-1]


def test_a_table_offers_what_is_priced_in_arrays(cli: Cli, live: str, tmp_path: Path) -> None:
    rows = {(row["game"], row["round"], row["bet"]): row for row in price_shoes(batch_of([SHOE]), GAME).to_pylist()}
    played = games(live, play(cli, live, SHOE, tmp_path))
    assert len(played) == len(SHOE.coups)
    compared = 0
    for number, game in enumerate(played, 1):
        assert summarize_game(game).state == ("void" if SHOE.coups[number - 1].void else "confirmed")
        for each in game.game.rounds:
            for bet in each.bets:
                row = rows[number, each.round, bet.bet]
                ways = (each.total_ways, bet.win_ways, bet.push_ways)
                assert ways == (row["ways"], row["win_ways"], row["push_ways"])
                assert (float(bet.odds) if bet.HasField("odds") else None) == row["odds"]
                compared += 1
    assert compared == len(rows)


@pytest.mark.parametrize("fault", Fault)
def test_a_fault_is_what_it_is_called(cli: Cli, live: str, data: Path, tmp_path: Path, fault: Fault) -> None:
    speed = ("--speed", "1000") if fault is Fault.DELAY else ()
    table = play(cli, live, SHORT, tmp_path, "--fault", fault.value, *speed)
    states = [summarize_game(game).state for game in games(live, table)]
    assert states == ["confirmed", "void" if fault is Fault.VOID else "confirmed"]
    plain, faulty = (
        [json.loads(line) for line in cli("journal", "export", "--data", str(data), "--table", each).out.splitlines()]
        for each in (play(cli, live, SHORT, tmp_path), table)
    )
    kinds = [{row["kind"] for row in rows} for rows in (plain, faulty)]
    assert kinds[1] - kinds[0] == ADDED[fault]
    assert not any(row["outcome"]["refusal"] for row in faulty)
    numbers = [number for row in faulty if (number := row["body"]["source_number"])]
    jumps = [after - before for before, after in pairwise(numbers) if after - before > 1]
    assert jumps == ([2] if fault is Fault.GAP else [])
    sent = [report.times for report in reports(GAME, SHORT, fault)]
    assert sent.count(2) == (fault is Fault.DUPLICATE)


def test_a_shoe_is_dealt_at_a_table_that_there_is(cli: Cli, live: str, tmp_path: Path) -> None:
    """Twice, as a studio that goes on counting its reports; the table stays open."""
    assert cli("tables", "--server", live, "--create", "there", "--test").code == 0
    for _ in range(2):
        assert play(cli, live, SHORT, tmp_path, "--table", "there") == "there"
    assert [summarize_game(game).state for game in games(live, "there")] == ["confirmed"] * 4
    shoe = str(tmp_path / "shoe.parquet")
    code, _, err = cli("replay", shoe, "--to", live, "--table", "there", "--game", "punto-banco")
    assert (code, "which plays bet-on-baccarat; allowed: a table that plays punto-banco" in err) == (2, True)


@pytest.mark.parametrize("own", [True, False])
def test_who_is_stopped_leaves_no_open_game(cli: Cli, live: str, tmp_path: Path, own: bool) -> None:
    shoe = tmp_path / "shoe.parquet"
    pq.write_table(pa.Table.from_batches([batch_of([SHOE])]), shoe)
    command = [sys.executable, "-m", "pricing.cli", "replay", str(shoe), "--to", live, "--speed", "5"]
    if not own:
        assert cli("tables", "--server", live, "--create", "stopped", "--test").code == 0
        command += ["--table", "stopped"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        table = process.stdout.readline().split()[-1]
        while not games(live, table):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert (f"table {table} is closed" in err) == own
    assert f"the game at table {table} is void" in err
    assert process.returncode == 130
    assert [summarize_game(game).state for game in games(live, table)] == ["void"]


def test_what_was_dealt_can_be_replayed(cli: Cli, live: str, data: Path, tmp_path: Path) -> None:
    """`journal shoes` writes the very shoe that was dealt."""
    table = play(cli, live, SHOE, tmp_path)
    written = tmp_path / "shoes.jsonl"
    assert cli("journal", "shoes", table, "--data", str(data), "--output", str(written)).code == 0
    ((shoe, findings),) = read_shoes([written], GAME)
    assert not findings
    assert (shoe.shoe, shoe.cards) == (f"{table}-1", SHOE.cards[: len(shoe.cards)])
    assert [(coup.places, coup.void) for coup in shoe.coups] == [(coup.places, coup.void) for coup in SHOE.coups]
    assert cli("journal", "shoes", "nowhere", "--data", str(data)).code == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "got neither --out nor --to; allowed: "),
        (["--report", "x.json"], "got neither --out nor --to; allowed: "),
        (["--to", "127.0.0.1:1", "--out", "x"], "got both --out and --to; allowed: "),
        (["--to", "127.0.0.1:1", "--workers", "2"], "--workers: got it with --to; allowed: only without"),
        (["--out", "x", "--fault", "gap"], "--fault: got it with --out; allowed: only without"),
        (["--out", "x", "--tls"], "--tls: got it without --to; allowed: only with --to"),
        (["--to", "127.0.0.1:1", "--shoe", "frob"], "--shoe: got frob; allowed: a shoe of FILES"),
        (["--to", "nowhere"], "--to: got 'nowhere'"),
    ],
)
def test_bad_use_is_one_line(cli: Cli, tmp_path: Path, flags: list[str], message: str) -> None:
    pq.write_table(pa.Table.from_batches([batch_of([SHORT])]), tmp_path / "shoe.parquet")
    code, out, err = cli("replay", str(tmp_path / "shoe.parquet"), *flags)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
