"""`baccarat-pricing record` and `tables`: events from a file or a pipe, and what they come to."""

import io
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest
from cli.calling import Cli, serving

COMMAND = [sys.executable, "-m", "pricing.cli"]
NAMES = (f"table-{number}" for number in count(1))
GAME = [
    {"shoeLoaded": {}},
    {"gameOpened": {}},
    {"bettingClosed": {}},
    {"cardDealt": {"card": "9S"}},
    {"bettingClosed": {}},
    {"cardDealt": {"card": "KD"}},
    {"bettingClosed": {}},
    {"cardDealt": {"card": "KH"}},
    {"cardDealt": {"card": "2C"}},
    {"resultAnnounced": {"winner": "WINNER_PLAYER"}},
]
"""A game that Player wins with 9 to 2."""


@pytest.fixture
def table(cli: Cli, server: str) -> str:
    name = next(NAMES)
    assert cli("tables", "--server", server, "--create", name).code == 0
    return name


def script(table: str, events: Sequence[object], first: int = 1) -> str:
    return "".join(
        json.dumps({"table": table, "eventId": f"e{number}", "sourceNumber": str(number), **dict(event)}) + "\n"  # type: ignore[call-overload]
        for number, event in enumerate(events, first)
    )


def record(cli: Cli, server: str, path: Path, text: str) -> tuple[int, list[dict[str, object]], str]:
    """The exit code, the receipts and what is on stderr."""
    path.write_text(text, "utf-8")
    code, out, err = cli("record", "--server", server, str(path))
    return code, [json.loads(line) for line in out.splitlines()], err


def test_a_file_of_events(cli: Cli, server: str, table: str, tmp_path: Path) -> None:
    code, receipts, err = record(cli, server, tmp_path / "events", script(table, GAME) + "\n  \n")
    assert (code, err) == (0, "")
    assert [receipt["eventId"] for receipt in receipts] == [f"e{number}" for number in range(1, 11)]
    assert [receipt["position"] for receipt in receipts] == [str(number) for number in range(2, 12)]
    assert not any(receipt["duplicate"] or "refusal" in receipt for receipt in receipts)
    (found,) = [
        json.loads(line)
        for line in cli("tables", "--server", server, "--json").out.splitlines()
        if json.loads(line)["table"] == table
    ]
    assert (found["state"], found["game"]["state"]) == ("TABLE_STATE_OPEN", "GAME_STATE_CONFIRMED")
    (line,) = [line for line in cli("tables", "--server", server).out.splitlines() if line.startswith(f"{table} ")]
    assert line.split()[1:4] == ["open", "active", "308"]
    assert line.split()[5:] == ["confirmed", "9S", "KD", "KH", "2C", "-", "-"]


def test_a_file_is_sent_again(cli: Cli, server: str, table: str, tmp_path: Path) -> None:
    """As after a broken connection: what was taken is told again, what is new is taken."""
    _, first, _ = record(cli, server, tmp_path / "events", script(table, GAME[:6]))
    code, second, err = record(cli, server, tmp_path / "events", script(table, GAME))
    assert (code, err) == (0, "")
    assert second[:6] == [{**receipt, "duplicate": True} for receipt in first]
    assert not any(receipt["duplicate"] for receipt in second[6:])


def test_many_events_through_a_pipe(server: str, table: str) -> None:
    """More than are in flight at one time."""
    text = script(table, [{"shoeLoaded": {}}, *[{"notice": {"kind": "NOTICE_KIND_BREAK"}}] * 300])
    ran = subprocess.run(
        [*COMMAND, "record", "--server", server], input=text, capture_output=True, text=True, check=False, timeout=60
    )
    assert (ran.returncode, ran.stderr, ran.stdout.count("\n")) == (0, "", 301)


