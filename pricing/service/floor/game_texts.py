"""Game types by the hash of the text they were read from: what is played goes by its text, not by its name."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache

from pricing.domain.game import GameType
from pricing.games import Catalogue
from pricing.games.reader import read_game_type
from pricing.store.journal import Journal, JournalDamaged, JournalReader
from pricing.store.rows import digest


@lru_cache(maxsize=64)
def hash_of(game_type: GameType) -> str:
    """The hash of a game type's text."""
    return digest(game_type.text)


class KeptTexts(Mapping[str, GameType]):
    """Those that a journal has kept, read when they are first asked for."""

    def __init__(self, journal: JournalReader) -> None:
        """Know none yet."""
        self._journal = journal
        self._known: dict[str, GameType] = {}

    def __getitem__(self, game_hash: str) -> GameType:
        if game_hash not in self._known:
            text = self._journal.text(game_hash)
            if digest(text) != game_hash:
                raise JournalDamaged(f"text {game_hash} is not as it was written; see journal verify")
            self._known[game_hash] = read_game_type(text, f"the journal's text {game_hash[:12]}")
        return self._known[game_hash]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class GameTexts(KeptTexts):
    """Those in force now, and those that the journal has kept of earlier times."""

    def __init__(
        self, journal: Journal, games: Catalogue, asking: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        """Know the game types in force.

        Args:
            journal: Keeps the texts.
            games: Game types by name.
            asking: Makes a block in which the journal is waited for.
        """
        super().__init__(journal)
        self._asking = asking
        self._writing = journal
        self._games = games
        self._known |= {hash_of(game): game for game in games.values()}
        self._kept: set[str] = set()
        self._thread = ThreadPoolExecutor(1, "texts")
        """Of its own: a disk that hangs is not to keep others from reading."""

    def in_force(self, game: GameType) -> tuple[str, GameType]:
        """The game type that goes by the name of this one now, and the hash of its text; itself if none does."""
        now = self._games.get(game.name, game)
        return hash_of(now), now

    async def keep(self, game_hash: str) -> None:
        """See to it that the text is in the journal before a row that names it.

        Raises:
            JournalError: It cannot be written.
        """
        if game_hash not in self._kept:
            loop = asyncio.get_running_loop()
            with self._asking():
                await loop.run_in_executor(self._thread, self._writing.put_text, self[game_hash].text)
            self._kept.add(game_hash)
