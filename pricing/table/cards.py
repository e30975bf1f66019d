"""What happens to cards: dealt, burned, early, identified, corrected."""

from typing import Any

from pricing.table import rounds
from pricing.table.entries import Entry
from pricing.table.events import BurnIdentified, CancelReason, CardBurned, CardDealt, EarlyCardResolved, ScanCorrected
from pricing.table.games import OVER, Cancellation, Game, advance, cancel, redeal, reopen
from pricing.table.shoes import Destination, LastCard, TableShoe, correct, draw, draw_unread, identify, send
from pricing.table.state import EarlyCard, Table


def dealt(table: Table, event: CardDealt, entry: Entry) -> Table:
    """A card of the coup; while a round is open it waits for the studio to say what became of it."""
    shoe, game, time = table.need_shoe(), table.need_game(), entry.recorded_time
    if open_round := game.open_round:
        # Bets are struck from the round's beginning on: a time before it says no more.
        early = EarlyCard(event.card, open_round.number, max(entry.time, open_round.open_time or entry.time))
        return _seen(table, shoe=draw(shoe, LastCard(event.card, Destination.EARLY, time, game.number)), early=early)
    shoe = draw(shoe, LastCard(event.card, Destination.COUP, time, game.number))
    game = game._replace(dealt=game.dealt + bytes((event.card,)))
    return _seen(table, shoe=shoe, game=advance(game, shoe, table.windows_ms, entry))


def early_resolved(table: Table, event: EarlyCardResolved, entry: Entry) -> Table:
    """An early card was burned, and betting goes on; or dealt, and bets struck since it was seen do not stand."""
    shoe, game, early, time = table.need_shoe(), table.need_game(), table.early, entry.recorded_time
    if early is None:
        raise LookupError(f"{table.name} has no early card at position {table.position}")
    if not event.was_dealt:
        return _seen(table, shoe=send(shoe, Destination.DISCARDS, time), early=None)
    late = Cancellation(early.round, None, early.time, None, CancelReason.LATE_BETS, entry.position)
    closed = game._replace(dealt=game.dealt + bytes((early.card,)), rounds=rounds.close_open(game.rounds, time))
    shoe = send(shoe, Destination.COUP, time)
    game = advance(cancel(closed, [late], time), shoe, table.windows_ms, entry)
    return _seen(table, shoe=shoe, early=None, game=game)


def burned(table: Table, event: CardBurned, entry: Entry) -> Table:
    """A card goes to the discards."""
    shoe = table.need_shoe()
    if event.card is None:
        return _seen(table, shoe=draw_unread(shoe))
    return _seen(table, shoe=draw(shoe, LastCard(event.card, Destination.DISCARDS, entry.recorded_time)))


def burn_identified(table: Table, event: BurnIdentified, entry: Entry) -> Table:
    """An unread card is known, or known to stay unknown."""
    return _seen(table, shoe=identify(table.need_shoe(), event.card, entry.recorded_time))


def corrected(table: Table, event: ScanCorrected, entry: Entry) -> Table:
    """The last card was another one: the shoe and the coup are as if it had been scanned right."""
    before, game, time = table.need_shoe(), table.game, entry.recorded_time
    last = before.last
    if last is None:
        raise LookupError(f"{table.name} has no last card at position {table.position}")
    if last.card == event.card:
        return _seen(table)
    shoe = correct(before, last, event.card, time)
    early = table.early and table.early._replace(card=event.card)
    if game and game.phase not in OVER:
        game = cancel(game, _wrong_prices(game, before, last, entry), time)
        if last.destination is Destination.COUP:
            game = redeal(game, game.dealt[:-1] + bytes((event.card,)), entry.position)
            game = advance(reopen(game), shoe, table.windows_ms, entry)
    return _seen(table, shoe=shoe, early=early, game=game)


def _wrong_prices(game: Game, shoe: TableShoe, last: LastCard, entry: Entry) -> list[Cancellation]:
    """Bets struck at prices that a wrong last card went into."""
    return [
        Cancellation(
            each.number,
            None,
            max(each.open_time or 0, last.time),
            entry.recorded_time,
            CancelReason.INCORRECT_ODDS,
            entry.position,
        )
        for each in game.rounds
        # The very same card, not one that was corrected to be like it.
        if each.shoe and each.shoe.drawn == shoe.drawn and each.shoe.last is last
    ]


def _seen(table: Table, **changes: Any) -> Table:
    """The table after a card, burn or correction."""
    return table._replace(card_state=table.card_state + 1, **changes)
