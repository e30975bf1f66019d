"""Which game types there are: the built-in ones, and those of a folder."""

import os
from collections.abc import Callable
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from pricing.domain.errors import InvalidGameType, UnknownGameType
from pricing.domain.ladders import LADDERS
from pricing.games import find_game, load_games

NINE = ["player", "banker", "tie", "player-pair", "banker-pair", "either-pair", "perfect-pair", "small", "big"]
PUNTO_BANCO = (resources.files("pricing.games") / "punto-banco.toml").read_text("utf-8")


def test_bet_on_baccarat() -> None:
    game = load_games()["bet-on-baccarat"]
    assert (game.decks, [each.cards for each in game.rounds]) == (6, [0, 1, 2])
    assert (game.shoe_change.below, game.shoe_change.games_after) == (40, 0)
    assert [bet.id for bet in game.bets] == NINE
    books = {book.id: (book.bets, str(book.margin.model), float(book.margin.margin)) for book in game.books}
    assert books == {
        "player-banker": (("player", "banker"), "odds-ratio", 0.0256),
        "small-big": (("small", "big"), "odds-ratio", 0.0526),
        "tie": (("tie",), "target-return", 0.08),
        **{pair: ((pair,), "target-return", 0.1) for pair in NINE[3:7]},
    }
    assert game.ladder == LADDERS["two-decimal"]
    assert not game.limits
    assert game.max_return == 1


def test_punto_banco() -> None:
    game = load_games()["punto-banco"]
    assert (game.decks, [each.cards for each in game.rounds]) == (8, [0])
    assert (game.shoe_change.below, game.shoe_change.games_after) == (8, 0)
    assert {bet.id: bet.winning_rows[0].pays for bet in game.bets} == {
        "player": Decimal("2.00"),
        "banker": Decimal("1.95"),
        "tie": Decimal("9.00"),
        "player-pair": Decimal("12.00"),
        "banker-pair": Decimal("12.00"),
    }
    assert [bool(bet.pushed) for bet in game.bets] == [True, True, False, False, False]
    assert not any(bet.priced for bet in game.bets)


def test_every_bet_tells_its_rule() -> None:
    for game in load_games().values():
        assert all(bet.rule.endswith(".") and bet.name for bet in game.bets)


def test_the_catalogue_is_read_once_and_cannot_be_changed() -> None:
    assert load_games() is load_games(None)
    with pytest.raises(TypeError):
        load_games()["mine"] = load_games()["punto-banco"]  # type: ignore[index]


def own(folder: Path, name: str, file: str | None = None) -> Path:
    path = folder / (file or f"{name}.toml")
    path.write_text(PUNTO_BANCO.replace('"punto-banco"', f'"{name}"').replace("decks = 8", "decks = 6"), "utf-8")
    return path


def test_a_folder_adds_its_game_types(tmp_path: Path) -> None:
    own(tmp_path, "house")
    (tmp_path / "notes.txt").write_text("no game type", "utf-8")
    games = load_games(tmp_path)
    assert list(games) == ["bet-on-baccarat", "punto-banco", "house"]
    assert find_game(load_games(str(tmp_path)), "house").decks == 6
    assert games["punto-banco"] is load_games()["punto-banco"]
    assert "house" not in load_games()


def test_an_empty_folder_adds_nothing(tmp_path: Path) -> None:
    assert load_games(tmp_path) == load_games()


def test_a_folder_may_replace_a_built_in_game_type(tmp_path: Path) -> None:
    own(tmp_path, "punto-banco", "mine.toml")
    games = load_games(tmp_path)
    assert list(games) == ["bet-on-baccarat", "punto-banco"]
    assert (games["punto-banco"].decks, load_games()["punto-banco"].decks) == (6, 8)
    assert games["punto-banco"].policy_version != load_games()["punto-banco"].policy_version


def test_one_name_in_two_files(tmp_path: Path) -> None:
    own(tmp_path, "house", "a.toml")
    second = own(tmp_path, "house", "b.toml")
    with pytest.raises(InvalidGameType) as caught:
        load_games(tmp_path)
    assert caught.value.field == f"{second}: name"
    assert caught.value.given == "house"


def test_a_wrong_file_is_named(tmp_path: Path) -> None:
    own(tmp_path, "good")
    wrong = own(tmp_path, "wrong")
    wrong.write_text(wrong.read_text("utf-8").replace("decks = 6", "decks = 60"), "utf-8")
    with pytest.raises(InvalidGameType) as caught:
        load_games(tmp_path)
    assert caught.value.field == f"{wrong}: decks"


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b'name = "\xff"'),
        lambda path: path.write_bytes(PUNTO_BANCO.encode("utf-16")),
        lambda path: path.write_bytes(b"\0" * 100),
        lambda path: path.write_bytes(b"#" * 10_000_000),
        lambda path: path.mkdir(),
        lambda path: path.symlink_to("/no/such/file"),
        lambda path: path.symlink_to("/dev/zero"),
        os.mkfifo,
    ],
    ids=["not utf-8", "utf-16", "zeros", "huge", "folder", "dangling", "endless", "pipe"],
)
def test_files_that_cannot_be_read(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "house.toml")
    with pytest.raises(InvalidGameType) as caught:
        load_games(tmp_path)
    assert caught.value.field == str(tmp_path / "house.toml")


@pytest.mark.parametrize("folder", ["/no/such/folder", __file__, "a\0b", "x" * 10_000, 5, 5.0, b"/tmp", [], True])
def test_no_folder(folder: Any) -> None:
    with pytest.raises(InvalidGameType, match=r"^games: got .*; allowed: a folder with \.toml files$"):
        load_games(folder)


@pytest.mark.parametrize(
    "name", ["", "nope", "PUNTO-BANCO", "punto-banco ", None, 5, [], {}, float("nan"), "x" * 10**6]
)
def test_unknown_names(name: Any) -> None:
    with pytest.raises(UnknownGameType, match=r"^game: got .*; allowed: one of bet-on-baccarat, punto-banco$"):
        find_game(load_games(), name)
