"""What is offered in a round: each bet with its price and its state, made of the table's state alone."""

from functools import lru_cache

from pricing.domain.bets import Result
from pricing.domain.game import GameType
from pricing.domain.policy import Policy
from pricing.domain.shoe import Shoe
from pricing.engine.quote import BetQuote, OfferState, Quote
from pricing.engine.situation import situation
from pricing.service.telemetry.quoting import quote
from pricing.table.state import BettingRound, Game, GamePhase, RoundPhase, Table, TableShoe


def round_quote(table: Table, game: Game, each: BettingRound, *, held: bool) -> Quote | None:
    """The bets of a round as they are offered now; None before it has opened.

    The prices are those of the round's last moment; whether they are taken goes by the table as it is.
    """
    if each.shoe is None:
        return None
    found = _quoted(*made_from(game, each.shoe, each))
    results = game.results or situation(game.game_type, game.dealt).results
    offered, held_bets = not held and table.offering is each, table.held_bets
    bets = (
        _as_offered(bet, result, _state(game, each, bet, result, offered=offered and bet.bet not in held_bets))
        for bet, result in zip(found.bets, results, strict=True)
    )
    return found._replace(bets=tuple(bets))


def made_from(game: Game, shoe: TableShoe, each: BettingRound) -> tuple[GameType, Shoe, bytes, Policy]:
    """What the prices of a round on a shoe are made from."""
    known = Shoe(shoe.decks, shoe.counts, False, shoe.unseen_removed + shoe.unread)
    return game.game_type, known, each.dealt, each.policy


_quoted = lru_cache(maxsize=4_096)(quote)
"""Kept, as each image of a game tells all its rounds, and what a round offers is noted too."""


def _state(game: Game, each: BettingRound, bet: BetQuote, result: Result, *, offered: bool) -> OfferState:
    if game.phase is GamePhase.VOID or each.phase is RoundPhase.CANCELLED or _cancelled(game, each, bet.bet):
        return OfferState.CANCELLED
    if game.phase is not GamePhase.OPEN:
        return OfferState.SETTLED
    if bet.state is not OfferState.ACTIVE or result is not Result.UNDECIDED:
        return OfferState.INACTIVE
    if offered:
        return OfferState.ACTIVE
    # After a bet stop the price stays to be seen until the next card.
    last = each.number == game.game_type.betting_round(len(game.dealt))
    return OfferState.SUSPENDED if last else OfferState.INACTIVE


def _cancelled(game: Game, each: BettingRound, bet: str) -> bool:
    """Whether all that was staked on a bet in a round is void."""
    return any(
        cut.round == each.number and cut.bet in (None, bet) and cut.from_time is None and cut.to_time is None
        for cut in game.cancellations
    )


def _as_offered(bet: BetQuote, result: Result, state: OfferState) -> BetQuote:
    """The bet in its state: a price is shown while it is taken, or was a moment ago."""
    if state is OfferState.CANCELLED:
        result = Result.VOID
    if state is bet.state and result is bet.result:  # as nearly always while a round is open
        return bet
    if state in (OfferState.ACTIVE, OfferState.SUSPENDED):
        return bet._replace(state=state, result=result)
    return bet._replace(state=state, result=result, odds=None, return_to_player=None)
