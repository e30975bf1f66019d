"""What a table that is followed looks like: as a board, and as a line."""

from datetime import UTC, datetime

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pricing.cli.board import percent
from pricing.client.feed import TableImage, TableView
from pricing.client.tables import summarize
from pricing.client.view import happened, state_of

_STATES = {"active": "green", "suspended": "yellow", "inactive": "dim", "settled": "bold", "cancelled": "yellow"}


def line_of(image: TableImage) -> str:
    """An image on one line: when, which, what happened, the cards, and what is offered."""
    found = summarize(image.table)
    time = datetime.fromtimestamp(image.event_time.seconds, UTC)
    offers = (
        f"{bet.bet} {bet.odds}"
        for each in image.table.game.rounds
        if each.round == found.open_round
        for bet in each.bets
        if bet.HasField("odds") and not image.historical and found.state == "open"
    )
    parts = (
        f"{time:%H:%M:%S}",
        found.table,
        f"{image.sequence}",
        found.state,
        ", ".join(happened(image)) or "-",
        " ".join(found.dealt) or "-",
        f"round {found.open_round}" if found.open_round else "no round",
        " ".join(offers),
    )
    return "  ".join(part for part in parts if part)


def board_of(name: str, view: TableView) -> RenderableType:
    """A table as it is known: nothing is shown as offered unless that is certain."""
    image = view.image
    if image is None:
        return Text(f"{name}: {view.stale or 'no image yet'}", style="yellow")
    found = summarize(image.table)
    head = Text.assemble((found.table, "bold"), f"  {found.state}", f"  {found.game} {found.game_state}", style="")
    if view.stale:
        head.append(f"  not reliable: {view.stale}", style="bold red")
    for hold in found.holds:
        head.append(f"  {hold}", style="yellow")
    cards = Text(f"{' '.join(found.dealt) or 'no card is dealt'}; {found.cards_remaining} cards left")
    return Group(head, cards, _odds(image, view), Text())


def _odds(image: TableImage, view: TableView) -> Table:
    game, offers = image.table.game, {bet.bet for bet in view.offers}
    grid = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    grid.add_column("bet", min_width=12, no_wrap=True)
    begun = [each for each in game.rounds if each.bets]
    for each in begun:
        grid.add_column(f"round {each.round}", justify="right", min_width=8, no_wrap=True)
    grid.add_column("chance", justify="right", no_wrap=True)
    grid.add_column("state", no_wrap=True)
    for place, bet in enumerate(begun[-1].bets if begun else ()):
        state = state_of(bet)
        if state == "active" and bet.bet not in offers:
            state = "suspended"
        prices = [each.bets[place].odds for each in begun]
        grid.add_row(bet.bet, *prices, percent(bet.win_probability, 2), Text(state, style=_STATES.get(state, "dim")))
    return grid
