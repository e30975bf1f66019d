"""A shoe that is shuffled and dealt from, for the demo."""

import random
from collections.abc import Iterator

from pricing.domain.cards import CARDS
from pricing.domain.game import GameType


class ShuffledShoe:
    """Cards in the order in which they come.

    >>> from pricing.games import load_games
    >>> game = load_games()["bet-on-baccarat"]
    >>> shoe = ShuffledShoe(game, random.Random(1))
    >>> shoe.left
    312
    >>> first = shoe.draw()
    >>> shoe.left, shoe.gone == (first,)
    (311, True)
    """

    def __init__(self, game: GameType, rng: random.Random) -> None:
        """Shuffle all the decks of a game type together."""
        self._cards = [*CARDS] * game.decks
        rng.shuffle(self._cards)
        self._dealt = 0

    @property
    def left(self) -> int:
        """Cards still in the shoe."""
        return len(self._cards) - self._dealt

    @property
    def gone(self) -> tuple[str, ...]:
        """Cards that have left it, in order."""
        return tuple(self._cards[: self._dealt])

    def draw(self) -> str:
        """Deal the next card."""
        self._dealt += 1
        return self._cards[self._dealt - 1]


def shoes_of_coups(game: GameType, rng: random.Random) -> Iterator[ShuffledShoe]:
    """The shoe that each coup is dealt from, without end: changed when the game type says so.

    Ask for the next one when the coup before it is dealt.
    """
    while True:
        shoe = ShuffledShoe(game, rng)
        last_games = game.shoe_change.games_after
        while True:
            yield shoe
            if shoe.left < game.shoe_change.below:
                if not last_games:
                    break
                last_games -= 1
