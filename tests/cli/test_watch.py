"""`baccarat-pricing watch`: a line for each image, and a board that shows no doubtful offer."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice

import pytest
from cli.calling import Cli
from rich.console import Console
from service.serving import ServerProcess, server_process
from service.studio import Studio, whole_games

from pricing.cli.watch_board import board_of
from pricing.client.view import TableView

WATCH = [sys.executable, "-m", "pricing.cli", "watch"]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


def test_a_line_for_each_image(server: ServerProcess) -> None:
    studio = Studio(server.channel(), "lines").create(shoe=False)
    command = [*WATCH, "lines", "--server", server.address, "--images", "13"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert "snapshot" in process.stdout.readline()
        for event in islice(whole_games("lines"), 12):
            studio.send(event)
        lines = process.stdout.read().splitlines()
    assert process.returncode == 0
    assert [line.split()[2] for line in lines] == [str(number) for number in range(2, 14)]
    assert "round 1  player " in lines[1]
    assert "bet stop" in lines[2]
    assert sum("settlement" in line for line in lines) == 1


def test_json(cli: Cli, server: ServerProcess) -> None:
    Studio(server.channel(), "json").create()
    code, out, err = cli("watch", "json", "--server", server.address, "--images", "1", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["table"]["table"] == "json"


def test_what_cannot_be_watched(cli: Cli, server: ServerProcess) -> None:
    code, out, err = cli("watch", "no-such", "--server", server.address)
    assert (code, out) == (2, "")
    assert "no-such" in err
    code, out, err = cli("watch", "t1", "--server", "127.0.0.1:1", "--timeout", "1")
    assert (code, out) == (1, "")
    assert "127.0.0.1:1" in err


def test_the_board_shows_no_doubtful_offer(cli: Cli, server: ServerProcess) -> None:
    from google.protobuf.json_format import Parse

    from pricing.client.feed import TableImage

    studio = Studio(server.channel(), "board").create()
    studio.say(game_opened={})
    found = Parse(cli("watch", "board", "--server", server.address, "--images", "1", "--json").out, TableImage())
    console = Console(width=100)
    with console.capture() as sure:
        console.print(board_of("board", TableView(found, "")))
    with console.capture() as doubtful:
        console.print(board_of("board", TableView(found, "nothing was heard")))
    assert sure.get().count("active") == 9
    assert "nothing was heard" in doubtful.get()
    assert "active" not in doubtful.get()
