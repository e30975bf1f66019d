"""``baccarat-pricing replay``: what would have been quoted for the shoes of an archive, and how it would have ended."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click
from click.core import ParameterSource

from pricing.cli.access import read_access, refuse_without_server, server_options
from pricing.cli.flags import game_option, games_option, speed_option
from pricing.cli.policy import policy_in
from pricing.cli.replay_rows import Job, Source, price_archive
from pricing.domain.policy import STANDING
from pricing.domain.policy_check import check_policy
from pricing.games import find_game, load_games

if TYPE_CHECKING:
    from pricing.client.calls import Access
    from pricing.domain.game import GameType
    from pricing.domain.policy import Policy


class _File(click.Path):
    """A file that can be read several times: a pipe cannot."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(str(super().convert(value, param, ctx)))
        if not path.is_file():
            raise click.UsageError(f"FILES: got {str(path)!r}; allowed: files, as they are read more than once")
        return path


_FILES: Final = _File(path_type=Path, exists=True, dir_okay=False)
_SUFFIXES: Final = (".html", ".json")
_FAULTS: Final = ("gap", "duplicate", "delay", "misread", "early-card", "void")
_LIVE: Final = {"table", "shoe", "speed", "fault"}
"""Flags of live replay alone."""
_ARCHIVE: Final = {"report", "findings", "policy", "workers", "engine", "part"}
"""Flags of pricing an archive alone."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=_FILES)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where the rows go.")
@click.option(
    "--report", multiple=True, type=click.Path(path_type=Path), metavar="FILE", help="A report, .html or .json."
)
@click.option("--format", "notation", metavar="NAME", help="How the cards are written; recognised where it can be.")
@click.option("--strict", is_flag=True, help="Stop at the first thing that is wrong with the data.")
@click.option("--findings", type=click.Path(path_type=Path), metavar="FILE", help="What is wrong, as JSON Lines.")
@game_option
@games_option
@click.option(
    "--policy", type=click.File("r", encoding="utf-8"), metavar="FILE", help="Set over the game type, TOML or JSON."
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
@server_options(help="Deal a shoe at a table of this server instead.", flag="--to")
@click.option("--table", metavar="TABLE", help="The table to deal at; a test table of its own by default.")
@click.option("--shoe", metavar="ID", help="The shoe to play; the first one by default.")
@speed_option("2 is twice as fast as a real table; 0 does not wait at all.")
@click.option("--fault", type=click.Choice(_FAULTS), help="What goes wrong in every fifth game of the shoe.")
@click.pass_context
def replay(  # noqa: PLR0913 - the flags are what the command is
    context: click.Context,
    /,
    *,
    files: tuple[Path, ...],
    out: Path | None,
    report: tuple[Path, ...],
    notation: str | None,
    strict: bool,
    findings: Path | None,
    game: str,
    games: Path | None,
    policy: TextIO | None,
    workers: int,
    engine: str | None,
    part: int,
    timeout: float,
    table: str | None,
    shoe: str | None,
    speed: float,
    fault: str | None,
    **access: Any,
) -> None:
    """Price and settle every betting state of the shoes in FILES.

    The rows go to Parquet files in the folder --out. A run that was cut off goes on when it is called again. With --to
    one shoe is dealt at a table of a running server, card by card: at a test table of its own, which only a server
    without tokens lets one caller make and report to, or as a studio at --table.
    """
    _check(context, report)
    _spare(files, (*report, *((findings,) if findings else ())))
    source = Source(files, find_game(load_games(games), game), notation, strict)
    if out is None:
        _play(source, shoe, read_access(**access), (table, speed, fault, timeout))
        return
    price_archive(source, Job(out, report, findings, _policy(policy, source.game), part, workers, engine))


def _policy(file: TextIO | None, game: "GameType") -> "Policy":
    policy = policy_in(file) if file else STANDING
    check_policy(policy, game)
    return policy


def _spare(files: tuple[Path, ...], written: tuple[Path, ...]) -> None:
    """Refuse to write over what is read."""
    for path in written:
        if path.exists() and any(path.samefile(file) for file in files):
            raise click.UsageError(f"--findings, --report: got {str(path)!r}; allowed: other files than FILES")


def _check(context: click.Context, reports: tuple[Path, ...]) -> None:
    """Refuse before the work what would fail after it."""
    given = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if ("server" in given) == ("out" in given):
        got = "both --out and --to" if "out" in given else "neither --out nor --to"
        raise click.UsageError(f"got {got}; allowed: --out for rows of prices, --to for dealing at a server")
    others, server = (_LIVE, "--out") if "out" in given else (_ARCHIVE, "--to")
    for name in sorted(given & others):
        raise click.UsageError(f"--{name}: got it with {server}; allowed: only without")
    if "out" in given:
        refuse_without_server(context, "--to")
    for path in reports:
        if path.suffix not in _SUFFIXES:
            raise click.UsageError(f"--report: got {str(path)!r}; allowed: a name that ends in .html or .json")
    missing = [name for name in ("pyarrow", "matplotlib", "jinja2") if importlib.util.find_spec(name) is None]
    if missing:
        raise click.ClickException(f"replay needs {', '.join(missing)}: pip install 'baccarat-pricing[replay]'")


def _play(source: Source, shoe: str | None, access: "Access", how: tuple[str | None, float, str | None, float]) -> None:
    from pricing.cli.replay_live import Playing, play
    from pricing.replay.findings import Findings
    from pricing.replay.live import Fault

    table, speed, fault, timeout = how
    found = next((each for each in source.shoes(Findings()) if shoe in (None, each.shoe)), None)
    if found is None:
        raise click.UsageError(f"--shoe: got {shoe or 'none'}; allowed: a shoe of FILES")
    play(found, Playing(source.game, table, speed, Fault(fault) if fault else None, timeout), access)
