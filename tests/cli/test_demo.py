"""`baccarat-pricing demo`: the same seed shows the same coups, and what it shows is what the engine says."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from decimal import Decimal

import pytest
from cli.calling import Cli

import pricing
from pricing.cli.coup_board import Tally
from pricing.cli.dealing import shoes_of_coups
from pricing.domain.bets import Result
from pricing.domain.cards import CARDS
from pricing.games import load_games

COMMAND = [sys.executable, "-m", "pricing.cli", "demo"]
GAME = load_games()["bet-on-baccarat"]


def watch(*arguments: str) -> str:
    ran = subprocess.run([*COMMAND, "--speed", "0", *arguments], check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def test_same_seed_same_output() -> None:
    first = watch("--seed", "7", "--coups", "4")
    assert first == watch("--seed", "7", "--coups", "4")
    assert first != watch("--seed", "8", "--coups", "4")
    assert "\x1b" not in first
    assert "\nCoup 1  fresh shoe of 312 cards\n" in first
    assert first.count("\nCoup ") == 4


def test_a_run_without_a_seed_tells_the_one_it_took() -> None:
    out = watch("--coups", "1")
    seed = out.split("--seed ")[1].split(",")[0]
    assert watch("--coups", "1", "--seed", seed) == out


def test_odds_shown_are_the_engine_s() -> None:
    out = watch("--seed", "7", "--coups", "1")
    shoe = next(shoes_of_coups(GAME, random.Random(7)))
    cards = [shoe.draw() for _ in range(2)]
    quotes = [pricing.price(dealt=cards[:count]) for count in (0, 1, 2)]
    for place, bet in enumerate(quotes[0].bets):
        (line, *_) = [line for line in out.splitlines() if line.startswith(f"{bet.bet} ")]
        shown = [word for word in line.split()[1:-1] if word[0].isdigit()]
        assert shown == [quote.bets[place].odds for quote in quotes]


def test_more_coups_than_a_shoe_holds() -> None:
    out = watch("--seed", "3", "--coups", "70")
    starts = [line for line in out.splitlines() if line.startswith("Coup ")]
    assert len(starts) == 70
    assert 2 <= sum("fresh shoe" in line for line in starts) <= 3
    left = [int(line.split()[2]) for line in starts if "fresh" not in line]
    assert min(left) >= 40
    assert "70 coups" in out


def test_a_shoe_is_every_card_of_its_decks_and_changed_below_the_limit() -> None:
    shoes = shoes_of_coups(GAME, random.Random(1))
    first = next(shoes)
    dealt = [first.draw() for _ in range(312 - 40)]
    assert next(shoes) is first  # with exactly 40 a coup still starts
    dealt.append(first.draw())
    second = next(shoes)
    assert second is not first
    assert second.left == 312
    assert first.gone == tuple(dealt)
    assert sorted([*dealt, *(first.draw() for _ in range(39))]) == sorted([*CARDS] * 6)


def test_a_stake_is_settled_at_the_odds_it_was_struck_at() -> None:
    rounds = [pricing.price(dealt=dealt).bet("player") for dealt in ("", "9S", "9S KD")]
    tally = Tally()
    tally.add(rounds, Result.WON)
    tally.add(rounds, Result.PUSH)
    tally.add(rounds, Result.LOST)
    assert (tally.won, tally.staked) == (1, 9)
    assert tally.returned == sum(Decimal(bet.odds or 0) for bet in rounds) + 3
    assert tally.expected == pytest.approx(3 * sum(bet.return_to_player or 0 for bet in rounds))


def test_ctrl_c_ends_it_at_once() -> None:
    process = subprocess.Popen(
        # Shells have what they run in the background ignore it.
        ["env", "--default-signal=INT", *COMMAND, "--coups", "1000", "--seed", "1", "--speed", "20"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while not process.stdout.readline().startswith("Coup 1"):
        pass
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip() == ""
    assert time.monotonic() - sent < 5


@pytest.mark.parametrize("use", ["--coups 0", "--coups x", "--seed -1", "--speed -1", "--speed nan", "--speed inf"])
def test_bad_use_is_one_line(cli: Cli, use: str) -> None:
    code, out, err = cli("demo", *use.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert use.split(maxsplit=1)[0] in err


def test_its_table_is_a_real_one_and_its_journal_intact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at just before the demo's folder goes away."""
    from pricing.cli import run
    from pricing.service.server.server import RunningServer
    from pricing.store.reader import open_reader

    kinds: Counter[str] = Counter()
    drain = RunningServer.drain

    async def look_and_drain(self: RunningServer, grace: float) -> None:
        with open_reader(self._settings.data) as journal:
            assert not list(journal.verify())
            assert journal.tables() == [("demo", sum(1 for _ in journal.read("demo")))]
            rows = list(journal.read("demo"))
        assert not any('"refusal":{' in row.outcome for row in rows)
        kinds.update(row.kind for row in rows)
        await drain(self, grace)

    monkeypatch.setattr(RunningServer, "drain", look_and_drain)
    with pytest.raises(SystemExit) as left:
        run(["demo", "--seed", "7", "--coups", "3", "--speed", "0"])
    assert left.value.code == 0
    assert (kinds["table_created"], kinds["shoe_loaded"], kinds["game_opened"]) == (1, 1, 3)
    assert (kinds["betting_closed"], kinds["result_announced"]) == (9, 3)
    assert kinds["card_dealt"] >= 12
