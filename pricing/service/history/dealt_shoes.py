"""The shoes of a table as they were dealt, in the native form of archives: what ``replay`` prices again."""

from collections import deque
from collections.abc import Iterator
from typing import Any

from pricing.domain.cards import CARDS
from pricing.service.floor.replaying import History
from pricing.table import events
from pricing.table.games import Game, GamePhase
from pricing.table.past import KEPT_GAMES
from pricing.table.state import Table

_UNREAD, _NEVER = "?", -1


def dealt_shoes(history: History) -> Iterator[dict[str, Any]]:
    """Each shoe of a table: ``shoe``, ``decks``, ``cards``, places of ``burned`` ones, ``games``.

    Cards are those that were dealt in the end, with all corrections. A game that is being played is left out, and so is
    what follows a composition that was counted anew: no list of cards says what was in the shoe from then on.

    Args:
        history: All that happened at the table, with the table before and after it.
    """
    dealings: deque[_Dealing] = deque()
    for before, entry, after in history:
        if before is None or entry.refusal:
            continue
        if dealings:
            dealings[-1].take(before, entry.event, after)
        for dealing in dealings:  # games of earlier shoes are corrected, too
            dealing.correct(entry.event, after)
        if isinstance(entry.event, events.ShoeLoaded):
            dealings.append(_Dealing(after))
        while len(dealings) > 1 and dealings[0].over(after):
            yield dealings.popleft().record()
    yield from (dealing.record() for dealing in dealings)


class _Dealing:
    """A shoe while it is dealt."""

    def __init__(self, table: Table) -> None:
        shoe = table.need_shoe()
        self._name = f"{table.name}-{shoe.number}"
        self._decks = shoe.decks
        self._cards: list[int | None] = []
        """In the order in which they left it; None for one that nobody could read yet, _NEVER if nobody ever can."""
        self._games: list[int] = []
        """The number of the game of each; 0 for a burned one."""
        self._void: set[int] = set()
        self._running: int | None = None
        """The number of the game that is being played."""
        self._known = True
        """Whether the cards say what is left."""

    def take(self, before: Table, event: events.Event, after: Table) -> None:
        """Go on by an event."""
        self._running = after.running.number if after.running else None
        self._known &= not isinstance(event, events.CompositionCorrected)
        if not self._known or after.shoe is None or before.shoe is None or isinstance(event, events.ShoeLoaded):
            return
        if after.shoe.drawn > before.shoe.drawn:
            self._cards.append(after.shoe.last.card if after.shoe.last else None)
            self._games.append(0)
        elif isinstance(event, events.BurnIdentified):
            self._cards[self._cards.index(None)] = _NEVER if event.card is None else event.card
        elif isinstance(event, events.ScanCorrected) and before.shoe.last:
            self._cards[_last_of(self._cards, before.shoe.last.card)] = event.card
        if isinstance(event, events.CardDealt | events.EarlyCardResolved) and _dealt(after) > _dealt(before):
            self._games[-1] = after.need_game().number

    def correct(self, event: events.Event, after: Table) -> None:
        """Take in what an event says of games that are over, or makes void."""
        if isinstance(event, events.GameResettled):
            self._redeal(after.need_game(event.game).number, event.dealt)
        for game in _named(event, after):
            (self._void.add if game.phase is GamePhase.VOID else self._void.discard)(game.number)

    def over(self, table: Table) -> bool:
        """Whether its games are so old that they can no longer be corrected."""
        newest = table.game.number if table.game else 0
        return newest - max(self._games, default=0) > KEPT_GAMES

    def record(self) -> dict[str, Any]:
        """The shoe, at the end of it or as far as it is."""
        end = self._first(self._running) if self._running in self._games else len(self._cards)
        games = self._games[:end]
        return {
            "shoe": self._name,
            "decks": self._decks,
            "cards": " ".join(_UNREAD if card in (None, _NEVER) else CARDS[card or 0] for card in self._cards[:end]),
            "burned": [place for place, game in enumerate(games) if not game],
            "games": [
                {"number": number, "first": self._first(number), "void": number in self._void}
                for number in sorted({*games} - {0})
            ],
        }

    def _first(self, game: int | None) -> int:
        return self._games.index(game or 0)

    def _redeal(self, game: int, dealt: bytes) -> None:
        """Put other cards in the place of those of a game, maybe more or fewer."""
        if game not in self._games:
            return  # of an earlier shoe
        places = [place for place, number in enumerate(self._games) if number == game]
        for place, card in zip(places, dealt, strict=False):
            self._cards[place] = card
        for place in reversed(places[len(dealt) :]):
            del self._cards[place], self._games[place]
        behind = places[-1] + 1
        more = dealt[len(places) :]
        self._cards[behind:behind], self._games[behind:behind] = more, [game] * len(more)


def _named(event: events.Event, after: Table) -> Iterator[Game]:
    """The games that an event may have made void, or settled."""
    if isinstance(event, events.GamesVoided):
        yield from map(after.need_game, event.games or ("",))
    elif isinstance(event, events.GameResettled):
        yield after.need_game(event.game)
    elif isinstance(event, events.ShoeLoaded) and after.game:
        yield after.game  # a fresh shoe makes a game void that was being played


def _last_of(cards: list[int | None], card: int) -> int:
    return len(cards) - 1 - cards[::-1].index(card)


def _dealt(table: Table) -> int:
    return len(table.game.dealt) if table.game else 0