def test_a_reader_that_leaves_ends_it_quietly(server: str, table: str) -> None:
    text = script(table, [{"notice": {"kind": "NOTICE_KIND_BREAK"}}] * 2000)
    command = [*COMMAND, "record", "--server", server]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(text.encode())
        process.stdin.close()
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "Failed to load JSON"),
        ("[]", "event: got 'none'"),
        ("5", "Failed to parse"),
        ('{"table": "t", "eventId": "x"}', "event: got 'none'"),
        ('{"table": "t", "eventId": "x", "cardDealt": {"card": "1S"}}', "event.card_dealt.card: got '1S'"),
        ('{"table": "t", "gameOpened": {}}', "event.event_id"),
        ('{"eventId": "x", "gameOpened": {}}', "event.table"),
        ('{"table": "t", "eventId": "x", "cardDelt": {}}', 'no field named "cardDelt"'),
        ('{"table": "\udcff", "eventId": "x", "gameOpened": {}}', "allowed: a TableEvent"),
        ("x" * 70_000, "got more than 65536 characters"),
    ],
)
def test_a_wrong_line_sends_nothing(  # noqa: PLR0917 - fixtures
    cli: Cli, server: str, table: str, monkeypatch: pytest.MonkeyPatch, line: str, why: str
) -> None:
    text = f"{script(table, GAME[:2])}{line}\n{script(table, GAME[2:], 3)}"
    given = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")))
    monkeypatch.setattr("sys.stdin", given)
    code, out, err = cli("record", "--server", server)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("baccarat-pricing: error: line 3: got ")
    assert why in err
    (found,) = [
        json.loads(line)
        for line in cli("tables", "--server", server, "--json").out.splitlines()
        if json.loads(line)["table"] == table
    ]
    assert found["position"] == "1"


def test_a_refusal_and_an_error_are_told_and_the_rest_goes_on(
    cli: Cli, server: str, table: str, tmp_path: Path
) -> None:
    events = [
        {"shoeLoaded": {}},
        {"cardDealt": {"card": "9S"}},  # no game: refused
        {"cutCardSeen": {}, "expectedCardState": "7"},
        {"table": "no-such", "gameOpened": {}},
        {"resumed": {}},
    ]
    code, receipts, err = record(cli, server, tmp_path / "events", script(table, events))
    assert code == 1
    assert [receipt["eventId"] for receipt in receipts] == ["e1", "e2", "e5"]
    assert receipts[1]["refusal"] == {"reason": "NO_GAME", "message": "no game is running"}
    lines = sorted(err.splitlines())
    assert lines[0].startswith("table 'no-such', event 'e4': NOT_FOUND UNKNOWN_TABLE: ")
    assert lines[1].startswith(f"table '{table}', event 'e3': ABORTED CARD_STATE_CHANGED: ")


def test_no_server(cli: Cli, tmp_path: Path) -> None:
    start = time.monotonic()
    code, receipts, err = record(cli, "127.0.0.1:1", tmp_path / "events", script("t", GAME))
    assert (code, receipts, err.count("\n")) == (1, [], 1)
    assert "server 127.0.0.1:1: UNAVAILABLE" in err
    assert time.monotonic() - start < 10


def test_no_file(cli: Cli) -> None:
    code, out, err = cli("record", "no such file")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_no_events(cli: Cli, server: str, tmp_path: Path) -> None:
    assert record(cli, server, tmp_path / "events", "\n") == (0, [], "")


def test_tables_of_an_empty_server(cli: Cli, tmp_path: Path) -> None:
    with serving("--data", str(tmp_path)) as server:
        assert cli("tables", "--server", server).out == "no tables\n"
        assert cli("tables", "--server", server, "--json").out == ""


def test_a_table_is_made_and_closed_again_and_again(cli: Cli, server: str) -> None:
    name = next(NAMES)
    for _ in range(2):
        code, out, err = cli("tables", "--server", server, "--create", name, "--test", "--game", "punto-banco")
        assert (code, err) == (0, "")
        assert f"\n{name} " in out
    for _ in range(2):
        code, out, err = cli("tables", "--server", server, "--close", name)
        assert (code, err) == (0, "")
        (line,) = [line for line in out.splitlines() if line.startswith(f"{name} ")]
        assert line.split()[1] == "closed"


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["--create", "No"], 2, "table: got 'No'; allowed: 1 to 64 of a-z"),
        (["--create", "new", "--game", "nope"], 2, "--game: got 'nope'"),
        (["--close", "no-such"], 2, "table: got 'no-such'"),
    ],
)
def test_tables_that_cannot_be(cli: Cli, server: str, flags: list[str], code: int, words: str) -> None:
    found = cli("tables", "--server", server, *flags)
    assert (found.code, found.out, found.err.count("\n")) == (code, "", 1)
    assert words in found.err


def test_a_line_without_an_end_is_not_read_to_it() -> None:
    ran = subprocess.run([*COMMAND, "record", "/dev/zero"], check=False, capture_output=True, text=True, timeout=30)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "baccarat-pricing: error: line 1: got more than 65536 characters; allowed: as many at most\n"
