"""Reads historical shoes from files, whatever their notation, one shoe at a time."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final, TypeAlias

from pricing.domain.game import GameType
from pricing.replay.findings import DirtyData, Finding, FindingKind
from pricing.replay.readers.building import ShoeBuilder, build_whole
from pricing.replay.readers.layouts import Record, records, utf8
from pricing.replay.readers.native import native_rows, native_shoes
from pricing.replay.readers.notations import Notation, find_notation, recognise
from pricing.replay.readers.played import Played, WholeShoe, read_played, texts_of
from pricing.replay.shoes import ShoeRecord

Read: TypeAlias = tuple[ShoeRecord, tuple[Finding, ...]]
"""A shoe, and what is wrong with it."""

_SAMPLE: Final = 200
"""Records by whose cards a notation is recognised."""
_SAME_LENGTH: Final = 10
"""Shoes in a row with as many games each as the one before that are no chance any more."""


def read_shoes(
    paths: Iterable[Path], game: GameType, notation: str | None = None, *, strict: bool = False
) -> Iterator[Read]:
    """The shoes of some files, each with what is wrong with it.

    A game with something wrong is not usable, but its cards have left the shoe.

    Args:
        paths: Files in Parquet's native form, JSON, JSON Lines or CSV, or with a coup a line.
        game: By whose rules they were played; its decks hold where a file names none.
        notation: How the cards are written, by name; recognised by default.
        strict: Whether to stop at the first thing that is wrong.

    Raises:
        UnknownFormat: A notation that is not known or cannot be recognised, or data without cards.
        DirtyData: When strict, the first thing that is wrong.
    """
    bounds = _Bounds()
    for path in paths:
        if path.suffix == ".parquet":
            found: Iterator[Read] = (_once(*read, bounds) for read in native_shoes(path, game))
        else:
            found = _File(path, game, notation).shoes(bounds)
        for shoe, findings in found:
            if strict and findings:
                raise DirtyData(findings[0])
            yield shoe, findings


def _once(shoe: ShoeRecord, findings: tuple[Finding, ...], bounds: "_Bounds") -> Read:
    """A shoe whose id was not there before; else it is set aside."""
    if (wrong := bounds.name(shoe.shoe)) is None:
        return shoe, findings
    coups = tuple(coup._replace(usable=False) for coup in shoe.coups)
    return replace(shoe, coups=coups), (*findings, Finding(shoe.source, FindingKind.BOUNDARY, *wrong))


def number_of_shoes(paths: Sequence[Path]) -> int | None:
    """How many shoes some files hold; None where only reading them through would tell."""
    return None if any(path.suffix != ".parquet" for path in paths) else sum(map(native_rows, paths))


def fingerprint(path: Path) -> str:
    """What tells the contents of a file from any others."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _File:
    """One file, read from its beginning to its end."""

    def __init__(self, path: Path, game: GameType, notation: str | None) -> None:
        self._path, self._game = path, game
        read = ((record, read_played(record)) for record in records(path))
        sample = [*islice(read, _SAMPLE)]
        texts = [text for _, played in sample if played for text in texts_of(played)]
        outcomes = [str(record.values.get("winner", record.text)) for record, played in sample if not played]
        self._notation: Notation = find_notation(notation) if notation else recognise(texts or outcomes, path.name)
        self._read: Iterator[tuple[Record, Played | WholeShoe | None]] = chain(sample, read)
        self._shoes = 0

    def shoes(self, bounds: "_Bounds") -> Iterator[Read]:
        """The shoes, a new one where the source says so."""
        builder: ShoeBuilder | None = None
        name: str | None = None
        whole: WholeShoe | None = None
        for record, played in self._read:
            if isinstance(played, WholeShoe):
                if builder:
                    yield self._finish(builder, name)
                    builder = None
                wrong = bounds.name(played.shoe) or (_repeats(whole, played) if whole else None)
                yield self._finish(build_whole(played, self._notation, self._game, wrong), played.shoe)
                whole = played
                continue
            shoe = name if played is None else played.shoe
            restarts = shoe is None and played is not None and bounds.restarts(played.number)
            if builder and (shoe != name or restarts):
                yield self._finish(builder, name)
                builder = None
            if builder is None:
                builder = ShoeBuilder(self._game, self._notation, played.decks if played else None)
                if wrong := bounds.name(shoe) or bounds.begin(played.number if played else None):
                    builder.distrust(record.place, *wrong)
                name = shoe
            if played is None:
                builder.findings.append(Finding(record.place, FindingKind.RECORD, record.text[:80], "a game"))
                bounds.go_on(None)
            else:
                builder.add(played, bounds.go_on)
        if builder:
            yield self._finish(builder, name)

    def _finish(self, builder: ShoeBuilder, name: str | None) -> Read:
        self._shoes += 1
        return builder.finish(name or f"{utf8(self._path.stem)}-{self._shoes}", utf8(self._path.name))


def _repeats(before: WholeShoe, shoe: WholeShoe) -> tuple[str, str] | None:
    """Whether a shoe is the one before once more: found, and expected."""
    same = (before.cards, before.shoe) == (shoe.cards, shoe.shoe) and shoe.cards
    return ("the shoe before, once more", "another shoe") if same else None


class _Bounds:
    """Whether shoes begin where a source says: one that goes on counting goes on, and real ones differ in length."""

    def __init__(self) -> None:
        self._shoes = self._games = self._before = self._same = 0
        self._last: int | None = None
        self._restarted = False
        self._from_one = False
        """Whether the shoe began with game 1, so that its numbers count."""
        self._names: set[str] = set()

    def name(self, shoe: str | None) -> tuple[str, str] | None:
        """Begin a shoe of this name; what is wrong if there were other shoes since it began: found, and expected."""
        known = shoe in self._names
        if shoe is not None:
            self._names.add(shoe)
        return (f"shoe {shoe} once more", "all of a shoe together, from its first card on") if known else None

    def begin(self, number: int | None) -> tuple[str, str] | None:
        """Begin a shoe with the game of this number; what is wrong with that: found, and expected."""
        self._same = self._same + 1 if self._games and self._games == self._before else 0
        self._before, self._games = self._games, 0
        self._shoes += 1
        self._from_one = number == 1
        continues = self._restarted and number is not None and number > 1 and number - 1 == self._last
        self._restarted |= self._shoes > 1 and number == 1
        if continues:
            return f"a shoe that begins with game {number}", "game 1, as in the shoes before"
        if self._same >= _SAME_LENGTH - 1:
            return f"{self._same + 1} shoes of {self._before} games in a row", "shoes of different lengths"
        return None

    def restarts(self, number: int | None) -> bool:
        """Whether a game of this number is the first of another shoe, where nobody names shoes."""
        return number == 1 and self._games > 0 and self._last is not None and self._last > 1

    def go_on(self, number: int | None) -> tuple[str, str] | None:
        """Go on with a game, by None with an unreadable one; what is wrong with its number: found, and expected."""
        last, begun = self._last, self._games > 0
        self._games += 1
        self._last = last + 1 if number is None and last is not None else number
        if number is None or last is None or not begun or number == last + 1:
            return None
        if number > last and not self._from_one:
            return None  # numbers of another kind
        return f"game {number} after game {last}", f"game {last + 1}"
