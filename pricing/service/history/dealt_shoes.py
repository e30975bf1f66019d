"""The shoes of a table as they were dealt, in the native form of archives: what ``replay`` prices again."""

from collections.abc import Iterator
from typing import Any

from pricing.domain.cards import CARDS
from pricing.service.floor.replaying import History
from pricing.table import events
from pricing.table.games import GamePhase
from pricing.table.state import Table

_UNREAD = "?"


def dealt_shoes(history: History) -> Iterator[dict[str, Any]]:
    """Each shoe of a table: ``shoe``, ``decks``, ``cards``, places of ``burned`` ones, ``games``.

    Cards are those that were dealt in the end, with all corrections. A game that is being played is left out, and so is
    what follows a composition that was counted anew: no list of cards says what was in the shoe from then on.

    Args:
        history: All that happened at the table, with the table before and after it.
    """
    dealing: _Dealing | None = None
    for before, entry, after in history:
        if before is None or entry.refusal:
            continue
        if isinstance(entry.event, events.ShoeLoaded):
            if dealing:
                yield dealing.record()
            dealing = _Dealing(after)
        elif dealing:
            dealing.take(before, entry.event, after)
    if dealing:
        yield dealing.record()


class _Dealing:
    """A shoe while it is dealt."""

    def __init__(self, table: Table) -> None:
        shoe = table.need_shoe()
        self._name = f"{table.name}-{shoe.number}"
        self._decks = shoe.decks
        self._cards: list[int | None] = []
        """In the order in which they left it; None for one that nobody could read."""
        self._games: list[int] = []
        """The number of the game of each; 0 for a burned one."""
        self._void: set[int] = set()
        self._running: int | None = None
        """The number of the game that is being played."""
        self._known = True
        """Whether the cards say what is left."""

    def take(self, before: Table, event: events.Event, after: Table) -> None:
        """Go on by an event."""
        self._known &= not isinstance(event, events.CompositionCorrected)
        if not self._known or after.shoe is None or before.shoe is None:
            return
        if after.shoe.drawn > before.shoe.drawn:
            self._cards.append(after.shoe.last.card if after.shoe.last else None)
            self._games.append(0)
        elif isinstance(event, events.BurnIdentified) and event.card is not None:
            self._cards[self._cards.index(None)] = event.card
        elif isinstance(event, events.ScanCorrected) and before.shoe.last:
            self._cards[_last_of(self._cards, before.shoe.last.card)] = event.card
        if isinstance(event, events.CardDealt | events.EarlyCardResolved) and _dealt(after) > _dealt(before):
            self._games[-1] = after.need_game().number
        if isinstance(event, events.GameResettled):
            self._redeal(after.need_game(event.game).number, event.dealt)
        self._judge(event, after)
        self._running = after.running.number if after.running else None

    def record(self) -> dict[str, Any]:
        """The shoe, at the end of it or as far as it is."""
        end = self._first(self._running) if self._running in self._games else len(self._cards)
        games = self._games[:end]
        return {
            "shoe": self._name,
            "decks": self._decks,
            "cards": " ".join(_UNREAD if card is None else CARDS[card] for card in self._cards[:end]),
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

    def _judge(self, event: events.Event, after: Table) -> None:
        """Say which games are void."""
        if isinstance(event, events.GamesVoided):
            named: tuple[str, ...] = event.games or ("",)
        elif isinstance(event, events.GameResettled):
            named = (event.game,)
        else:
            return
        for game in map(after.need_game, named):
            (self._void.add if game.phase is GamePhase.VOID else self._void.discard)(game.number)


def _last_of(cards: list[int | None], card: int) -> int:
    return len(cards) - 1 - cards[::-1].index(card)


def _dealt(table: Table) -> int:
    return len(table.game.dealt) if table.game else 0
