"""What prices look like on a terminal."""

from collections.abc import Callable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from pricing.domain.bets import Result
from pricing.engine.quote import BetQuote, OfferState, Quote

_PIPE_WIDTH: Final = 120
_ANY_WIDTH: Final = 1_000
_STYLES: Final = {
    OfferState.ACTIVE: "green",
    OfferState.SUSPENDED: "yellow",
    OfferState.INACTIVE: "dim",
    OfferState.SETTLED: "bold",
    OfferState.CANCELLED: "yellow",
}


def make_console(*, lists: bool = False) -> Console:
    """The terminal; into a pipe or file plain text, of lists as wide as they are."""
    console = Console(highlight=False, soft_wrap=False)
    width = _ANY_WIDTH if lists else _PIPE_WIDTH
    return console if console.is_terminal else Console(highlight=False, width=width, color_system=None)


def price_board(
    quote: Quote, dealt: Sequence[str], console: Console, shown: Callable[[str], str] = str
) -> RenderableType:
    """Everything about one state of a coup.

    Args:
        quote: The state, priced.
        dealt: The coup's cards in dealing order.
        console: Where it is shown; the ways are left out of a table that would be too wide with them.
        shown: How odds are written.
    """
    table = _bets(quote, shown, with_ways=True)
    if console.measure(table, options=console.options.update(width=_ANY_WIDTH)).maximum > console.width:
        table = _bets(quote, shown, with_ways=False)
    return Group(
        Text(_situation(quote), style="bold"),
        Text(_cards(quote, dealt)),
        Text(),
        table,
        Text(),
        *(Text(line, style="dim") for line in _notes(quote)),
    )


def _situation(quote: Quote) -> str:
    if quote.next_card is None:
        return f"{quote.game}: the coup is complete"
    return f"{quote.game}: " + (f"betting round {quote.betting_round}" if quote.betting_round else "no betting round")


def _cards(quote: Quote, dealt: Sequence[str]) -> str:
    return f"{on_the_table(quote, dealt)} {quote.cards_remaining} cards are left in the shoe."


def on_the_table(quote: Quote, dealt: Sequence[str]) -> str:
    """The cards dealt, what they count, and who gets the next."""
    totals = f"Player {quote.player_total}, Banker {quote.banker_total}."
    cards = f"{' '.join(dealt)}: {totals}" if dealt else "No card is dealt."
    return cards if quote.next_card is None else f"{cards} The next card goes to {quote.next_card.name.title()}."


def _bets(quote: Quote, shown: Callable[[str], str], *, with_ways: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("bet", "state"):
        table.add_column(name, no_wrap=True)
    for name in (*(["ways to win"] if with_ways else []), "chance", "fair", "odds", "return"):
        table.add_column(name, justify="right", no_wrap=True)
    for bet in quote.bets:
        ways = [str(bet.win_ways)] if with_ways else []
        fair = "" if bet.fair_odds is None else _decimal(bet.fair_odds)
        returned = "" if bet.return_to_player is None else percent(bet.return_to_player, 2)
        cells = [
            bet.bet,
            state(bet),
            *ways,
            percent(bet.win_probability),
            fair,
            shown(bet.odds) if bet.odds else "",
            returned,
        ]
        table.add_row(*cells, style=_STYLES[bet.state])
        for tier in bet.tiers:
            ways = [str(tier.ways)] if with_ways else []
            chance = percent(tier.ways / quote.total_ways)
            table.add_row(f"  {tier.name}", "", *ways, chance, "", shown(tier.odds), "", style=_STYLES[bet.state])
    return table


def _notes(quote: Quote) -> list[str]:
    if quote.next_card is None:
        return []
    notes = [f"Ways are out of {quote.total_ways}."]
    for ways in dict.fromkeys(bet.push_ways for bet in quote.bets if bet.push_ways):
        bets = " and ".join(bet.bet for bet in quote.bets if bet.push_ways == ways)
        notes.append(f"The stake comes back in {ways} ways ({percent(ways / quote.total_ways)}) on {bets}.")
    return notes


def state(bet: BetQuote) -> str:
    """A bet's state, and its result once the cards on the table decide it."""
    name = bet.state.name.lower()
    return name if bet.result is Result.UNDECIDED else f"{name}: {bet.result.name.lower()}"


def percent(part: float, places: int = 4) -> str:
    """A chance or return: "44.6279 %"."""
    return f"{100 * part:.{places}f} %"


def _decimal(number: float) -> str:
    return f"{number:.4f}" if number < 1e5 else f"{number:.6g}"
