"""``baccarat-pricing price``: every bet in one state of a coup."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from pricing.cli.access import read_access, refuse_without_server, server_options
from pricing.cli.board import make_console, price_board
from pricing.cli.flags import encodable, game_option, games_option
from pricing.cli.state import State, split_cards, split_counts
from pricing.domain.cards import MAX_ENTRIES
from pricing.domain.errors import TooManyEntries
from pricing.domain.odds_formats import FORMATS
from pricing.engine.quote import Quote
from pricing.games import load_games

if TYPE_CHECKING:
    from pricing.client.prices import PriceResponse

_LONGEST: Final = 1 << 20


@click.command()
@game_option
@click.option("--dealt", multiple=True, metavar="CARDS", help='Cards of the coup in dealing order, as in "9S KD".')
@click.option("--removed", multiple=True, metavar="CARDS", help="Cards that have left the shoe; - reads stdin.")
@click.option("--remaining", multiple=True, metavar="COUNTS", help='Instead: the cards still there, as in "AS:3 KD:1".')
@click.option("--decks", type=int, metavar="N", help="Decks the shoe was loaded with; the game type's by default.")
@click.option("--unseen", type=int, default=0, metavar="N", help="Cards that left the shoe without being seen.")
@click.option(
    "--odds", type=click.Choice(list(FORMATS)), default="decimal", show_default=True, help="How odds are written."
)
@click.option("--json", "as_json", is_flag=True, help="Print the service's PriceResponse as JSON.")
@games_option
@server_options(help="Ask this server instead of computing here.")
@click.pass_context
def price(  # noqa: PLR0913 - the flags are what the command is
    context: click.Context,
    /,
    *,
    game: str,
    dealt: tuple[str, ...],
    removed: tuple[str, ...],
    remaining: tuple[str, ...],
    decks: int | None,
    unseen: int,
    odds: str,
    as_json: bool,
    games: Path | None,
    timeout: float,
    **access: Any,
) -> None:
    """Price every bet in one state of a coup.

    Cards are a rank of A23456789TJQK, then a suit of CDHS: AS, TD. Between cards stands a space or a comma.
    """
    if removed and remaining:
        raise click.UsageError("--remaining: got --removed as well; allowed: one of the two")
    state = State(
        encodable(game),
        split_cards(dealt),
        _removed(removed) if removed else None,
        split_counts(remaining) if remaining else None,
        decks,
        unseen,
    )
    if access["server"] is None:
        refuse_without_server(context)
        quote = state.price(load_games(games))
        if not as_json:
            _print_board(quote, state, odds)
            return
        from pricing.service.messages.convert import price_message

        _print_json(price_message(quote))
        return
    if context.get_parameter_source("games") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--games: got --server as well; allowed: one of the two, as a server has its own")
    from pricing.cli.remote import ask, quote_of

    response = ask(state, read_access(**access), timeout=timeout)
    if as_json:
        _print_json(response)
    else:
        _print_board(quote_of(response), state, odds)


def _removed(texts: tuple[str, ...]) -> tuple[str, ...]:
    return split_cards([_stdin() if text == "-" else text for text in texts])


def _stdin() -> str:
    text = sys.stdin.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise TooManyEntries("removed", f"more than {_LONGEST} characters on stdin", f"at most {MAX_ENTRIES}")
    return text


def _print_board(quote: Quote, state: State, odds: str) -> None:
    console = make_console()
    console.print(price_board(quote, state.dealt, console, FORMATS[odds]))


def _print_json(response: "PriceResponse") -> None:
    from pricing.client.messages import price_json

    click.echo(price_json(response))
