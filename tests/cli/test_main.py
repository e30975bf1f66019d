"""The entry itself: help, version, exit codes, pipes."""

import importlib.metadata
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from cli.calling import Cli

ENTRY = Path(sysconfig.get_path("scripts")) / "baccarat-pricing"


def test_help_lists_the_commands(cli: Cli) -> None:
    bare, asked = cli(), cli("--help")
    assert bare == asked
    assert bare.code == 0
    for command in ("demo", "games", "health", "journal", "policy", "price", "record", "serve", "tables", "token"):
        assert f"  {command} " in bare.out
        assert cli(command, "--help").code == 0


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"baccarat-pricing {importlib.metadata.version('baccarat-pricing')}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["frob"],
            "allowed: one of demo, explain, games, health, hold, journal, policy, price, record, replay, roads, serve, "
            "simulate, tables, token, watch",
        ),
        (["--frob"], "--frob"),
    ],
)
def test_wrong_use_is_one_line(cli: Cli, arguments: list[str], message: str) -> None:
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("baccarat-pricing: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", [[str(ENTRY)], [sys.executable, "-m", "pricing.cli"]], ids=["script", "module"])
def test_exit_codes_of_the_process(command: list[str]) -> None:
    good = subprocess.run([*command, "price"], check=False, capture_output=True, text=True)
    assert (good.returncode, good.stderr) == (0, "")
    bad = subprocess.run([*command, "price", "--decks", "0"], check=False, capture_output=True, text=True)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "baccarat-pricing: error: --decks: got 0; allowed: a whole number, 1 to 12\n"


def test_price_starts_without_grpc() -> None:
    code = "import sys, pricing.cli\ntry: pricing.cli.run(['price'])\nfinally: print(*sys.modules, sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {name.split(".")[0] for name in ran.stdout.split()}
    assert "rich" in loaded
    assert not loaded & {"grpc", "google"}


@pytest.mark.parametrize(
    "arguments", [["price"], ["price", "--json"], ["--help"], ["demo", "--speed", "0"]], ids=" ".join
)
def test_reader_that_leaves_ends_it_quietly(arguments: list[str]) -> None:
    receiver, sender = os.pipe()
    os.close(receiver)
    ran = subprocess.run(
        [sys.executable, "-m", "pricing.cli", *arguments], check=False, stdout=sender, stderr=subprocess.PIPE, text=True
    )
    os.close(sender)
    assert ran.stderr == ""
    assert ran.returncode == 1


def test_a_standard_output_that_is_closed_is_one_line() -> None:
    ran = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m pricing.cli price >&-"], check=False, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stderr) == (1, "baccarat-pricing: error: standard output is closed\n")
