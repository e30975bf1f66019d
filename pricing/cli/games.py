"""``baccarat-pricing games``: games that were played at a table."""

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from pricing.cli.access import read_access, server_options
from pricing.cli.asking import ask_history
from pricing.cli.board import make_console
from pricing.cli.flags import SHOES

if TYPE_CHECKING:
    from pricing.client.history import HistoryClient, PlayedGame


@click.command()
@click.argument("table")
@click.argument("game", default="")
@click.option("--shoe", type=SHOES, metavar="N", help="Only games of the table's shoe of this number.")
@click.option("--last", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="So many games.")
@click.option("--json", "as_json", is_flag=True, help="Print each game as JSON, a line each.")
@server_options(help="The server that keeps the table.", default="127.0.0.1:50051")
def games(  # noqa: PLR0913, PLR0917 - the flags
    table: str, game: str, shoe: int | None, last: int, as_json: bool, timeout: float, **access: Any
) -> None:
    """List the last games of TABLE, newest first; or show one GAME, by reference, with the odds of its rounds."""
    from pricing.client.history import games_of
    from pricing.client.messages import line_of_json

    async def call(client: "HistoryClient") -> "list[PlayedGame]":
        if game:
            return [await client.game(table, game, timeout=timeout)]
        found = []
        async for each in client.games(games_of(table, shoe, min(last, 100)), timeout=timeout):
            found.append(each)
            if len(found) == last:
                break
        return found

    found = ask_history(read_access(**access), call)
    console = make_console(lists=True)
    if as_json:
        for each in found:
            click.echo(line_of_json(each))
    elif game:
        console.print(_one(found[0]))
    else:
        console.print(_list(found) if found else "no games")


def _list(found: "list[PlayedGame]") -> Grid:
    from pricing.client.history import summarize_game

    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("game", "shoe", "state", "cards", "player", "banker", "won"):
        numbers = name in ("shoe", "player", "banker")
        shown = name in ("game", "state")  # whatever the width; the others are folded
        grid.add_column(name, no_wrap=shown, overflow="fold", justify="right" if numbers else "left")
    for each in map(summarize_game, found):
        totals = str(each.player_total), str(each.banker_total)
        grid.add_row(each.game, str(each.shoe), each.state, " ".join(each.dealt), *totals, ", ".join(each.won))
    return grid


def _one(played: "PlayedGame") -> RenderableType:
    from pricing.client.history import said_of, summarize_game

    now = summarize_game(played)
    cards = " ".join(now.dealt) or "none"
    return Group(
        Text(f"{now.game}: {now.state}, shoe {now.shoe}", style="bold"),
        Text(f"Cards {cards}: Player {now.player_total}, Banker {now.banker_total}."),
        Text(),
        _odds(played),
        *(Text(line) for line in said_of(played)),
    )


def _odds(played: "PlayedGame") -> Grid:
    """What each round offered last, side by side, and how each bet ended."""
    from pricing.client.history import word_of_bet

    game = played.game
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    grid.add_column("bet", min_width=12, no_wrap=True)
    for each in game.rounds:
        grid.add_column(f"round {each.round}", justify="right", min_width=8, no_wrap=True)
    grid.add_column("result", justify="right", no_wrap=True)
    rounds = [each.bets for each in game.rounds]
    for places in zip_longest(*rounds):
        bet = next(each for each in places if each)
        ended = next((each for each in game.results if each.bet == bet.bet), None)
        prices = [each.odds if each and each.HasField("odds") else "-" for each in places]
        grid.add_row(bet.bet, *prices, word_of_bet(bet.state, ended.result)[1] if ended else "-")
    return grid
