"""``baccarat-pricing journal``, beside a running server and alone."""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from store.samples import new_row

from pricing.cli.journal import command
from pricing.store.files import NAME
from pricing.store.rows import FIRST, NewRow, canonical, chain
from pricing.store.sqlite import open_journal


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture(params=["server runs", "server is down"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    journal = open_journal(folder)
    journal.put_text("text")
    for table in ("a", "b"):
        for position in range(1, 4):
            journal.append([new_row(table, position)]).result()
    if request.param == "server is down":
        journal.close()
    yield folder
    journal.close()


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as connection:
        connection.execute(statement)


def test_verify_says_that_all_is_well(folder: Path) -> None:
    result = run("verify", "--data", folder)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("intact: 6 rows of 2 tables, epoch ")


def test_verify_prints_a_line_for_each_fault(folder: Path) -> None:
    change(folder, "UPDATE rows SET outcome = '[]' WHERE position = 2")
    result = run("verify", "--data", folder)
    assert result.exit_code == 1
    *faults, summary = result.stdout.splitlines()
    assert [fault.partition(": found")[0] for fault in faults] == ["table a: row 2: hash", "table b: row 2: hash"]
    assert summary == "damaged: 2 faults"


def test_backup_makes_a_copy_that_can_be_verified_and_restored(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    result = run("backup", "--data", folder, copy)
    assert (result.exit_code, result.stdout) == (0, f"copied: 6 rows to {copy}\n")
    assert run("backup", "--data", folder, copy).exit_code == 1
    restored = tmp_path / "restored"
    restored.mkdir()
    shutil.copy(copy, restored / NAME)
    assert run("verify", "--data", restored).exit_code == 0


def test_backup_of_a_damaged_journal_says_so(folder: Path, tmp_path: Path) -> None:
    change(folder, "DELETE FROM rows WHERE table_name = 'a' AND position = 2")
    result = run("backup", "--data", folder, tmp_path / "copy")
    assert result.exit_code == 1
    assert "table a" in result.stdout


def test_export_holds_every_row_with_what_its_hash_is_made_of(folder: Path, tmp_path: Path) -> None:
    result = run("export", "--data", folder)
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["table"], row["position"]) for row in rows] == [(table, n) for table in "ab" for n in (1, 2, 3)]
    before = FIRST
    for row in rows:
        texts = {name: canonical(row[name]) for name in ("body", "outcome")}
        previous = FIRST if row["position"] == 1 else before
        before = row.pop("hash")
        assert chain(previous, NewRow(**row | texts)) == before
    file = tmp_path / "rows.jsonl"
    assert run("export", "--data", folder, "--output", file).exit_code == 0
    assert file.read_text("utf-8") == result.stdout
    one = run("export", "--data", folder, "--table", "b")
    assert one.stdout.splitlines() == result.stdout.splitlines()[3:]


def test_export_of_a_table_that_is_not_there(folder: Path) -> None:
    result = run("export", "--data", folder, "--table", "c")
    assert result.exit_code == 2
    assert "got 'c'; allowed: a table of the journal" in result.stderr


def test_export_of_a_row_that_is_no_json_says_which(folder: Path) -> None:
    change(folder, "UPDATE rows SET body = '{' WHERE table_name = 'b' AND position = 2")
    result = run("export", "--data", folder)
    assert result.exit_code == 1
    assert "table b: row 2" in result.stderr


@pytest.mark.parametrize("action", [["verify"], ["export"], ["backup", "copy"]])
def test_what_is_no_journal_is_one_line(tmp_path: Path, action: list[str]) -> None:
    result = run(action[0], "--data", tmp_path, *action[1:])
    assert (result.exit_code, result.stderr) == (1, f"Error: journal: there is no journal in {tmp_path}\n")
    (tmp_path / NAME).write_text("# a text\n" * 20)
    result = run(action[0], "--data", tmp_path, *action[1:])
    assert (result.exit_code, result.stderr) == (1, f"Error: journal: {tmp_path / NAME} is no SQLite database\n")


def test_export_writes_into_what_is_no_file(folder: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text, "utf-8")
        assert run("export", "--data", folder, "--output", pipe).exit_code == 0
        assert read.result() == run("export", "--data", folder).stdout
    assert pipe.is_fifo()


def test_an_export_that_fails_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    change(folder, "UPDATE rows SET body = 'no JSON' WHERE position = 3 AND table_name = 'b'")
    kept = tmp_path / "rows.jsonl"
    kept.write_text("before")
    assert run("export", "--data", folder, "--output", kept).exit_code == 1
    assert kept.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["rows.jsonl"]
