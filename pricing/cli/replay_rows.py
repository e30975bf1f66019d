"""The shoes of an archive priced and settled into a folder, with a report."""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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

if TYPE_CHECKING:
    from pricing.domain.game import GameType
    from pricing.domain.policy import Policy
    from pricing.replay.findings import Findings
    from pricing.replay.run import Plan
    from pricing.replay.shoes import ShoeRecord
    from pricing.replay.tally import Tallies


class Source(NamedTuple):
    """What is read, and how."""

    files: tuple[Path, ...]
    game: "GameType"
    notation: str | None
    strict: bool

    def shoes(self, findings: "Findings") -> "Iterator[ShoeRecord]":
        """The shoes; what is wrong with them is taken down as they are read."""
        from pricing.replay.read import read_shoes

        for shoe, wrong in read_shoes(self.files, self.game, self.notation, strict=self.strict):
            findings.add(wrong)
            yield shoe

    def told(self) -> dict[str, Any]:
        """What tells these shoes from any others."""
        from pricing.replay.read import fingerprint
        from pricing.replay.readers.layouts import utf8

        names = [utf8(path.name) for path in self.files]  # shoes without an id are called by them
        return {"files": [fingerprint(path) for path in self.files], "names": names, "format": self.notation}


class Job(NamedTuple):
    """What is to be made of an archive."""

    out: Path
    """The folder of the rows."""
    reports: tuple[Path, ...]
    findings: Path | None
    """Where to say what is wrong with the data."""
    policy: "Policy"
    part: int
    """Shoes to a file."""
    workers: int
    engine: str | None
    """A Dask scheduler, in place of processes of this machine."""


class _Rate(ProgressColumn):
    """Shoes a second, of late."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.0f} a second" if task.speed else "")


def price_archive(source: Source, job: Job) -> None:
    """Price and settle the shoes of an archive, and report on them.

    Raises:
        PricingError, OSError: What cannot be done.
    """
    from pricing.replay.findings import Findings
    from pricing.replay.run import Plan

    plan = Plan(source.game, job.out, source.told(), job.part, job.policy)
    with job.findings.open("w", encoding="utf-8") if job.findings else nullcontext() as file:
        found = Findings(file)
        tallies = _run(plan, source, found, job.engine, job.workers)
    if found.total():
        click.echo(f"{found.total()} findings: {', '.join(_counted(each) for each in found.figures())}", err=True)
    _write_reports(job.reports, plan, tallies, found)


def _counted(each: Mapping[str, Any]) -> str:
    return f"{each['count']} {each['kind']}"


def _run(plan: "Plan", source: Source, findings: "Findings", engine: str | None, workers: int) -> "Tallies":
    from pricing.replay.read import number_of_shoes
    from pricing.replay.run import replay
    from pricing.replay.workers import start_workers

    columns = (TextColumn("shoes"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True, highlight=False))
    try:
        with start_workers(engine, workers) as hands, bar:
            shown = bar.add_task("shoes", total=number_of_shoes(source.files))
            return replay(plan, source.shoes(findings), hands, lambda number: bar.advance(shown, number))
    except KeyboardInterrupt:
        click.echo(f"{plan.out} holds what is done; the same command goes on from there.", err=True)
        raise


def _write_reports(reports: tuple[Path, ...], plan: "Plan", tallies: "Tallies", findings: "Findings") -> None:
    if not reports:
        return
    from pricing.engine.terms import round_terms
    from pricing.replay.figures import figures
    from pricing.replay.report import report_html, report_json
    from pricing.replay.run import write_whole

    makers = {".html": report_html, ".json": report_json}
    named = {"name": plan.game.name, "policy_version": round_terms(plan.game, plan.policy, 1).policy_version}
    found = figures(tallies, named, findings.figures())
    for path in reports:
        write_whole(path, makers[path.suffix](found).encode())
