"""The contract's messages to values of the domain and back. What is wrong is named by its path in the message."""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from pricing import __version__
from pricing.baccarat.v1 import pricing_service_pb2 as service_pb2
from pricing.baccarat.v1.types_pb2 import BetPrice
from pricing.domain.bets import Bet
from pricing.domain.cards import check_entries, parse_cards
from pricing.domain.errors import PricingError
from pricing.domain.game import GameType
from pricing.domain.ladder import Step
from pricing.domain.shoe import Shoe
from pricing.engine.chances import shoe_without
from pricing.engine.quote import BetQuote, Quote
from pricing.games import Catalogue, find_game
from pricing.service.messages.failures import Failure
from pricing.service.messages.wire import read_cards

_PATHS = {
    "game": "game_type",
    "decks": "shoe.decks",
    "removed": "shoe.removed.cards",
    "remaining": "shoe.remaining.cards",
    "unseen_removed": "shoe.unseen_removed",
}
"""Paths in the message, by the name in the domain, where they differ."""


class State(NamedTuple):
    """A state to be priced."""

    game: GameType
    shoe: Shoe
    dealt: bytes


def read_state(request: service_pb2.PriceRequest, games: Catalogue) -> State:
    """The state that a request asks for."""
    game = find_game(games, request.game_type)
    return State(game, _shoe(request, game), parse_cards(request.dealt, "dealt"))


def read_batch(request: service_pb2.BatchPriceRequest, games: Catalogue) -> tuple[GameType, Shoe]:
    """The game and the shoe that all coups of a request share."""
    game = find_game(games, request.game_type)
    check_entries(len(request.coups), "coups")
    return game, _shoe(request, game)


def in_message(error: PricingError, coup: int | None = None) -> PricingError:
    """The same error by its path in the message; in a batch, by the coup whose price failed."""
    name, bracket, rest = error.field.partition("[")
    path = _PATHS.get(name, name) + bracket + rest
    if coup is None:
        return type(error)(path, error.given, error.allowed)
    if name == "dealt":
        return type(error)(f"coups[{coup}].{path}", error.given, error.allowed)
    return type(error)(f"coups[{coup}]", error.given, f"{error.allowed} ({path})")


def _shoe(request: service_pb2.PriceRequest | service_pb2.BatchPriceRequest, game: GameType) -> Shoe:
    if not request.HasField("shoe"):
        return Shoe.without(game.decks)
    shoe = request.shoe
    decks = shoe.decks if shoe.HasField("decks") else game.decks
    if shoe.HasField("remaining"):
        listed = shoe.remaining.cards
        check_entries(len(listed), "remaining")
        return Shoe.of_listed(decks, [(each.card, each.count) for each in listed], shoe.unseen_removed)
    return shoe_without(decks, read_cards(shoe.removed, "removed"), shoe.unseen_removed)


def price_message(quote: Quote) -> service_pb2.PriceResponse:
    """A quote as a message."""
    response = service_pb2.PriceResponse(
        game_type=quote.game,
        policy_version=quote.policy_version,
        engine_version=__version__,
        betting_round=quote.betting_round,
        total_ways=quote.total_ways,
        next_card=quote.next_card,  # type: ignore[arg-type]  # the domain's numbers are the contract's
        player_total=quote.player_total,
        banker_total=quote.banker_total,
        cards_remaining=quote.cards_remaining,
    )
    for bet in quote.bets:
        bet_message(bet, response.bets.add)  # in place: bets made first and then put in would all be copied
    return response


def bet_message(bet: BetQuote, make: Callable[..., BetPrice] = BetPrice) -> BetPrice:
    """A bet's quote as a message, made by the type or in place by a list's ``add``."""
    name, state, result, win_ways, push_ways, win_probability, push_probability, fair_odds, odds, returned, tiers = bet
    message = make(
        bet=name,
        state=state,
        result=result,
        win_ways=win_ways,
        push_ways=push_ways,
        win_probability=win_probability,
        push_probability=push_probability,
        fair_odds=fair_odds,
        odds=odds,
        return_to_player=returned,
    )
    for tier in tiers:
        message.tiers.add(name=tier.name, ways=tier.ways, odds=tier.odds)
    return message


def error_message(found: Failure) -> service_pb2.PriceError:
    """What a call would have failed with, as a message of a stream."""
    violations = [service_pb2.FieldViolation(field=field, description=text) for field, text in found.violations]
    return service_pb2.PriceError(
        code=found.number,
        reason=found.reason,
        message=found.message,
        field_violations=violations,
        metadata=found.metadata,
    )


def game_message(game: GameType) -> service_pb2.GameType:
    """A game type as a message."""
    return service_pb2.GameType(
        name=game.name,
        display_name=game.display_name,
        rules_version=game.rules_version,
        decks=game.decks,
        betting_rounds=[each.cards for each in game.rounds],
        shoe_change=service_pb2.ShoeChange(below=game.shoe_change.below, games_after=game.shoe_change.games_after),
        bets=[_bet_definition(bet) for bet in game.bets],
        ladder=[_ladder_message(step) for step in game.ladder.steps],
    )


def _bet_definition(bet: Bet) -> service_pb2.BetDefinition:
    fixed = () if bet.priced else bet.winning_rows
    payouts = [service_pb2.Payout(name=row.name, odds=row.odds) for row in fixed]
    return service_pb2.BetDefinition(bet=bet.id, display_name=bet.name, rule=bet.rule, payouts=payouts)


def _ladder_message(step: Step) -> service_pb2.LadderStep:
    texts = (_decimal(step.first), _decimal(step.step), _decimal(step.last))
    return service_pb2.LadderStep(**dict(zip(("from", "step", "to"), texts, strict=True)))  # `from` is a word of Python


def _decimal(number: Decimal) -> str:
    return f"{number:.{max(2, -int(number.as_tuple().exponent))}f}"
