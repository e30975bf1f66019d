"""What may still be changed of what has happened: scans, results, bets, the composition."""

from pricing.domain.cards import CARDS
from pricing.domain.coup import read_coup
from pricing.domain.errors import PricingError
from pricing.table import events
from pricing.table.entries import Refusal
from pricing.table.games import OVER, GamePhase
from pricing.table.shoes import Destination
from pricing.table.state import Table


def scan_corrected(table: Table, _: events.ScanCorrected) -> Refusal | None:
    """The last card, while its game is not over; a burned one always."""
    last, game = table.shoe.last if table.shoe else None, table.game
    if last is None:
        return Refusal("NO_CARD", "no card was scanned that could be corrected")
    if last.destination is Destination.COUP and (game is None or game.phase in OVER or game.number != last.game):
        return Refusal("NO_CARD", "the last card belongs to a game that is over")
    return None


def games_voided(table: Table, event: events.GamesVoided) -> Refusal | None:
    """Games that are known and not void, each named once."""
    numbers = set()
    for reference in event.games or ("",):
        game = table.find_game(reference)
        if game is None:
            return _unknown(reference)
        if game.phase is GamePhase.VOID:
            return Refusal("GAME_VOID", f"{game.reference} is void already")
        numbers.add(game.number)
    twice = len(numbers) < len(event.games)
    return Refusal("GAME_TWICE", "a game is named twice") if twice else None


def game_resettled(table: Table, event: events.GameResettled) -> Refusal | None:
    """A game that has a result, with a whole coup."""
    game = table.find_game(event.game)
    if game is None:
        return _unknown(event.game)
    if game.phase not in (GamePhase.ENDED, GamePhase.CONFIRMED):
        return Refusal("GAME_NOT_ENDED", f"{game.reference} is {game.phase}")
    try:
        complete = read_coup(event.dealt, game.game_type.drawing).complete
    except PricingError as error:
        return Refusal("INVALID_COUP", str(error))
    return None if complete else Refusal("INVALID_COUP", "the coup is not complete with these cards")


def bets_cancelled(table: Table, event: events.BetsCancelled) -> Refusal | None:
    """Bets that a round of a known game took, unless all of them are void."""
    game = table.find_game(event.game)
    if game is None:
        return _unknown(event.game)
    if game.phase is GamePhase.VOID:
        return Refusal("GAME_VOID", f"{game.reference} is void already")
    if not any(each.number == event.round and each.open_time is not None for each in game.rounds):
        return Refusal("ROUND_NOT_OPEN", f"round {event.round} of {game.reference} took no bets")
    if event.bet is not None and event.bet not in {bet.id for bet in game.game_type.bets}:
        return Refusal("UNKNOWN_BET", f"{event.bet!r} is no bet of {game.game_type.name}")
    if event.from_time is not None and event.to_time is not None and event.from_time >= event.to_time:
        return Refusal("INVALID_SPAN", "the span of time ends before it begins")
    return None


def composition_corrected(table: Table, event: events.CompositionCorrected) -> Refusal | None:
    """After a void, before anything else is played from the shoe."""
    shoe, game = table.shoe, table.game
    if shoe is None:
        return Refusal("NO_SHOE", "no shoe is loaded")
    if game is None or game.phase is not GamePhase.VOID or game.shoe != shoe.number:
        return Refusal("GAME_NOT_VOID", "the composition is corrected after a void, while its shoe is on the table")
    if len(event.remaining) != len(CARDS):
        return Refusal("INVALID_SHOE", f"{len(event.remaining)} counts; allowed: {len(CARDS)}")
    for card, count in enumerate(event.remaining):
        if count > shoe.decks:
            return Refusal("INVALID_SHOE", f"{count} of {CARDS[card]} in {shoe.decks} decks")
    if not 0 <= event.unseen_removed <= sum(event.remaining):
        return Refusal("INVALID_SHOE", "more cards gone unseen than there are")
    return None


def _unknown(reference: str) -> Refusal:
    return Refusal("UNKNOWN_GAME", f"no game {reference!r} that can still be changed")
