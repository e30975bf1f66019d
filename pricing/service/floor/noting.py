"""What is noted beside an event of a table: the games that it changed, and what is offered after it."""

from collections.abc import Iterator

from pricing.domain.cells import endings, openings
from pricing.domain.game import GameType
from pricing.service.floor.game_texts import hash_of
from pricing.service.images.changes import games_named
from pricing.service.images.offers import offer_of, write_offer
from pricing.store.notes import GameNote, Notes, OfferNote
from pricing.table.past import pack, unpack
from pricing.table.state import Entry, Game, GamePhase, Table


def notes_of(before: Table | None, entry: Entry, after: Table) -> Notes:
    """What is noted beside an event, from the table before it and after it."""
    games = tuple(_game_note(after, game) for game in _noted(before, entry, after))
    offer, game = offer_of(after), after.game
    if offer is None or game is None or game.open_round is None:
        return Notes(games)
    note = OfferNote(after.name, entry.position, game.number, game.open_round.number, write_offer(offer))
    return Notes(games, (note,))


def _noted(before: Table | None, entry: Entry, after: Table) -> Iterator[Game]:
    """Games that are to be noted anew. A running one is when it begins: as long as it runs the table knows more."""
    for game in games_named(entry, after):
        was = before.game if before and game is after.game else None
        runs_on = was and was.number == game.number and was.phase is game.phase is GamePhase.OPEN
        if game is not was and not runs_on:
            yield game


def _game_note(table: Table, game: Game) -> GameNote:
    ending = opening = None
    if game.results and game.phase in (GamePhase.ENDED, GamePhase.CONFIRMED):
        (ending,), (opening,) = endings(game.coup, game.game_type.drawing), openings(game.coup)
    return GameNote(
        table.name,
        game.number,
        game.shoe,
        game.open_time,
        game.phase,
        ending,
        opening,
        hash_of(game.game_type),
        pack(game, 0),
    )


def noted_game(note: GameNote, game_type: GameType) -> Game:
    """The game that a note tells of."""
    return unpack(note.table, note.packed, (game_type,))
