"""``baccarat-pricing explain``: what a price of the past was made of."""

from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from pricing.cli.access import read_access, server_options
from pricing.cli.asking import ask_history
from pricing.cli.board import make_console

if TYPE_CHECKING:
    from pricing.client.history import ExplainPriceResponse, HistoryClient


@click.command()
@click.argument("table")
@click.argument("sequence", type=click.IntRange(1, 2**63 - 1))
@click.argument("bet")
@click.option("--json", "as_json", is_flag=True, help="Print the service's ExplainPriceResponse as JSON.")
@server_options(help="The server that keeps the table.", default="127.0.0.1:50051")
def explain(table: str, sequence: int, bet: str, as_json: bool, timeout: float, **access: Any) -> None:
    """Explain the price of BET in the image of TABLE with this SEQUENCE: cards, ways, margin, rounding, odds."""
    from pricing.client.messages import line_of_json

    async def call(client: "HistoryClient") -> "ExplainPriceResponse":
        return await client.explain(table, sequence, bet, timeout=timeout)

    found = ask_history(read_access(**access), call)
    if as_json:
        click.echo(line_of_json(found))
    else:
        make_console(lists=True).print(_board(found))


def _board(found: "ExplainPriceResponse") -> Grid:
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    grid.add_column(f"{found.bet} at {found.table}, sequence {found.sequence}", no_wrap=True)
    grid.add_column(f"{found.game}, round {found.round}", overflow="fold")
    for row in _lines(found):
        grid.add_row(*row)
    return grid


def _lines(found: "ExplainPriceResponse") -> list[tuple[str, str]]:
    from pricing.client.history import word_of_bet

    state, result = word_of_bet(found.state, found.result)
    remaining = " ".join(f"{each.card}:{each.count}" for each in found.remaining)
    ladder = ", ".join(f"{getattr(each, 'from')} to {each.to} by {each.step}" for each in found.ladder)
    lines = [
        ("game type", f"{found.game_type} {found.rules_version}, text {found.game_hash[:12]}"),
        ("policy", found.policy_version),
        *((("  sets", found.policy),) if found.policy else ()),
        ("cards on the table", " ".join(found.dealt) or "none"),
        (f"shoe of {found.decks} decks", remaining),
        ("gone unseen", str(found.unseen_removed)),
        ("ways to win", f"{found.win_ways} of {found.total_ways}"),
        ("ways to a push", str(found.push_ways)),
        *((f"  {tier.name}", f"{tier.ways} at {tier.odds}") for tier in found.tiers),
        ("fair odds", found.fair_odds or "-"),
        ("book", found.book or "-"),
        ("margin", f"{found.margin}, {found.margin_model}" if found.margin else "fixed payouts"),
        ("odds before rounding", found.exact_odds or "-"),
        ("returns at most", found.max_return or "-"),
        ("rounded down to", ladder or "-"),
        ("odds", found.odds if found.HasField("odds") else "-"),
        ("state", state if result == "undecided" else f"{state}: {result}"),
    ]
    return lines
