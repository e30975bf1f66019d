"""The roads: how players write down the winners of a shoe, and what they read in them. They say nothing of the next."""

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, unique
from typing import NamedTuple

ROWS = 6
"""Rows of the bead plate, and of every road on paper."""


@unique
class Mark(IntEnum):
    """A mark of a derived road; the numbers are those of the public contract."""

    RED = 1
    BLUE = 2


class Streak(NamedTuple):
    """A column of the big road: wins of one side in a row, ties apart."""

    winner: str
    ties: tuple[int, ...]
    """For each win, the ties after it; the first win of a shoe has the ties before it too."""


class Roads(NamedTuple):
    """All roads of a shoe."""

    big: tuple[Streak, ...]
    leading_ties: int
    """Ties before the first win, while there is none to mark them on."""
    big_eye: tuple[Mark, ...]
    small: tuple[Mark, ...]
    cockroach: tuple[Mark, ...]


def roads(winners: Iterable[str]) -> Roads:
    """The roads of winners, each player, banker or tie, in the order of the games.

    >>> names = {"B": "banker", "P": "player", "T": "tie"}
    >>> found = roads(names[each] for each in "BBPPPBPBB")
    >>> ["".join(mark.name[0] for mark in road) for road in found[2:]]
    ['RBBBRB', 'BBB', 'BR']
    """
    big, leading_ties = _big_road(winners)
    lengths = [len(streak.ties) for streak in big]
    return Roads(big, leading_ties, *(tuple(_derived(lengths, back)) for back in (1, 2, 3)))


def _big_road(winners: Iterable[str]) -> tuple[tuple[Streak, ...], int]:
    columns: list[tuple[str, list[int]]] = []
    leading = 0
    for winner in winners:
        if winner != "tie":
            if not columns or columns[-1][0] != winner:
                columns.append((winner, []))
            columns[-1][1].append(leading)
            leading = 0
        elif columns:
            columns[-1][1][-1] += 1
        else:
            leading += 1
    return tuple(Streak(winner, tuple(ties)) for winner, ties in columns), leading


def _derived(lengths: Sequence[int], back: int) -> Iterator[Mark]:
    """The road that compares the big road with itself so many columns before; it has no mark where there are none."""
    for column, length in enumerate(lengths):
        if column > back:
            regular = lengths[column - 1] == lengths[column - 1 - back]
            yield Mark.RED if regular else Mark.BLUE
        if column >= back:
            for row in range(1, length):
                yield Mark.BLUE if lengths[column - back] == row else Mark.RED


def streaks(marks: Sequence[Mark]) -> tuple[tuple[Mark, ...], ...]:
    """The marks of a derived road by columns, one for each run of a colour.

    >>> streaks((Mark.RED, Mark.RED, Mark.BLUE))
    ((<Mark.RED: 1>, <Mark.RED: 1>), (<Mark.BLUE: 2>,))
    """
    columns: list[list[Mark]] = []
    for mark in marks:
        if not columns or columns[-1][-1] is not mark:
            columns.append([])
        columns[-1].append(mark)
    return tuple(map(tuple, columns))


def places(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Where the marks of columns stand on paper of six rows, as (row, column), column after column.

    A column that meets the bottom, or a mark of an earlier one, turns to the right.

    >>> list(places([7, 2]))[-4:]
    [(5, 0), (5, 1), (0, 1), (1, 1)]
    """
    taken: set[tuple[int, int]] = set()
    start = 0
    for length in lengths:
        while (0, start) in taken:
            start += 1
        row, column, turned = 0, start, False
        for _ in range(length):
            taken.add((row, column))
            yield row, column
            turned = turned or row == ROWS - 1 or (row + 1, column) in taken
            row, column = (row, column + 1) if turned else (row + 1, column)
