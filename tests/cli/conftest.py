"""The command line, called as its users call it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.calling import Cli, Outcome, serving

from pricing.cli import run

GAMES = """
name = "no-commission"
display_name = "No Commission"
rules_version = "1"
decks = 8
rounds = [{ cards = 0 }]
shoe_change = { below = 8 }
ladder = [{ from = "1.01", step = "0.01", to = "1000.00" }]

[[bets]]
id = "banker"
name = "Banker"
rule = "Even money, but half of it on a win with 6."
rows = [
  { name = "wins-with-6", cells = [{ winner = "banker", banker_total = 6 }], pays = "1.50" },
  { name = "wins-otherwise", cells = [{ winner = "banker", banker_total = [1, 2, 3, 4, 5, 7, 8, 9] }], pays = "2.00" },
  { name = "tie", cells = [{ winner = "tie" }], pays = "1.00" },
]
"""


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as left:
            run(arguments)
        assert isinstance(left.value.code, int)
        return Outcome(left.value.code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    (folder / "no-commission.toml").write_text(GAMES, "utf-8")
    return folder


@pytest.fixture(scope="session")
def server(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving("--games", str(games), "--data", str(tmp_path_factory.mktemp("data"))) as address:
        yield address
