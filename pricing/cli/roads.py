"""``baccarat-pricing roads``: what the games of a shoe add up to, and its roads."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Group, RenderableType
from rich.text import Text

from pricing.cli.access import read_access, server_options
from pricing.cli.asking import ask_history
from pricing.cli.board import make_console
from pricing.cli.flags import SHOES
from pricing.domain.roads import ROWS, Mark, places, streaks

if TYPE_CHECKING:
    from pricing.client.history import GetStatisticsResponse, HistoryClient

_STYLES: Final = {"P": "blue", "B": "red", "T": "green"}
_MARKS: Final = {Mark.RED: Text("o", style="red"), Mark.BLUE: Text("x", style="blue")}
_Cell = tuple[int, int]


@click.command()
@click.argument("table")
@click.option("--shoe", type=SHOES, metavar="N", help="The table's shoe of this number; its newest else.")
@click.option("--json", "as_json", is_flag=True, help="Print the service's GetStatisticsResponse as JSON.")
@server_options(help="The server that keeps the table.", default="127.0.0.1:50051")
def roads(table: str, shoe: int | None, as_json: bool, timeout: float, **access: Any) -> None:
    """Draw the roads of the shoe at TABLE: bead plate, big road, big eye boy, small road, cockroach road.

    P, B and T are wins of Player, Banker and ties. A small letter in the bead plate has a pair. A number in the big
    road is the ties after a win. In the derived roads o is red, the big road repeats itself, and x is blue.
    """
    from pricing.client.messages import line_of_json

    async def call(client: "HistoryClient") -> "GetStatisticsResponse":
        return await client.statistics(table, shoe, timeout=timeout)

    found = ask_history(read_access(**access), call)
    if as_json:
        click.echo(line_of_json(found))
    else:
        make_console().print(_board(found))


def _board(found: "GetStatisticsResponse") -> RenderableType:
    from pricing.client.history import side_of

    drawn, counts = found.roads, found.shoe_counts
    if not found.HasField("shoe_number"):
        return Text("no shoe")
    big = [_wins(side_of(each.winner)[0].upper(), each.ties) for each in drawn.big_road]
    derived = {
        "big eye boy": drawn.big_eye_boy,
        "small road": drawn.small_road,
        "cockroach road": drawn.cockroach_road,
    }
    plate = [_bead(side_of(bead.winner), bead.player_pair or bead.banker_pair) for bead in drawn.bead_plate]
    return Group(
        Text(f"{found.table}, shoe {found.shoe_number}: {counts.games} game{'s' * (counts.games != 1)}", style="bold"),
        Text(
            f"Player {counts.player}, Banker {counts.banker}, tie {counts.tie}; small {counts.small}, big {counts.big}"
        ),
        *_drawn("bead plate", [plate[start : start + ROWS] for start in range(0, len(plate), ROWS)]),
        *_drawn("big road" + (f" ({drawn.leading_ties} ties before it)" if drawn.leading_ties else ""), big),
        *(line for name, marks in derived.items() for line in _drawn(name, _columns(marks))),
    )


def _bead(winner: str, pair: bool) -> Text:
    letter = winner[0].upper()
    return Text(letter.lower() if pair else letter, style=_STYLES[letter])


def _wins(letter: str, ties: Iterable[int]) -> list[Text]:
    return [Text.assemble((letter, _STYLES[letter]), (str(count) if count else "", "green")) for count in ties]


def _columns(marks: Sequence[int]) -> list[list[Text]]:
    return [[_MARKS[mark] for mark in column] for column in streaks([Mark(mark) for mark in marks])]


def _drawn(title: str, columns: Sequence[Sequence[Text]]) -> list[Text]:
    """A road on paper of six rows, as far as it is used."""
    marks = [mark for column in columns for mark in column]
    paper = dict(zip(places(len(column) for column in columns), marks, strict=True))
    rows = 1 + max((row for row, _ in paper), default=-1)
    lines = [_line(paper, row) for row in range(rows)] or [Text("-", style="dim")]
    return [Text(), Text(title, style="bold"), *lines]


def _line(paper: dict[_Cell, Text], row: int) -> Text:
    line, width = Text(), 1 + max(len(mark) for mark in paper.values())
    for column in range(1 + max(column for _, column in paper)):
        mark = paper.get((row, column), Text("."))
        line.append_text(mark).append(" " * (width - len(mark)))
    line.rstrip()
    return line
