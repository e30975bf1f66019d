"""What an event did to a table, in the words of the feed: told from the table before it and after it."""

from collections.abc import Iterator

from pricing.baccarat.v1 import odds_service_pb2 as pb
from pricing.table import events
from pricing.table.state import Entry, Game, GamePhase, OutcomeKind, Table

_OUTCOMES = {
    OutcomeKind.SETTLED: pb.CHANGE_KIND_SETTLEMENT,
    OutcomeKind.ROLLED_BACK: pb.CHANGE_KIND_ROLL_BACK,
    OutcomeKind.VOIDED: pb.CHANGE_KIND_VOID,
}


def changes(before: Table | None, entry: Entry, after: Table) -> "list[pb.ChangeKind.ValueType]":
    """All that happened, in the order of the contract's numbers."""
    if before is None:
        return [pb.CHANGE_KIND_TABLE_CREATED]
    return sorted({*_of_table(before, entry, after), *_of_offers(before, after), *_of_games(entry, after)})


def must_see(entry: Entry, after: Table) -> bool:
    """Whether the event ended, settled, cancelled, voided or rolled back anything."""
    return any(_touched(game, entry.position) for game in games_named(entry, after))


def last_must_see(table: Table) -> int:
    """Position of the last event of a table that was one to be seen; 0 if there was none."""
    games = [table.game, *(table.past.get(table.name, back) for back in range(1, len(table.past.packed) + 1))]
    return max((position for game in games if game for position in _positions(game)), default=0)


def games_named(entry: Entry, after: Table) -> Iterator[Game]:
    """The running or last game, and earlier ones that the event names."""
    if after.game:
        yield after.game
    if entry.refusal:
        return
    event = entry.event
    if isinstance(event, events.GamesVoided):
        named: tuple[str, ...] = event.games
    elif isinstance(event, events.GameResettled | events.BetsCancelled):
        named = (event.game,)
    else:
        return
    for game in map(after.find_game, named):
        if game and after.game and game.number != after.game.number:
            yield game


def _touched(game: Game, position: int) -> bool:
    return position in _positions(game)


def _positions(game: Game) -> Iterator[int]:
    """Of the events that said anything of a game's bets."""
    yield from (each.position for each in game.outcomes)
    yield from (each.position for each in game.cancellations)


def _of_table(before: Table, entry: Entry, after: Table) -> "Iterator[pb.ChangeKind.ValueType]":
    shoe, old = after.shoe, before.shoe
    if shoe and (old is None or (shoe.number, shoe.phase) != (old.number, old.phase)):
        yield pb.CHANGE_KIND_SHOE_CHANGE
    if after.card_state != before.card_state or after.early != before.early:
        yield pb.CHANGE_KIND_CARD
    if after.holds != before.holds:
        yield pb.CHANGE_KIND_HOLD
    if after.policy != before.policy:
        yield pb.CHANGE_KIND_POLICY
    if after.closed and not before.closed:
        yield pb.CHANGE_KIND_TABLE_CLOSED
    if isinstance(entry.event, events.Notice) and not entry.refusal:
        yield pb.CHANGE_KIND_NOTICE


def _of_offers(before: Table, after: Table) -> "Iterator[pb.ChangeKind.ValueType]":
    game, old = after.game, before.game
    if game and (old is None or game.number != old.number):
        yield pb.CHANGE_KIND_GAME_OPENED
    if _open_round(after) not in (None, _open_round(before)):
        yield pb.CHANGE_KIND_ROUND_OPENED
    offered, was_offered = after.offering, before.offering
    if was_offered and (offered is None or _open_round(after) != _open_round(before)):
        yield pb.CHANGE_KIND_BET_STOP
    if offered and offered != was_offered:
        yield pb.CHANGE_KIND_ODDS_CHANGE
    if game and old and game.phase is GamePhase.CONFIRMED and (game.number, game.phase) != (old.number, old.phase):
        yield pb.CHANGE_KIND_CONFIRMATION


def _of_games(entry: Entry, after: Table) -> "Iterator[pb.ChangeKind.ValueType]":
    for game in games_named(entry, after):
        yield from (_OUTCOMES[each.kind] for each in game.outcomes if each.position == entry.position)
        if any(each.position == entry.position for each in game.cancellations):
            yield pb.CHANGE_KIND_CANCELLATION


def _open_round(table: Table) -> tuple[int, int] | None:
    game = table.running
    found = game.open_round if game else None
    return (game.number, found.number) if game and found else None
