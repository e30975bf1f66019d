"""A guard on prices: while nothing that they are made from changes, they must not."""

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pricing.domain.policy import Policy
from pricing.engine.quote import OfferState, quote
from pricing.service.calls.logs import facts
from pricing.service.images.offered import made_from, round_quote
from pricing.table.state import BettingRound, Game, Table, TableShoe

_logger = logging.getLogger(__name__)

_Odds = Mapping[str, str | None]
"""By bet."""


class _Known(NamedTuple):
    """What was offered, and what may change it."""

    game: str
    round: int
    card_state: int
    policy: Policy
    odds: _Odds


class PriceGuard:
    """Prices a round anew at each event that leaves its cards and its policy as they were."""

    def __init__(self, wrong: Callable[[str], object]) -> None:
        """Tell ``wrong`` the table at which prices have changed by themselves."""
        self._wrong = wrong
        self._known: dict[str, _Known] = {}

    def look(self, table: Table) -> None:
        """Look at what a table offers after an event. It does not fail: prices that cannot be made are wrong."""
        game, offer = table.game, table.offering
        if game is None or offer is None or offer.shoe is None:
            return
        behind = (game.reference, offer.number, table.card_state, offer.policy)
        known = self._known.get(table.name)
        try:
            if known is None or known[:-1] != behind:
                self._known[table.name] = _Known(*behind, _offered(table, game, offer))
                return
            now = _anew(game, offer.shoe, offer)
            changed = [bet for bet, odds in known.odds.items() if now[bet] != odds]
        except Exception:  # whatever it is, no price can be relied on
            _logger.exception("prices not made", extra=facts(table=table.name))
            changed = ["all"]
        if changed:
            _logger.error("prices changed by themselves", extra=facts(table=table.name, bets=",".join(changed)))
            self._wrong(table.name)


def _offered(table: Table, game: Game, offer: BettingRound) -> _Odds:
    """The odds that are in the table's image; of no bet that is held or decided."""
    found = round_quote(table, game, offer, held=False)
    return {bet.bet: bet.odds for bet in found.bets if bet.state is OfferState.ACTIVE} if found else {}


def _anew(game: Game, shoe: TableShoe, offer: BettingRound) -> _Odds:
    return {bet.bet: bet.odds for bet in quote(*made_from(game, shoe, offer)).bets}
