"""What a game type checks beside its parts."""

from dataclasses import replace
from typing import Any

import pytest

from pricing.domain.bets import Row
from pricing.domain.errors import InvalidGameType
from pricing.domain.game import Round, ShoeChange
from pricing.games import load_games

GAME = load_games()["bet-on-baccarat"]


def rounds(*cards: int) -> tuple[Round, ...]:
    return tuple(map(Round, cards))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"decks": 0}, "decks"),
        ({"decks": 13}, "decks"),
        ({"rounds": ()}, "rounds"),
        ({"rounds": rounds(0, 0)}, "rounds"),
        ({"rounds": rounds(1, 0)}, "rounds"),
        ({"rounds": rounds(-1)}, "rounds"),
        ({"rounds": rounds(6)}, "rounds"),
        ({"shoe_change": ShoeChange(-1)}, "shoe_change.below"),
        ({"shoe_change": ShoeChange(313)}, "shoe_change.below"),
        ({"shoe_change": ShoeChange(40, -1)}, "shoe_change.games_after"),
        ({"shoe_change": ShoeChange(40, 10**9)}, "shoe_change.games_after"),
        ({"bets": ()}, "bets"),
        ({"bets": GAME.bets[:1] * 2}, "bets"),
    ],
    ids=str,
)
def test_parts_that_make_no_game(change: dict[str, Any], where: str) -> None:
    with pytest.raises(InvalidGameType) as caught:
        replace(GAME, **change)
    assert caught.value.field == where


def test_rows_that_no_coup_meets() -> None:
    tie = next(bet for bet in GAME.bets if bet.id == "tie")
    for cells in (frozenset[int](), frozenset({0}), frozenset({403})):  # 0 to 0 with four cards; perfect, but no pair
        bet = replace(tie, rows=(Row("never", cells, None),))
        with pytest.raises(InvalidGameType, match=r"^bets\.tie\.rows\.never\.cells: got 'what no coup meets'"):
            replace(GAME, bets=(bet,))


def test_rounds_by_cards_on_the_table() -> None:
    assert [GAME.betting_round(cards) for cards in range(7)] == [1, 2, 3, 0, 0, 0, 0]
    late = replace(GAME, rounds=rounds(0, 4, 5))
    assert [late.betting_round(cards) for cards in range(7)] == [1, 0, 0, 0, 2, 3, 0]
