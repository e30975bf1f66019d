"""`games`, `roads` and `explain`, as their users see them."""

import json
from collections.abc import Iterator

import pytest
from cli.calling import Cli
from service.serving import ServerProcess, server_process
from service.studio import Studio


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


@pytest.fixture(scope="module")
def played(server: ServerProcess) -> list[str]:
    """The references of three games at the table `t`: two that Banker won, and one of Player's between them."""
    studio = Studio(server.channel(), "t").create()
    first, second = studio.play_game(), studio.say(game_opened={}).game
    studio.deal("9D 6H KC AS")
    studio.say(result_announced={"winner": "WINNER_PLAYER"})
    return [first, second, studio.play_game()]


def test_games_newest_first(cli: Cli, server: ServerProcess, played: list[str]) -> None:
    code, out, err = cli("games", "t", "--server", server.address)
    assert (code, err) == (0, "")
    lines = out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == played[::-1]
    assert "9D 6H KC AS" in lines[1]
    assert "player, small" in lines[1]
    assert len(cli("games", "t", "--last", "1", "--server", server.address).out.splitlines()) == 3


def test_one_game_with_its_odds(cli: Cli, server: ServerProcess, played: list[str]) -> None:
    code, out, err = cli("games", "t", played[0], "--server", server.address)
    assert (code, err) == (0, "")
    (line,) = (line.split() for line in out.splitlines() if line.startswith("player "))
    assert line == ["player", "1.97", "2.11", "2.17", "lost"]
    assert out.splitlines()[-1].endswith(": settled")


def test_roads(cli: Cli, server: ServerProcess, played: list[str]) -> None:
    code, out, err = cli("roads", "t", "--server", server.address)
    assert (code, err) == (0, "")
    text = "\n".join(line.rstrip() for line in out.splitlines())
    assert text.startswith(f"t, shoe 1: {len(played)} games\nPlayer 1, Banker 2, tie 0; small 1, big 2\n")
    assert "\nbead plate\nB\nP\nB\n\nbig road\nB P B\n\nbig eye boy\no\n\nsmall road\n-\n" in text


def test_a_price_explained(cli: Cli, server: ServerProcess, played: list[str]) -> None:
    code, out, err = cli("explain", "t", "3", "tie", "--server", server.address)
    assert (code, err) == (0, "")
    assert played[0] in out
    rows = [line.split() for line in out.splitlines()]
    assert ["odds", "9.67"] in rows
    assert ["state", "active"] in rows


@pytest.mark.parametrize("command", [("games", "t"), ("roads", "t"), ("explain", "t", "3", "tie")])
def test_json(cli: Cli, server: ServerProcess, played: list[str], command: tuple[str, ...]) -> None:
    code, out, err = cli(*command, "--json", "--server", server.address)
    assert (code, err) == (0, "")
    assert json.loads(out.splitlines()[0])["table"] == "t"


@pytest.mark.parametrize(
    ("command", "failed"),
    [
        (("games", "nowhere"), (2, "table: got 'nowhere'")),
        (("games", "t", "t-1"), (2, "game: got 't-1'")),
        (("roads", "t", "--shoe", "9"), (2, "--shoe: got 9")),
        (("explain", "t", "3", "dragon"), (2, "bet: got 'dragon'")),
        (("explain", "t", "2", "tie"), (1, "offered nothing at sequence 2")),
    ],
)
def test_what_is_not_there(
    cli: Cli, server: ServerProcess, played: list[str], command: tuple[str, ...], failed: tuple[int, str]
) -> None:
    found = cli(*command, "--server", server.address)
    assert (found.code, found.out) == (failed[0], "")
    assert failed[1] in found.err.replace("-number", "_number")


def test_prices_of_a_journal_are_verified(cli: Cli, server: ServerProcess, played: list[str]) -> None:
    code, out, err = cli("journal", "verify", "--prices", "--data", str(server.data))
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == f"right: the prices of {3 * len(played)} offers"
