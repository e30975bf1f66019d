"""The ways of a state by another route than its price took: added up over the cards that may come next."""

from collections.abc import Sequence
from math import perm

import numpy as np

from pricing.domain.coup import FULL_COUP, read_coup
from pricing.domain.game import GameType
from pricing.engine.chances import way_counter


def ways_by_next_card(game: GameType, remaining: bytes, dealt: bytes) -> tuple[int, Sequence[Sequence[int]]]:
    """Count a state that is known to be legal and in which a card is still to come.

    The kernel counts each state after one more card; the state itself it never sees.

    Args:
        game: The game type.
        remaining: Counts of the 52 cards still in the shoe.
        dealt: Cards of the coup in dealing order.

    Returns:
        The denominator; for each bet, in catalogue order, the ways in which it wins and in which the stake comes back.

    >>> from pricing.domain.shoe import Shoe
    >>> from pricing.games import load_games
    >>> game = load_games()["bet-on-baccarat"]
    >>> total, ways = ways_by_next_card(game, Shoe.without(6).counts, b"")
    >>> round(ways[0][0] / total, 6)
    0.446279
    """
    counter = way_counter(game)
    cards = sum(remaining)
    ways = np.zeros((len(game.bets), 2), object)  # whole numbers of any size
    for card, left in enumerate(remaining):
        if not left:
            continue
        after = bytearray(remaining)
        after[card] -= 1
        coup = dealt + bytes((card,))
        total, found, _ = counter.count(bytes(after), coup)
        # A complete coup counts as one way; dealt to six cards all the same, it would be as many as any other.
        each = perm(cards - 1, FULL_COUP - len(coup)) if read_coup(coup, game.drawing).complete else total
        ways += found.astype(object) * (left * each // total)
    return perm(cards, FULL_COUP - len(dealt)), ways.tolist()
