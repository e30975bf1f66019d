"""Game type files: what is read from them, and that whatever is wrong is refused by file and key."""

import hashlib
import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.domain.books import Book, Margin, MarginModel
from pricing.domain.cells import ENDINGS
from pricing.domain.errors import InvalidGameType
from pricing.domain.game import GameType
from pricing.games.reader import MAX_TEXT, read_game_type

GOOD = """
name = "house"
display_name = "House"
rules_version = "1"
decks = 8

[[rounds]]
cards = 0

[shoe_change]
below = 14
games_after = 1

[[ladder]]
from = "1.01"
step = "0.01"
to = "10.00"

[[ladder]]
from = 10.00
step = 0.5
to = 100

[[bets]]
id = "no-commission-banker"
name = "Banker"
rule = "Pays half when Banker wins with 6."

[[bets.rows]]
name = "banker-wins-with-6"
cells = [{ winner = "banker", banker_total = 6 }]
pays = "1.5"

[[bets.rows]]
name = "banker-wins"
cells = [{ winner = "banker", banker_total = [0, 1, 2, 3, 4, 5] }, { winner = "banker", banker_total = [7, 8, 9] }]
pays = 2

[[bets.rows]]
name = "tie"
cells = [{ winner = "tie" }]
pays = 1.00

[[bets]]
id = "big"
name = "Big"
rule = "Wins with five or six cards."
margin = 0.05

[[bets.rows]]
name = "big"
cells = [{ cards = [5, 6] }]
"""


def read(text: str) -> GameType:
    return read_game_type(text, "house.toml")


def test_everything_is_read() -> None:
    game = read(GOOD)
    assert (game.name, game.display_name, game.rules_version, game.decks) == ("house", "House", "1", 8)
    assert [each.cards for each in game.rounds] == [0]
    assert (game.shoe_change.below, game.shoe_change.games_after) == (14, 1)
    assert [(step.first, step.step, step.last) for step in game.ladder.steps] == [
        (Decimal("1.01"), Decimal("0.01"), Decimal(10)),
        (Decimal(10), Decimal("0.5"), Decimal(100)),
    ]
    banker, big = game.bets
    assert (banker.id, banker.name, banker.rule) == (
        "no-commission-banker",
        "Banker",
        "Pays half when Banker wins with 6.",
    )
    assert [(row.name, row.pays) for row in banker.rows] == [
        ("banker-wins-with-6", Decimal("1.5")),
        ("banker-wins", Decimal(2)),
        ("tie", Decimal(1)),
    ]
    assert game.book_of(banker.id) is None
    assert {ENDINGS[cell] for cell in banker.rows[0].cells} == {
        cell for cell in ENDINGS if cell.banker_total == 6 > cell.player_total
    }
    assert game.books == (Book("big", ("big",), Margin(MarginModel.TARGET_RETURN, Fraction(1, 20))),)
    assert big.rows[0].pays is None
    assert game.text == GOOD
    assert game.policy_version == f"house@{hashlib.sha256(GOOD.encode()).hexdigest()[:12]}"


def test_games_after_may_be_left_out() -> None:
    assert read(GOOD.replace("games_after = 1", "")).shoe_change.games_after == 0


def test_another_text_is_another_policy() -> None:
    assert read(GOOD).policy_version != read(GOOD + "\n").policy_version


LINES = [line for line in GOOD.splitlines() if " = " in line and "games_after" not in line and "pays" not in line]


@pytest.mark.parametrize("line", LINES)
def test_no_key_may_be_missing(line: str) -> None:
    """Each is missed by name: those of the bets as well, whose rows without a margin or pays make another bet."""
    key = line.partition(" = ")[0]
    with pytest.raises(InvalidGameType, match=rf"^house\.toml: .*\b{key}: got ('nothing'|None); "):
        read(GOOD.replace(line, "", 1))


@pytest.mark.parametrize("table", ["rounds", "shoe_change", "ladder", "bets", "bets.rows"])
def test_no_table_may_be_missing(table: str) -> None:
    kept = "\n".join(part for part in GOOD.split("\n\n") if not part.lstrip("\n[").startswith(table))
    with pytest.raises(InvalidGameType, match=rf"^house\.toml: .*{table.rpartition('.')[2]}: got 'nothing'; "):
        read(kept)


