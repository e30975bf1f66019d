"""``baccarat-pricing journal``: look after the journal, also while its server runs."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import TextIO

import click

from pricing.service.settings import declared
from pricing.store.journal import Fault, JournalError
from pricing.store.reader import SqliteReader, open_reader
from pricing.store.rows import Row, canonical

_DATA = next(setting for setting in declared() if setting.name == "data")
"""The server's setting, which says where its journal is."""
_data = click.option(
    "--data",
    "folder",
    metavar="DIR",
    default=_DATA.default,
    show_default=_DATA.shown,
    envvar=_DATA.variable,
    show_envvar=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder that holds the journal.",
)

_output = click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    default="-",
    help="A file, written whole or not at all; standard output by default.",
)


@click.group("journal")
def command() -> None:
    """Verify, copy or export the journal, or write its shoes for replay; also while its server runs."""


@command.command()
@_data
@click.option("--prices", is_flag=True, help="Then make every price again from the cards and compare it, too.")
@click.pass_context
def verify(context: click.Context, folder: Path, prices: bool) -> None:
    """Compare everything in the journal with its hashes.

    With --prices, each bet's ways, odds and state, after each event after which anything was offered, are also made
    again from the cards and the rules, and compared with what was noted when they were told.

    Prints a line for each fault, and ends with 1 if there is one.
    """
    with _reading(folder) as journal:
        faults = _report(journal.verify())
        if not faults:
            tables = journal.tables()
            rows = sum(position for _, position in tables)
            click.echo(f"intact: {rows:,} rows of {len(tables):,} tables, epoch {journal.epoch}")
            if prices:
                faults = _check_prices(journal)
    if faults:
        context.exit(1)


@command.command()
@_data
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def backup(context: click.Context, folder: Path, file: Path) -> None:
    """Write a whole copy of the journal to FILE, which must not be there yet, and verify the copy.

    To restore it, stop the server, move the folder's journal.sqlite3 and journal.sqlite3-wal away, and put the copy
    there as journal.sqlite3. The journal then starts a new epoch.
    """
    with _reading(folder) as journal:
        journal.backup(file)
    with _in_one_line(), SqliteReader(file) as copy:
        faults = _report(copy.verify())
        if not faults:
            click.echo(f"copied: {sum(position for _, position in copy.tables()):,} rows to {file}")
    if faults:
        context.exit(1)


@command.command()
@_data
@click.option("--table", metavar="TABLE", help="Only the rows of this table.")
@_output
def export(folder: Path, table: str | None, output: Path) -> None:
    """Write the journal's rows as JSON Lines, table by table, each in order."""
    with _reading(folder) as journal, _written_whole(output) as file:
        tables = [entry for entry in journal.tables() if table in (None, entry[0])]
        if table is not None and not tables:
            raise click.BadParameter(f"got {table!r}; allowed: a table of the journal", param_hint="--table")
        for name, last in tables:
            for row in journal.read(name, limit=last):
                file.write(_line(row) + "\n")


@command.command()
@_data
@click.argument("table")
@_output
def shoes(folder: Path, table: str, output: Path) -> None:
    """Write the shoes of TABLE as JSON Lines in the native form, which replay reads.

    The cards are those dealt in the end, after all corrections. A game that is being played is left out, and what
    comes after a composition that was counted anew.
    """
    from pricing.service.floor.game_texts import KeptTexts
    from pricing.service.floor.replaying import replayed
    from pricing.service.history.dealt_shoes import dealt_shoes

    with _reading(folder) as journal:
        if table not in dict(journal.tables()):
            raise click.BadParameter(f"got {table!r}; allowed: a table of the journal", param_hint="TABLE")
        with _written_whole(output) as file:
            for shoe in dealt_shoes(replayed(journal, KeptTexts(journal), table)):
                file.write(json.dumps(shoe) + "\n")


@contextmanager
def _written_whole(path: Path) -> Iterator[TextIO]:
    """A file to write, which takes the place of one at the path when it is complete; what is no file is written to."""
    if str(path) == "-":
        yield sys.stdout
    elif path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as device:
            yield device
    else:
        handle, part = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(handle, "w", encoding="utf-8") as file:
                yield file
                file.flush()
                os.fsync(handle)
            Path(part).replace(path)
        except BaseException:
            Path(part).unlink()
            raise


def _line(row: Row) -> str:
    """A row as canonical JSON, its body and its outcome as the values they are."""
    try:
        return canonical(
            {
                "table": row.table,
                "position": row.position,
                "event_id": row.event_id,
                "kind": row.kind,
                "recorded_time": row.recorded_time,
                "actor": row.actor,
                "body": json.loads(row.body),
                "outcome": json.loads(row.outcome),
                "hash": row.hash,
            }
        )
    except (TypeError, ValueError) as error:
        where = f"table {row.table}: row {row.position}"
        raise click.ClickException(f"{where}: body or outcome is no canonical JSON: {error}") from error


def _check_prices(journal: SqliteReader) -> int:
    """Compare prices, and say what was found; how many faults there are."""
    from pricing.service.history.price_check import PriceCheck
    from pricing.store.still import StillReader

    with StillReader(journal.path) as still:  # as rows and notes would not fit while the server goes on
        check = PriceCheck(still)
        faults = _report(check.faults())
    if not faults:
        older = f"; {check.older:,} events are older than what is noted of prices" if check.older else ""
        click.echo(f"right: the prices of {check.offers:,} offers{older}")
    return faults


def _report(found: Iterable[Fault]) -> int:
    """Print each fault; how many there are."""
    count = 0
    for fault in found:
        click.echo(str(fault))
        count += 1
    if count:
        click.echo(f"damaged: {count:,} faults")
    return count


@contextmanager
def _reading(folder: Path) -> Iterator[SqliteReader]:
    with _in_one_line(), open_reader(folder) as journal:
        yield journal


@contextmanager
def _in_one_line() -> Iterator[None]:
    try:
        yield
    except JournalError as error:
        raise click.ClickException(f"journal: {error}") from error
