"""What the course of play allows: shoes, games, betting rounds and cards, each in its turn."""

from pricing.domain.coup import FULL_COUP
from pricing.domain.shoe import DECKS
from pricing.table import events
from pricing.table.entries import Refusal
from pricing.table.games import OVER, GamePhase
from pricing.table.holds import HoldReason
from pricing.table.rounds import RoundPhase
from pricing.table.shoes import ShoePhase
from pricing.table.state import Table

_NO_SHOE = Refusal("NO_SHOE", "no shoe is loaded")
_NO_GAME = Refusal("NO_GAME", "no game is running")
_EARLY = Refusal(HoldReason.EARLY_CARD, "an early card waits: say first whether it was burned or dealt")


def table_closed(table: Table, _: events.TableClosed) -> Refusal | None:
    """Between games."""
    return _between_games(table)


def shoe_loaded(table: Table, event: events.ShoeLoaded) -> Refusal | None:
    """Between games, or when the running one cannot be finished from an impossible shoe."""
    if event.decks not in DECKS:
        return Refusal("INVALID_SHOE", f"{event.decks} decks; allowed: {DECKS[0]} to {DECKS[-1]}")
    if table.running and table.shoe and not table.shoe.trusted:
        return None
    return _between_games(table)


def game_opened(table: Table, _: events.GameOpened) -> Refusal | None:
    """Between games, from a shoe that has one more game in it."""
    shoe = table.shoe
    if shoe is None:
        return _NO_SHOE
    over = shoe.phase is ShoePhase.LAST_GAME and shoe.games_left <= 0
    if over or shoe.phase in (ShoePhase.RETIRED, ShoePhase.UNTRUSTED):
        return Refusal("SHOE_OVER", f"the shoe is {shoe.phase}, a fresh one is due")
    if shoe.left < FULL_COUP:
        return Refusal("NOT_ENOUGH_CARDS", f"{shoe.left} cards can be dealt, a coup may need {FULL_COUP}")
    return _between_games(table)


def betting_closed(table: Table, event: events.BettingClosed) -> Refusal | None:
    """While a game runs; the clock may have closed the round first, which does no harm."""
    game = table.running
    if game is None:
        return _NO_GAME
    begun = [each.number for each in game.rounds if each.phase not in (RoundPhase.PENDING, RoundPhase.SKIPPED)]
    if not begun:
        return Refusal("ROUND_NOT_OPEN", "no round was opened")
    if event.round not in (None, begun[-1]):
        return Refusal("ROUND_NOT_OPEN", f"round {event.round} is not the one that was opened last, {begun[-1]}")
    return None


def window_ended(table: Table, event: events.WindowEnded) -> Refusal | None:
    """While that very round is open."""
    game = table.running
    open_round = game.open_round if game and game.reference == event.game else None
    if open_round is None or open_round.number != event.round:
        return Refusal("ROUND_NOT_OPEN", f"round {event.round} of {event.game} is not open")
    return None


def card_dealt(table: Table, event: events.CardDealt) -> Refusal | None:
    """To the side that the rules say, while a game runs and no early card waits."""
    game = table.running
    if game is None:
        return _NO_GAME
    if table.early:
        return _EARLY
    side = game.coup.next_side
    if event.side is not None and event.side is not side:
        goes_to = side.name if side else "nobody"
        return Refusal("WRONG_SIDE", f"the next card goes to {goes_to}, not to {event.side.name}")
    return None


def card_burned(table: Table, _: events.CardBurned) -> Refusal | None:
    """At any time but while an early card waits."""
    if table.shoe is None:
        return _NO_SHOE
    return _EARLY if table.early else None


def burn_identified(table: Table, _: events.BurnIdentified) -> Refusal | None:
    """While a burned card waits to be read."""
    return None if table.shoe and table.shoe.unread else Refusal("NO_UNREAD_CARD", "no burned card waits to be read")


def early_card_resolved(table: Table, _: events.EarlyCardResolved) -> Refusal | None:
    """While an early card waits."""
    return None if table.early else Refusal("NO_EARLY_CARD", "no early card waits")


def cut_card_seen(table: Table, _: events.CutCardSeen) -> Refusal | None:
    """At any time, from a shoe."""
    return None if table.shoe else _NO_SHOE


def result_announced(table: Table, _: events.ResultAnnounced) -> Refusal | None:
    """Once the coup is complete, and until the result is confirmed."""
    game = table.game
    if game and game.phase is GamePhase.ENDED:
        return None
    what = f"is {game.phase}" if game else "has not begun"
    return Refusal("GAME_NOT_ENDED", f"the game {what}; its cards must have ended it, and no result be confirmed")


def _between_games(table: Table) -> Refusal | None:
    """Refuse while a game is on; it is over when its result is confirmed, or when it is void."""
    game = table.game
    if game is None or game.phase in OVER:
        return None
    return Refusal("GAME_RUNNING", f"{game.reference} is {game.phase}, not over")
