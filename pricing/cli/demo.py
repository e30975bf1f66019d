"""``baccarat-pricing demo``: coups dealt card by card, priced by a server of its own."""

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.live import Live

from pricing.cli.board import make_console
from pricing.cli.coup_board import ASCII_ARROWS, UNICODE_ARROWS, CoupSoFar, coup_board, summary
from pricing.cli.dealing import ShuffledShoe, shoes_of_coups
from pricing.cli.flags import speed_option
from pricing.cli.studio import Studio
from pricing.domain.bets import Result
from pricing.domain.game import GameType
from pricing.engine.quote import Quote
from pricing.games import find_game, load_games

_GAME: Final = "bet-on-baccarat"
_TABLE: Final = "demo"
_PATIENCE: Final = 10.0
"""Seconds to wait for the server, which is on this machine."""
_SECONDS_ROUND: Final = 1.2
_SECONDS_CARD: Final = 0.6
_SEEDS: Final = 1_000_000


@click.command()
@click.option(
    "--coups", type=click.IntRange(1, 10_000), default=3, show_default=True, metavar="N", help="Coups to deal."
)
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Shuffle by this number: the same coups each time.")
@speed_option("2 is twice as fast; 0 does not wait at all.")
def demo(coups: int, seed: int | None, speed: float) -> None:
    """Watch the odds of some coups move.

    Starts a server on a free port of this machine, shuffles a shoe of six decks and deals it card by card at a table
    of that server, which offers odds in each betting round.
    """
    seed = random.randrange(_SEEDS) if seed is None else seed
    asyncio.run(_demo(make_console(), coups, seed, speed))


@dataclass(frozen=True, slots=True)
class _Dealer:
    """Deals coups at a table and shows each state of them as soon as it is priced."""

    console: Console
    game: GameType
    studio: Studio
    ask: Callable[[CoupSoFar], Awaitable[Quote]]
    speed: float

    async def play(self, number: int, shoe: ShuffledShoe) -> CoupSoFar:
        """Deal one coup to its end: shown in place on a terminal, elsewhere once it is complete."""
        coup = CoupSoFar(number, shoe.gone, shoe.left)
        arrows = ASCII_ARROWS if self.console.options.ascii_only else UNICODE_ARROWS
        if not shoe.gone:
            await self.studio.say({"shoe_loaded": {}})
        await self.studio.say({"game_opened": {}})
        with Live(console=self.console, auto_refresh=False, vertical_overflow="visible") as live:
            while True:
                quote = await self._priced(coup)
                coup.quotes.append(quote)
                live.update(coup_board(coup, self.game, arrows), refresh=True)
                if self.speed:
                    await asyncio.sleep((_SECONDS_ROUND if quote.betting_round else _SECONDS_CARD) / self.speed)
                if quote.next_card is None:
                    break
                if quote.betting_round:
                    await self.studio.say({"betting_closed": {}})
                coup.dealt.append(shoe.draw())
                await self.studio.say({"card_dealt": {"card": coup.dealt[-1]}})
        won = next(name for name in ("player", "banker", "tie") if quote.bet(name).result is Result.WON)
        await self.studio.say({"result_announced": {"winner": f"WINNER_{won.upper()}"}})
        # What was live ends without a line's end where there is no terminal.
        self.console.print("" if self.console.is_terminal else "\n")
        return coup

    async def _priced(self, coup: CoupSoFar) -> Quote:
        """What the table offers in a betting round; in other states, which it offers nothing in, the chances alone."""
        from pricing.cli.remote import round_of

        number = self.game.betting_round(len(coup.dealt))
        return round_of(await self.studio.look(), number) if number else await self.ask(coup)


async def _demo(console: Console, number_of_coups: int, seed: int, speed: float) -> None:
    from pricing.cli.remote import quote_of
    from pricing.client.calls import Access
    from pricing.client.messages import price_request
    from pricing.client.prices import connected
    from pricing.client.tables import tables_connected
    from pricing.service.server.server import running
    from pricing.service.settings import Settings

    game = find_game(load_games(), _GAME)
    with tempfile.TemporaryDirectory() as data:
        settings = Settings(listen="127.0.0.1:0", http="off", data=Path(data), log_level="error")
        async with (
            running(settings) as server,
            connected(Access(address=server.address)) as prices,
            tables_connected(Access(address=server.address)) as tables,
            prices.stream() as stream,
        ):

            async def ask(coup: CoupSoFar) -> Quote:
                request = price_request(game.name, removed=coup.gone, dealt=coup.dealt)
                return quote_of(await stream.price(request, f"{coup.number}/{len(coup.dealt)}"))

            # The demo's own pace closes the rounds, not the clock.
            windows_ms = [0] * len(game.rounds)
            await tables.create(_TABLE, game.name, test=True, event_id="demo", timeout=_PATIENCE, windows_ms=windows_ms)
            console.print(
                f"{game.display_name} by --seed {seed}, at a table of a server of its own, over gRPC\n", style="bold"
            )
            dealer = _Dealer(console, game, Studio(tables, _TABLE, "demo", _PATIENCE), ask, speed)
            shoes = islice(shoes_of_coups(game, random.Random(seed)), number_of_coups)
            coups = [await dealer.play(number, shoe) for number, shoe in enumerate(shoes, 1)]
    console.print(summary(coups))
