"""Game types: the built-in ones, and those of a folder of the user's own."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from pricing.domain.errors import InvalidGameType, UnknownGameType
from pricing.domain.game import GameType
from pricing.games.reader import MAX_TEXT, read_game_type

Catalogue: TypeAlias = Mapping[str, GameType]
"""Game types by name, in the order in which they are listed."""


@cache
def built_in() -> Catalogue:
    """The game types that come with the package."""
    files = sorted(resources.files(__package__).iterdir(), key=lambda file: file.name)
    texts = {file.name: file.read_text("utf-8") for file in files if file.name.endswith(".toml")}
    return _catalogue(texts)


def load_games(folder: Path | str | None = None) -> Catalogue:
    """The built-in game types and those in the ``*.toml`` files of a folder; a name of both is the folder's.

    >>> list(load_games())
    ['bet-on-baccarat', 'punto-banco']

    Raises:
        InvalidGameType: A folder or file that cannot be read or used, by file and key.
    """
    if folder is None:
        return built_in()
    try:
        files = sorted(file for file in Path(folder).iterdir() if file.name.endswith(".toml"))
    except (OSError, ValueError, TypeError):
        raise InvalidGameType("games", str(folder), "a folder with .toml files") from None
    texts = {str(file): _text(file) for file in files}
    return MappingProxyType({**built_in(), **_catalogue(texts)})


def find_game(games: Catalogue, name: str, field: str = "game") -> GameType:
    """The game type of that name.

    Raises:
        UnknownGameType: None is configured by that name.
    """
    try:
        return games[name]
    except (KeyError, TypeError):
        raise UnknownGameType(field, name, f"one of {', '.join(games)}") from None


def _text(file: Path) -> str:
    if not file.is_file():
        raise InvalidGameType(str(file), "no file", "a file in UTF-8")
    try:
        with file.open(encoding="utf-8") as opened:
            return opened.read(MAX_TEXT + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidGameType(str(file), str(error), "a file in UTF-8 that can be read") from None


def _catalogue(texts: Mapping[str, str]) -> Catalogue:
    games: dict[str, GameType] = {}
    for source, text in texts.items():
        game = read_game_type(text, source)
        if game.name in games:
            raise InvalidGameType(f"{source}: name", game.name, "a name that no other file of the folder has")
        games[game.name] = game
    return MappingProxyType(games)
