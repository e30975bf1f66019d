"""What happens to shoes and games as wholes: loaded, opened, announced, void, settled anew, cancelled in part."""

from pricing.domain.game import GameType
from pricing.domain.policy import STANDING
from pricing.table import games, shoes
from pricing.table.entries import Entry
from pricing.table.events import (
    BetsCancelled,
    CompositionCorrected,
    CutCardSeen,
    GameOpened,
    GameResettled,
    GamesVoided,
    ResultAnnounced,
    ShoeLoaded,
    VoidReason,
)
from pricing.table.games import Cancellation, GamePhase
from pricing.table.holds import HoldReason, place
from pricing.table.policies import misfit
from pricing.table.shoes import Destination, ShoePhase
from pricing.table.state import Table


def shoe_loaded(table: Table, event: ShoeLoaded, entry: Entry, game_type: GameType) -> Table:
    """A fresh shoe. A game that could not be finished from the one before, as that was impossible, is void."""
    if table.running:
        table = table._replace(game=games.void(table.running, VoidReason.SHOE_UNTRUSTED, entry), early=None)
    shoe = shoes.fresh(table.shoe.number + 1 if table.shoe else 1, game_type, event.decks)
    table = table._replace(game_type=game_type, shoe=shoe, card_state=table.card_state + 1)
    return _without_policy(table, entry) if misfit(table.policy, game_type) else table


def _without_policy(table: Table, entry: Entry) -> Table:
    """The shoe is on the table whatever the traders had set. As that cannot hold, they have to say what does."""
    holds = place(table.holds, HoldReason.POLICY_DROPPED, entry.recorded_time)
    return table._replace(policy=STANDING, holds=holds)


def game_opened(table: Table, _: GameOpened, entry: Entry) -> Table:
    """A game is announced; the one before it joins the past."""
    shoe, last = table.need_shoe(), table.game
    if shoe.stage is ShoePhase.LAST_GAME:
        shoe = shoe._replace(games_left=shoe.games_left - 1)
    number = last.number + 1 if last else 1
    game = games.announce(table.name, number, shoe, table.windows_ms, entry.recorded_time)
    return table._replace(shoe=shoe, game=game, past=table.past.add(last) if last else table.past)


def cut_card_seen(table: Table, _event: CutCardSeen, _: Entry) -> Table:
    """The end of the shoe is announced."""
    return table._replace(shoe=shoes.announce_end(table.need_shoe()))


def announced(table: Table, event: ResultAnnounced, _: Entry) -> Table:
    """Confirm the result that the cards give, unless the dealer says another."""
    game = table.need_game()
    if not games.agrees(game, event):
        return table._replace(game=game._replace(disputed=True))
    return _over(table._replace(game=game._replace(phase=GamePhase.CONFIRMED, disputed=False)))


def voided(table: Table, event: GamesVoided, entry: Entry) -> Table:
    """Void games: bets already settled are rolled back first, and every stake comes back."""
    found = [game for reference in event.games or ("",) if (game := table.find_game(reference))]
    for game in found:
        table = table.with_game(games.void(game, event.reason, entry))
    numbers, shoe = {game.number for game in found}, table.need_shoe()
    if shoe.last and shoe.last.game in numbers:
        # It has left the shoe all the same; scanned wrong, it can still be corrected there.
        shoe = shoes.send(shoe, Destination.DISCARDS, entry.recorded_time)
    if event.reason is VoidReason.BAD_SHUFFLE and any(game.shoe == shoe.number for game in found):
        shoe = shoe._replace(stage=ShoePhase.RETIRED)
    table = table._replace(shoe=shoe)
    return _over(table._replace(early=None)) if table.need_game().number in numbers else table


def resettled(table: Table, event: GameResettled, entry: Entry) -> Table:
    """Settle a game anew from other cards; the shoe on the table gets the difference if they came from it."""
    old, shoe = table.need_game(event.game), table.shoe
    table = table.with_game(games.settle(games.redeal(old, event.dealt, entry.position), entry.position))
    if shoe is None or shoe.number != old.shoe:
        return table
    known = shoes.redeal(shoe, old.number, old.dealt, event.dealt)
    changed = (known.counts, known.impossible) != (shoe.counts, shoe.impossible)
    if known.last and known.last.game == old.number:
        known = known._replace(last=None)
    return table._replace(shoe=known, card_state=table.card_state + changed)


def bets_cancelled(table: Table, event: BetsCancelled, entry: Entry) -> Table:
    """Cancel bets of a round."""
    game = table.need_game(event.game)
    named = Cancellation(event.round, event.bet, event.from_time, event.to_time, event.reason, entry.position)
    return table.with_game(games.cancel(game, [named], entry.recorded_time))


def composition_corrected(table: Table, event: CompositionCorrected, _: Entry) -> Table:
    """Somebody has counted what is left in the shoe."""
    shoe = shoes.recount(table.need_shoe(), event.remaining, event.unseen_removed, table.need_game().number)
    return table._replace(shoe=shoe, card_state=table.card_state + 1)


def _over(table: Table) -> Table:
    """The table when its game is over: the shoe retires with its last one."""
    shoe, game = table.need_shoe(), table.need_game()
    return table._replace(shoe=shoes.retire_if_done(shoe)) if game.shoe == shoe.number else table
