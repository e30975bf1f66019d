"""``baccarat-pricing replay``: what would have been quoted for the shoes of an archive, and how it would have ended."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from pricing.games import find_game, load_games

if TYPE_CHECKING:
    from pricing.replay.run import Plan
    from pricing.replay.shoe_files import ShoeFiles
    from pricing.replay.tally import Tallies

_FILES: Final = click.Path(path_type=Path, exists=True, dir_okay=False)
_SUFFIXES: Final = (".html", ".json")


class _Rate(ProgressColumn):
    """Shoes a second, of late."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.0f} a second" if task.speed else "")


@click.command()
@click.argument("files", nargs=-1, required=True, type=_FILES)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the rows go.")
@click.option(
    "--report", multiple=True, type=click.Path(path_type=Path), metavar="FILE", help="A report, .html or .json."
)
@click.option("--game", default="bet-on-baccarat", show_default=True, metavar="NAME", help="The game type.")
@click.option(
    "--games",
    type=click.Path(path_type=Path),
    envvar="BACCARAT_PRICING_GAMES",
    show_envvar=True,
    metavar="DIR",
    help="A folder with your own game types, *.toml.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes of this machine.",
)
@click.option("--engine", metavar="URL", help="dask://HOST:PORT: the workers of a Dask scheduler instead.")
@click.option(
    "--part",
    type=click.IntRange(1, 100_000),
    default=64,
    show_default=True,
    metavar="N",
    help="Shoes to a file of rows, and to a task.",
)
def replay(  # noqa: PLR0913 - the flags are what the command is
    *,
    files: tuple[Path, ...],
    out: Path,
    report: tuple[Path, ...],
    game: str,
    games: Path | None,
    workers: int,
    engine: str | None,
    part: int,
) -> None:
    """Price and settle every betting state of the shoes in FILES.

    The rows go to Parquet files in the folder --out. A run that was cut off goes on when it is called again.
    """
    _check(report)
    from pricing.replay.run import Plan
    from pricing.replay.shoe_files import ShoeFiles

    shoes = ShoeFiles(files)
    plan = Plan(find_game(load_games(games), game), out, shoes.fingerprint(), part)
    tallies = _run(plan, shoes, engine, workers)
    _write_reports(report, plan, tallies)


def _check(reports: tuple[Path, ...]) -> None:
    """Refuse before the work what would fail after it."""
    for path in reports:
        if path.suffix not in _SUFFIXES:
            raise click.UsageError(f"--report: got {str(path)!r}; allowed: a name that ends in .html or .json")
    missing = [name for name in ("pyarrow", "matplotlib", "jinja2") if importlib.util.find_spec(name) is None]
    if missing:
        raise click.ClickException(f"replay needs {', '.join(missing)}: pip install 'baccarat-pricing[replay]'")


def _run(plan: "Plan", shoes: "ShoeFiles", engine: str | None, workers: int) -> "Tallies":
    from pricing.replay.run import replay
    from pricing.replay.workers import start_workers

    columns = (TextColumn("shoes"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True, highlight=False))
    try:
        with start_workers(engine, workers) as hands, bar:
            shown = bar.add_task("shoes", total=shoes.number)
            return replay(plan, shoes, hands, lambda number: bar.advance(shown, number))
    except KeyboardInterrupt:
        click.echo(f"{plan.out} holds what is done; the same command goes on from there.", err=True)
        raise


def _write_reports(reports: tuple[Path, ...], plan: "Plan", tallies: "Tallies") -> None:
    if not reports:
        return
    from pricing.replay.figures import figures
    from pricing.replay.report import report_html, report_json
    from pricing.replay.run import write_whole

    makers = {".html": report_html, ".json": report_json}
    named = {"name": plan.game.name, "policy_version": plan.game.policy_version}
    found = figures(tallies, named, [])
    for path in reports:
        write_whole(path, makers[path.suffix](found).encode())