@pytest.mark.parametrize("line", [line for line in GOOD.splitlines() if " = " in line])
@pytest.mark.parametrize(
    "extra", ["unknown = 1", '"" = 1', '"a.b" = []', '"\\u0000" = 1', '"a\\nb" = 1', f'"{"x" * 1_900}" = 1']
)
def test_no_key_may_be_unknown(line: str, extra: str) -> None:
    with pytest.raises(InvalidGameType, match=r"^house\.toml: .*got 'an unknown key'; ") as caught:
        read(GOOD.replace(line, f"{line}\n{extra}", 1))
    assert len(str(caught.value)) < 400


def replaced(old: str, new: str) -> str:
    assert GOOD.count(old) >= 1
    return GOOD.replace(old, new, 1)


HUGE = "0x" + "f" * 1_900
ID, TEXT, WHOLE, NUMBER = "letters, digits", "a text in one line", "a whole number", "a decimal number"
WRONG = [
    # Names
    ('name = "house"', "name = 1", "name", "a text"),
    ('name = "house"', "name = true", "name", "a text"),
    ('name = "house"', "name = 2026-01-01", "name", "a text"),
    ('name = "house"', 'name = ["house"]', "name", "a text"),
    ('name = "house"', 'name = ""', "name", ID),
    ('name = "house"', 'name = "my house"', "name", ID),
    ('name = "house"', 'name = "../house"', "name", ID),
    ('name = "house"', 'name = "a\\u0000b"', "name", ID),
    ('name = "house"', 'name = "a\\n"', "name", ID),
    ('name = "house"', f'name = "{"a" * 65}"', "name", ID),
    ('"House"', '""', "display_name", TEXT),
    ('"House"', '"  "', "display_name", TEXT),
    ('"House"', '"a\\u0000b"', "display_name", TEXT),
    ('"House"', '"""a\nb"""', "display_name", TEXT),
    ('rules_version = "1"', "rules_version = 1", "rules_version", "a text"),
    ('id = "big"', 'id = "Big bet"', "bets[1].id", ID),
    ('id = "big"', 'id = "no-commission-banker"', "bets", "each id once"),
    ('name = "Big"', "name = []", "bets[1].name", "a text"),
    ('name = "big"', 'name = "é"', "bets[1].rows[0].name", ID),
    ('name = "tie"', 'name = "banker-wins"', "bets.no-commission-banker.rows", "each name once"),
    # Whole numbers
    ("decks = 8", "decks = 0", "decks", "1 to 12"),
    ("decks = 8", "decks = 13", "decks", "1 to 12"),
    ("decks = 8", "decks = -1", "decks", "1 to 12"),
    ("decks = 8", "decks = true", "decks", WHOLE),
    ("decks = 8", "decks = 8.0", "decks", WHOLE),
    ("decks = 8", 'decks = "8"', "decks", WHOLE),
    ("decks = 8", "decks = nan", "decks", WHOLE),
    ("decks = 8", f"decks = {HUGE}", "decks", "1 to 12"),
    ("cards = 0", "cards = 6", "rounds", "0 to 5"),
    ("cards = 0", "cards = -1", "rounds", "0 to 5"),
    ("cards = 0", "cards = false", "rounds[0].cards", WHOLE),
    ("cards = 0", f"cards = {HUGE}", "rounds", "0 to 5"),
    ("cards = 0", "cards = 0\n[[rounds]]\ncards = 0", "rounds", "ascending"),
    ("[[rounds]]\ncards = 0", "", "rounds", "a list"),
    ("decks = 8\n\n[[rounds]]\ncards = 0", "decks = 8\nrounds = []", "rounds", "one or more"),
    ("decks = 8\n\n[[rounds]]\ncards = 0", "decks = 8\nrounds = [0]", "rounds[0]", "a table"),
    ("decks = 8\n\n[[rounds]]\ncards = 0", "decks = 8\nrounds = 0", "rounds", "a list"),
    ("decks = 8\n\n[[rounds]]\ncards = 0", "decks = 8\nrounds = [[]]", "rounds[0]", "a table"),
    ("below = 14", "below = -1", "shoe_change.below", "0 to 416"),
    ("below = 14", "below = 417", "shoe_change.below", "0 to 416"),
    ("below = 14", 'below = "14"', "shoe_change.below", WHOLE),
    ("games_after = 1", "games_after = true", "shoe_change.games_after", WHOLE),
    ("games_after = 1", "games_after = 100", "shoe_change.games_after", "0 to 99"),
    ("[shoe_change]", "[[shoe_change]]", "shoe_change", "a table"),
    # Decimals
    *(
        (old, f"{old.partition(' = ')[0]} = {value}", where, NUMBER)
        for old, where in [
            ("margin = 0.05", "bets[1].margin"),
            ('pays = "1.5"', "bets[0].rows[0].pays"),
            ("step = 0.5", "ladder[1].step"),
        ]
        for value in [
            "nan", "-nan", "inf", "-inf", "true", "[]", "{}", '""', '"x"', '"NaN"', '"sNaN"', '"Infinity"', '"1_0"',
            '" 1"',
            '"1,5"', '"٣"', '".5"', '"1."', '"1e1"', "1e1", "1e-1000", "1e999999", "-1e999999", "1e-999999",
            '"1e999999"',
            "1e999999999999", "1e-999999999999", HUGE, f'"{"9" * 10}"', f'"{"9" * 1_000}"', f'"0.{"1" * 10}"',
            f"0.{'1' * 1_000}", f"1{'0' * 1_000}", "2026-01-01", "10:00:00", '"1\\u0000"', '"1\\n"',
        ]
    ),
    ("margin = 0.05", "margin = 1", "books.big.margin", "0 to below 1"),
    ("margin = 0.05", 'margin = "1.00"', "books.big.margin", "0 to below 1"),
    ("margin = 0.05", "margin = -0.01", "books.big.margin", "0 to below 1"),
    ("margin = 0.05", "", "bets.big.margin", "a margin of its own, or one book"),
    ('id = "no-commission-banker"', 'id = "x"\nmargin = 0', "books.x.bets[0]", "a bet without fixed"),
    ('pays = "1.5"', 'pays = "0.99"', "bets.no-commission-banker.rows", "1.00 or more"),
    ('pays = "1.5"', 'pays = "0"', "bets.no-commission-banker.rows", "1.00 or more"),
    ('pays = "1.5"', 'pays = "-2"', "bets.no-commission-banker.rows", "1.00 or more"),
    ('pays = "1.5"', "", "bets.no-commission-banker.rows", "one row without pays"),
    ("cells = [{ cards = [5, 6] }]", "cells = [{ cards = [5, 6] }]\npays = 1", "bets.big.rows", "more than 1.00"),
    ("cells = [{ cards = [5, 6] }]", "cells = [{ cards = [5, 6] }]\npays = 2", "books.big.bets[0]", "without fixed"),
    ("margin = 0.05\n\n[[bets.rows]]\nname = \"big\"", "[[bets.rows]]\npays = 1\nname = \"big\"", "bets.big.rows",
     "more than 1.00"),
    # Ladder
    ('from = "1.01"', 'from = "1.00"', "ladder[0]", "from above 1.00"),
    ('from = "1.01"', 'from = "-1.01"', "ladder[0]", "from above 1.00"),
    ('step = "0.01"', 'step = "0"', "ladder[0]", "a positive step"),
    ('step = "0.01"', 'step = "-0.01"', "ladder[0]", "a positive step"),
    ('step = "0.01"', 'step = "0.02"', "ladder[0]", "a whole number of steps"),
    ('to = "10.00"', 'to = "1.00"', "ladder[0]", "steps above from"),
    ('to = "10.00"', 'to = "9.00"', "ladder[1].from", "where the range before it ends"),
    ('to = "10.00"', 'to = "20.00"', "ladder[1].from", "where the range before it ends"),
    # Cells
    ("{ cards = [5, 6] }", "{ cards = 7 }", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", "{ cards = [5, 7] }", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", "{ cards = true }", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", "{ cards = 5.0 }", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", '{ cards = "5" }', "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", "{ cards = [[5]] }", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", "{ cards = {} }", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", "{ cards = nan }", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", f"{{ cards = {HUGE} }}", "bets[1].rows[0].cells[0].cards", "[4, 5, 6]"),
    ("{ cards = [5, 6] }", "{ player_pair = 1 }", "bets[1].rows[0].cells[0].player_pair", "[False, True]"),
    ("{ cards = [5, 6] }", '{ winner = "dealer" }', "bets[1].rows[0].cells[0].winner", "['banker', 'player', 'tie']"),
    ("{ cards = [5, 6] }", "{ player_total = 10 }", "bets[1].rows[0].cells[0].player_total", "[0, 1,"),
    ("{ cards = [5, 6] }", "{ player_total = -1 }", "bets[1].rows[0].cells[0].player_total", "[0, 1,"),
    ("{ cards = [5, 6] }", "{ colour = 1 }", "bets[1].rows[0].cells[0].colour", "one of player_total"),
    ("{ cards = [5, 6] }", "{ _fields = 1 }", "bets[1].rows[0].cells[0]._fields", "one of player_total"),
    ("{ cards = [5, 6] }", "{}", "bets[1].rows[0].cells[0]", "some of player_total"),
    ("{ cards = [5, 6] }", "{ cards = 5, player_pair = true }", "bets[1].rows[0].cells[0]", "some of player_total"),
    ("{ cards = [5, 6] }", "{ cards = 5 }, { player_pair = true }", "bets.big.rows", "counted apart"),
    ("{ cards = [5, 6] }", "{ cards = [] }", "bets.big.rows.big.cells", "some coup meets"),
    ("{ cards = [5, 6] }", "{ cards = 6, player_cards = 2 }", "bets.big.rows.big.cells", "some coup meets"),
    ("{ cards = [5, 6] }", "{ cards = 4, player_total = 5, banker_total = 7 }", "bets.big.rows.big.cells",
     "some coup meets"),
    ("{ cards = [5, 6] }", "{ player_pair = false, player_perfect = true }", "bets.big.rows.big.cells",
     "some coup meets"),
    ("[{ cards = [5, 6] }]", "[]", "bets.big.rows.big.cells", "some coup meets"),
    ("[{ cards = [5, 6] }]", "{ cards = 5 }", "bets[1].rows[0].cells", "a list"),
    ("[{ cards = [5, 6] }]", "[5]", "bets[1].rows[0].cells[0]", "a table"),
    ("banker_total = 6", "banker_total = [6, 7]", "bets.no-commission-banker.rows", "rows that share no cell"),
    ('winner = "tie"', "player_pair = true", "bets.no-commission-banker.rows", "counted apart"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "field", "allowed"), WRONG)
def test_what_is_wrong_is_named(old: str, new: str, field: str, allowed: str) -> None:
    with pytest.raises(InvalidGameType) as caught:
        read(replaced(old, new))
    assert caught.value.field == f"house.toml: {field}"
    assert allowed in caught.value.allowed
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        GOOD + "\0",
        GOOD + "# \ud800",
        GOOD + "# \x07",
        "\ufeff" + GOOD,
        GOOD + '\nname = "twice"',
        GOOD + "\n[shoe_change]\nbelow = 1",
        "name",
        "name = ",
        "{}",
        "x = " + "[" * 1_900,
        "x = [\n" * 10_000,
        "x = {a = " * 200,
        "\n".join(f"[{'a.' * 900}b{line}]" for line in range(50)),
        "a." * 900 + "a = 1",
        f"x = {'9' * 1_900}\n",
        "x = 1" + "0" * 1_990,
        "x = 1e99999999999999999999",
        "x = 9999-99-99",
        "x" * MAX_TEXT + "x",
        "x" * 2_001,
        "#" * MAX_TEXT + "\n",
        "[[bets]]\n" * 11_000,
        "[[bets.rows]]\n" * 7_000,
        "\n" * MAX_TEXT,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_texts_that_are_no_game_type(text: str) -> None:
    started = time.monotonic()
    with pytest.raises(InvalidGameType, match=r"^house\.toml"):
        read(text)
    assert time.monotonic() - started < 5


def refusal(text: str) -> str:
    """What is wrong with a text; nothing if it makes a game type."""
    try:
        read(text)
    except InvalidGameType as error:
        return str(error)
    return ""


@given(st.text(), st.integers(0, len(GOOD)), st.integers(0, 40))
def test_damaged_texts(put: str, place: int, cut: int) -> None:
    """A game type or its error, never anything else."""
    message = refusal(GOOD[:place] + put + GOOD[place + cut :])
    assert not message or message.startswith("house.toml")


SCALARS = st.sampled_from(['""', "-1", "0", "1", "5.5", "nan", "true", "[]", "{}", "[1]", '"x"', "1e400", "2026-01-01"])


@given(st.sampled_from([line for line in GOOD.splitlines() if " = " in line]), SCALARS)
def test_any_value_in_any_place(line: str, value: str) -> None:
    message = refusal(GOOD.replace(line, f"{line.partition(' = ')[0]} = {value}"))
    assert not message or message.startswith("house.toml: ")
