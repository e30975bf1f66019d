"""Prices from a server, its answers and errors as the values that the rest of the command line knows."""

import asyncio
from collections.abc import Iterable

import click

from pricing.cli.flags import describe
from pricing.cli.state import State
from pricing.client.calls import Access, CallFailed
from pricing.client.messages import price_request
from pricing.client.prices import BetPrice, PriceResponse, connected
from pricing.client.tables import Table
from pricing.domain.bets import Result
from pricing.domain.coup import Side
from pricing.engine.quote import BetQuote, OfferState, Quote, Tier

_STATES = {int(state): state for state in OfferState}
_RESULTS = {int(result): result for result in Result}


def ask(state: State, access: Access, *, timeout: float) -> PriceResponse:
    """Have a server price a state.

    Raises:
        click.ClickException: What went wrong, as the command line tells it.
    """
    request = price_request(
        state.game,
        dealt=state.dealt,
        removed=state.removed,
        remaining=state.remaining,
        decks=state.decks,
        unseen_removed=state.unseen,
    )

    async def call() -> PriceResponse:
        async with connected(access) as client:
            return await client.price(request, timeout=timeout)

    try:
        return asyncio.run(call())
    except CallFailed as failure:
        raise explain(failure, access.address) from None


def quote_of(response: PriceResponse) -> Quote:
    """The quote that the server packed."""
    return Quote(
        response.game_type,
        response.policy_version,
        response.betting_round,
        response.total_ways,
        _bet_quotes(response.bets),
        Side(response.next_card) if response.HasField("next_card") else None,
        response.player_total,
        response.banker_total,
        response.cards_remaining,
    )


def round_of(table: Table, number: int) -> Quote:
    """What a table offers in a betting round of its game."""
    game, offer = table.game, table.game.rounds[number - 1]
    return Quote(
        table.game_type,
        offer.policy_version,
        number,
        offer.total_ways,
        _bet_quotes(offer.bets),
        Side(game.next_card) if game.HasField("next_card") else None,
        game.player_total,
        game.banker_total,
        table.shoe.cards_remaining,
    )


def _bet_quotes(bets: Iterable[BetPrice]) -> tuple[BetQuote, ...]:
    """The bets of an answer. A state that is not known yet counts as not on offer."""
    return tuple(
        BetQuote(
            bet.bet,
            _STATES.get(bet.state, OfferState.INACTIVE),
            _RESULTS.get(bet.result, Result.UNDECIDED),
            bet.win_ways,
            bet.push_ways,
            bet.win_probability,
            bet.push_probability,
            bet.fair_odds if bet.HasField("fair_odds") else None,
            bet.odds if bet.HasField("odds") else None,
            bet.return_to_player if bet.HasField("return_to_player") else None,
            tuple(Tier(tier.name, tier.ways, tier.odds) for tier in bet.tiers),
        )
        for bet in bets
    )


def explain(failure: CallFailed, address: str) -> click.ClickException:
    """The error of the command line: of usage where the server refused the request, of the call otherwise."""
    if failure.violations:
        return click.UsageError("; ".join(describe(*violation) for violation in failure.violations))
    return click.ClickException(f"server {address}: {failure.code}: {failure}")
