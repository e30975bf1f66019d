"""`baccarat-pricing policy` and `hold`: what traders set, shown and changed."""

import json
from itertools import count
from pathlib import Path

import pytest
from cli.calling import Cli

NAMES = (f"traded-{number}" for number in count(1))
FILE = """
max_return = "0.97"

[[rules]]
bet = "tie"
closed = true

[[rules]]
round = 1
limits = [{ currency = "EUR", min_stake = 100, max_stake = 500_000, stake_step = 100, max_payout = 2_500_000 }]
"""


@pytest.fixture
def table(cli: Cli, server: str) -> str:
    name = next(NAMES)
    assert cli("tables", "--server", server, "--create", name).code == 0
    return name


def shown(cli: Cli, server: str, *arguments: str) -> list[tuple[str, str, object]]:
    """Table, version and policy of each line."""
    code, out, err = cli("policy", "--server", server, *arguments)
    assert (code, err) == (0, "")
    lines = [line.split("  ", 2) for line in out.splitlines()]
    return [(name, version, json.loads(text)) for name, version, text in lines]


def test_rules_are_added_one_by_one(cli: Cli, server: str, table: str) -> None:
    assert shown(cli, server, table) == [(table, "-", {"rules": []})]
    shown(cli, server, table, "--close", "--bet", "tie", "--comment", "too many")
    ((_, version, policy),) = shown(cli, server, table, "--margin-shift", "-0.01", "--round", "2")
    assert policy == {"rules": [{"bet": "tie", "closed": True}, {"round": 2, "margin_shift": "-0.01"}]}
    assert shown(cli, server, table) == [(table, version, policy)]
    code, out, _ = cli("policy", "--server", server, table, "--open", "--bet", "tie", "--check")
    assert (code, out.split("  ", 2)[:2]) == (0, [table, "would have"])
    assert json.loads(out.split("  ", 2)[2])["rules"][-1] == {"bet": "tie", "closed": False}
    assert shown(cli, server, table) == [(table, version, policy)]


def test_a_rule_takes_the_place_of_what_it_wins_over(cli: Cli, server: str, table: str) -> None:
    for _ in range(3):
        shown(cli, server, table, "--close", "--bet", "tie", "--round", "1")
        shown(cli, server, table, "--open", "--bet", "tie", "--round", "1")
    shown(cli, server, table, "--margin-shift", "0.01")
    ((_, _, policy),) = shown(cli, server, table, "--close", "--bet", "tie", "--id", "AA")
    assert policy == {"rules": [{"margin_shift": "0.01"}, {"bet": "tie", "closed": True}]}
    assert shown(cli, server, table, "--close", "--bet", "tie", "--id", "AA")[0][2] == policy


def test_several_tables_are_changed_or_none(cli: Cli, server: str, table: str) -> None:
    others = [next(NAMES), next(NAMES)]
    cli("tables", "--server", server, "--create", others[0], "--game", "punto-banco")
    cli("tables", "--server", server, "--create", others[1])
    shown(cli, server, others[1], "--margin-shift", "0.01")
    names = (table, *others)
    before = shown(cli, server, *names)
    code, out, err = cli("policy", "--server", server, *names, "--close", "--bet", "big", "--round", "3")
    assert (code, out) == (1, "")
    assert "rules[0].round: got 3" in err
    assert shown(cli, server, *names) == before
    after = shown(cli, server, table, others[1], "--close", "--bet", "tie")
    assert [len(policy["rules"]) for _, _, policy in after] == [1, 2]  # type: ignore[index]


def test_a_file_is_set_at_several_tables(cli: Cli, server: str, table: str, tmp_path: Path) -> None:
    other = next(NAMES)
    cli("tables", "--server", server, "--create", other)
    file = tmp_path / "policy.toml"
    file.write_text(FILE, "utf-8")
    first, second = shown(cli, server, table, other, "--set", str(file))
    assert first[1:] == second[1:]
    file.write_text(json.dumps(first[2]), "utf-8")
    assert shown(cli, server, table, "--set", str(file)) == [first]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "TABLE: got none"),
        (("--all",), "TABLE: got none"),
        (("t", "--margin-shift", "much"), "margin_shift: got 'much'"),
        (("nowhere",), "got 'nowhere'; allowed: the name of a table"),
        (("TABLE", "--close", "--bet", "lucky-six"), "rules[0].bet: got 'lucky-six'"),
        (("TABLE", "--close", "--round", "9"), "rules[0].round: got 9"),
        (("TABLE", "--set", __file__, "--close"), "--set: got"),
        (("TABLE", "--bet", "tie"), "--bet, --round: got nothing to set"),
    ],
)
def test_what_is_wrong_is_said(cli: Cli, server: str, table: str, arguments: tuple[str, ...], error: str) -> None:
    given = [table if each == "TABLE" else each for each in arguments]
    code, out, err = cli("policy", "--server", server, *given)
    assert code in (1, 2)
    assert out == ""
    assert error in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("rules = 1", "rules: got 1"),
        ("rules = [", "policy: got"),
        ("{", "policy: got"),
        ('{"rules": [], "rules": []}', "each key once"),
        ("rule = []", "rule: got"),
        ("", "policy: got 'nothing'"),
        ("# nothing", "policy: got 'nothing'"),
        ("max_return = 1e9999999999999999999", "got"),
        (f"max_return = {'9' * 5000}", "policy: got"),
        (f"rules = {'[' * 5000}", "policy: got"),
        (b"\xff\xfer\x00", "in UTF-8"),
    ],
)
def test_a_wrong_file_is_said(cli: Cli, tmp_path: Path, text: str | bytes, error: str) -> None:
    file = tmp_path / "policy"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    code, out, err = cli("policy", "some-table", "--set", str(file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert error in err


def test_holds(cli: Cli, server: str, table: str) -> None:
    assert cli("hold", "--server", server, table, "--bet", "tie").out == f"{table}\n"
    assert f"{table} " in (listed := cli("tables", "--server", server).out)
    assert "trader: TRADER (tie)" in listed
    again = cli("hold", "--server", server, table, "--bet", "tie")
    assert (again.code, "HOLD_PLACED" in again.err or "already" in again.err) == (1, True)
    assert table in cli("hold", "--server", server, "--all", "--reason", "PANIC").out.split()
    assert table in cli("hold", "--server", server, "--all", "--reason", "PANIC", "--lift").out.split()
    assert cli("hold", "--server", server, table, "--bet", "tie", "--lift").out == f"{table}\n"
    assert cli("hold", "--server", server).code == 2
