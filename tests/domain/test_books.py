"""Books that make none."""

import re

import pytest

from pricing.domain.errors import InvalidGameType
from pricing.games import load_games
from pricing.games.reader import read_game_type

TEXT = load_games()["bet-on-baccarat"].text
BOOK = 'bets = ["player", "banker"]\nmodel = "odds-ratio"\nmargin = "0.0256"\n'


@pytest.mark.parametrize(
    ("new", "field", "allowed"),
    [
        (BOOK.replace('"banker"', '"tie"'), "books.player-banker.bets", "one wins just where the other loses"),
        (BOOK.replace('"banker"', '"small"'), "books.player-banker.bets", "one wins just where the other loses"),
        (BOOK.replace('"banker"', '"player"'), "books.player-banker.bets", "one bet or two"),
        (BOOK.replace('"banker"', '"tie", "banker"'), "books.player-banker.bets", "one bet or two"),
        (BOOK.replace('"banker"', '"dragon"'), "books.player-banker.bets[1]", "a bet without fixed payouts"),
        (BOOK.replace(', "banker"', "").replace('"odds-ratio"', '"target-return"'), "bets.banker.margin", "one book"),
        (BOOK.replace('"odds-ratio"', '"target-return"'), "books.player-banker.model", "odds-ratio, power"),
        (BOOK.replace('"odds-ratio"', '"magic"'), "books[0].model", "one of target-return"),
        (BOOK.replace('"0.0256"', '"-0.01"'), "books.player-banker.margin", "0 to below 1"),
        (BOOK.replace('"0.0256"', '"1"'), "books.player-banker.margin", "0 to below 1"),
        (BOOK + "\n[[books.rounds]]\nround = 4\n", "books.player-banker.rounds", "1 to 3"),
        (BOOK + "\n[[books.rounds]]\nround = 2\n\n[[books.rounds]]\nround = 2\n", "books.player-banker.rounds", "once"),
        (BOOK + 'push = "tie"\n', "books[0].push", "the keys of"),
        ("", "books[0].bets", "a list"),
        (BOOK + '\n[[books]]\nid = "again"\n' + BOOK, "bets.player.margin", "one book that names it"),
        (BOOK + '\n[[books]]\nid = "tie"\nbets = ["tie"]\nmargin = "0.1"\n', "books", "each id once"),
    ],
)
def test_what_is_no_book_is_refused_by_key(new: str, field: str, allowed: str) -> None:
    with pytest.raises(InvalidGameType) as refused:
        read_game_type(TEXT.replace(BOOK, new), "game.toml")
    assert refused.value.field == f"game.toml: {field}"
    assert allowed in refused.value.allowed


DRAWING = """
[drawing]
naturals = [8, 9]
player = [0, 1, 2, 3, 4, 5]
banker_after_stand = [0, 1, 2, 3, 4, 5]

[drawing.banker]
0 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
2 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
3 = [0, 1, 2, 3, 4, 5, 6, 7, 9]
4 = [2, 3, 4, 5, 6, 7]
5 = [4, 5, 6, 7]
6 = [6, 7]
7 = []
8 = []
9 = []
"""


def test_drawing_rules_are_read() -> None:
    standard, own = read_game_type(TEXT, "game.toml"), read_game_type(TEXT + DRAWING, "game.toml")
    assert own.drawing == standard.drawing
    other = read_game_type(TEXT + DRAWING.replace("6 = [6, 7]", "6 = []"), "game.toml")
    assert other.drawing != standard.drawing


@pytest.mark.parametrize(
    ("old", "new", "field", "allowed"),
    [
        ("7 = []\n", "", "drawing.banker.7", "a list"),
        ("6 = [6, 7]", "6 = [6, 10]", "drawing.banker.6[1]", "0 to 9"),
        ("naturals = [8, 9]\n", "", "drawing.naturals", "a list"),
        ("9 = []\n", "9 = []\n10 = []\n", "drawing.banker.10", "the keys of"),
    ],
)
def test_a_banker_rule_that_is_not_total_is_refused(old: str, new: str, field: str, allowed: str) -> None:
    with pytest.raises(InvalidGameType) as refused:
        read_game_type(TEXT + re.sub(rf"(?m)^{re.escape(old)}", lambda _: new, DRAWING), "game.toml")
    assert refused.value.field == f"game.toml: {field}"
    assert allowed in refused.value.allowed


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('currency = "EUX"', "currency"),
        ("min_stake = 0", "min_stake"),
        ("max_stake = 1", "max_stake"),
        ('max_stake = "9"', "max_stake"),
        ('bet = "dragon"', "bet"),
        ("round = 9", "round"),
    ],
)
def test_limits_that_cannot_be_are_refused(line: str, field: str) -> None:
    good = dict.fromkeys(["stake_step"], 1) | {"min_stake": 10, "max_stake": 20, "max_payout": 99}
    lines = ['currency = "EUR"', *(f"{key} = {value}" for key, value in good.items())]
    kept = [each for each in lines if each.split()[0] != line.split(maxsplit=1)[0]]
    with pytest.raises(InvalidGameType) as refused:
        read_game_type("\n".join([TEXT, "[[limits]]", *kept, line]), "game.toml")
    assert refused.value.field == f"game.toml: limits[0].{field}"
