"""What a coup of the demo looks like, and what bets on it came to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from pricing.cli.board import on_the_table, percent
from pricing.domain.bets import Result
from pricing.domain.cards import parse_cards
from pricing.domain.coup import read_coup
from pricing.domain.game import GameType
from pricing.engine.quote import BetQuote, Quote

_RESULT_STYLES: Final = {Result.WON: "bold green", Result.LOST: "dim", Result.PUSH: "yellow"}


@dataclass(frozen=True, slots=True)
class Arrows:
    """How a price that moved is marked."""

    up: str
    down: str


UNICODE_ARROWS: Final = Arrows("▲", "▼")
ASCII_ARROWS: Final = Arrows("+", "-")


@dataclass(slots=True)
class CoupSoFar:
    """A coup as it is dealt: each state that was priced."""

    number: int
    gone: tuple[str, ...]
    """Cards that had left the shoe before it."""
    left: int
    """Cards in the shoe before it."""
    dealt: list[str] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)

    @property
    def rounds(self) -> Iterable[Quote]:
        """The states in which betting was open."""
        return [quote for quote in self.quotes if quote.betting_round]


def coup_board(coup: CoupSoFar, game: GameType, arrows: Arrows) -> RenderableType:
    """The odds of each betting round side by side, the chances now, and the cards."""
    now = coup.quotes[-1]
    shoe = f"{coup.left} cards in the shoe" if coup.gone else f"fresh shoe of {coup.left} cards"
    return Group(
        Text.assemble((f"Coup {coup.number}", "bold"), (f"  {shoe}", "dim")),
        Text(),
        _odds(coup, game, arrows),
        Text(),
        Text(_cards(coup.dealt, now)),
    )


def _odds(coup: CoupSoFar, game: GameType, arrows: Arrows) -> Table:
    now = coup.quotes[-1]
    open_in = {quote.betting_round: quote for quote in coup.rounds}
    rounds = [open_in.get(number) for number in range(1, len(game.rounds) + 1)]
    sides = [side.name.title() for side in read_coup(parse_cards(coup.dealt, "dealt"), game.drawing).sides]
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("bet", min_width=12, no_wrap=True)
    for number, each in enumerate(game.rounds, 1):
        opened_by = f"{sides[each.cards - 1]} {coup.dealt[each.cards - 1]}" if 0 < each.cards <= len(sides) else ""
        table.add_column(f"round {number}\n{opened_by}", justify="right", min_width=10, no_wrap=True)
    table.add_column("result" if now.next_card is None else "chance now", justify="right", min_width=10, no_wrap=True)
    for place, bet in enumerate(now.bets):
        prices = [quote.bets[place].odds if quote else None for quote in rounds]
        table.add_row(bet.bet, *_moves(prices, arrows), _outcome(bet))
    return table


def _moves(prices: Sequence[str | None], arrows: Arrows) -> Iterable[Text]:
    """Prices with a mark where they differ from the one before."""
    before = None
    for price in prices:
        text = Text(price or "")
        if price and before and Decimal(price) != Decimal(before):
            rises = Decimal(price) > Decimal(before)
            text.append(f" {arrows.up if rises else arrows.down}", style="green" if rises else "red")
        else:
            text.append("  ")
        before = price or before
        yield text


def _outcome(bet: BetQuote) -> Text:
    if bet.result is Result.UNDECIDED:
        return Text(percent(bet.win_probability, 2))
    return Text(bet.result.name.lower(), style=_RESULT_STYLES.get(bet.result, ""))


def _cards(dealt: Sequence[str], now: Quote) -> str:
    won = ", ".join(bet.bet for bet in now.bets if bet.result is Result.WON)
    return on_the_table(now, dealt) + ("" if now.next_card else f" Won: {won}.")


@dataclass(slots=True)
class Tally:
    """One unit on a bet in every betting round in which it was on offer."""

    won: int = 0
    """Coups in which the bet won."""
    staked: int = 0
    expected: float = 0.0
    """What the stakes return on average."""
    returned: Decimal = Decimal(0)

    def add(self, bets: Iterable[BetQuote], result: Result) -> None:
        """Settle a coup's stakes, each at the odds at which it was struck."""
        self.won += result is Result.WON
        for bet in bets:
            if bet.odds is None or bet.return_to_player is None:
                continue
            self.staked += 1
            self.expected += bet.return_to_player
            self.returned += {Result.WON: Decimal(bet.odds), Result.PUSH: Decimal(1)}.get(result, Decimal(0))


def summary(coups: Sequence[CoupSoFar]) -> RenderableType:
    """What one unit on every bet in every betting round came to."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("bet", min_width=12, no_wrap=True)
    for name in ("coups won", "staked", "returned", "net", "expected"):
        table.add_column(name, justify="right", no_wrap=True)
    for place, bet in enumerate(coups[-1].quotes[-1].bets):
        tally = Tally()
        for coup in coups:
            tally.add((quote.bets[place] for quote in coup.rounds), coup.quotes[-1].bets[place].result)
        net = tally.returned - tally.staked
        money = f"{tally.returned:.2f}", f"{net:+.2f}", f"{tally.expected:.2f}"
        table.add_row(bet.bet, str(tally.won), str(tally.staked), *money)
    title = f"{len(coups)} coup{'s' * (len(coups) > 1)}, one unit on every bet in every round in which it was offered"
    return Group(Text(title, style="bold"), Text(), table)
