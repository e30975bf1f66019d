"""The roads against a slower way to write them: mark by mark, as the rules for players with pencil and paper say."""

from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st

from pricing.domain.roads import ROWS, Mark, places, roads, streaks

NAMES = {"B": "banker", "P": "player", "T": "tie"}
games = st.text("BPT", max_size=60)
won = st.text("BP", max_size=60)


def of(text: str) -> list[list[str]]:
    """The derived roads, as letters."""
    found = roads(NAMES[each] for each in text)
    return [[mark.name[0] for mark in road] for road in (found.big_eye, found.small, found.cockroach)]


def columns_of(text: str) -> list[str]:
    return ["".join(run) for _, run in groupby(text.replace("T", ""))]


def mark_on_paper(columns: list[str], back: int) -> str | None:
    """The mark that the last win of a big road earns: from the one before it to its left, up and down.

    The first win of a column gets the opposite of what one more win of the column before would have got.
    """
    *earlier, last = columns
    if len(last) == 1:
        if len(earlier) <= back:
            return None
        more = mark_on_paper([*earlier[:-1], earlier[-1] + earlier[-1][0]], back)
        return None if more is None else {"R": "B", "B": "R"}[more]
    if len(earlier) < back:
        return None
    paper = {(row, column) for column, run in enumerate(columns) for row in range(len(run))}
    row, column = len(last) - 1, len(columns) - 1 - back
    there, above = (row, column) in paper, (row - 1, column) in paper
    return "R" if there == above else "B"


def test_the_known_example() -> None:
    assert ["".join(road) for road in of("BBPPPBPBB")] == ["RBBBRB", "BBB", "BR"]


@given(games)
def test_derived_roads_as_written_by_hand(text: str) -> None:
    wins = text.replace("T", "")
    for back, road in enumerate(of(text), 1):
        slow = [mark_on_paper(columns_of(wins[:count]), back) for count in range(1, len(wins) + 1)]
        assert road == [mark for mark in slow if mark]


@given(games)
def test_the_big_road_holds_every_game_once(text: str) -> None:
    found = roads(NAMES[each] for each in text)
    assert [NAMES[run[0]] for run in columns_of(text)] == [streak.winner for streak in found.big]
    assert [len(run) for run in columns_of(text)] == [len(streak.ties) for streak in found.big]
    runs = text.replace("B", "|").replace("P", "|").split("|")
    ties = [len(run) for run in runs]
    if len(ties) == 1:
        assert (found.big, found.leading_ties) == ((), ties[0])
    else:
        assert found.leading_ties == 0
        marked = [count for streak in found.big for count in streak.ties]
        assert marked == [ties[0] + ties[1], *ties[2:]]


@given(won, won)
def test_ties_do_not_move_the_derived_roads(one: str, other: str) -> None:
    assert of(one + other) == of("TT" + one + "TTT" + other + "T")


@given(st.lists(st.sampled_from(Mark), max_size=60))
def test_columns_of_a_derived_road(marks: list[Mark]) -> None:
    columns = streaks(tuple(marks))
    assert [mark for column in columns for mark in column] == marks
    assert all(len(set(column)) == 1 for column in columns)
    assert all(one[0] is not other[0] for one, other in pairwise(columns))


@given(st.lists(st.integers(1, 30), max_size=40))
def test_no_two_marks_share_a_place(lengths: list[int]) -> None:
    found = list(places(lengths))
    assert len(found) == len(set(found)) == sum(lengths)
    assert all(0 <= row < ROWS for row, _ in found)
    starts = [found[sum(lengths[:number])] for number in range(len(lengths))]
    assert all(row == 0 for row, _ in starts)
    assert [column for _, column in starts] == sorted({column for _, column in starts})
    for (row, column), (next_row, next_column) in pairwise(found):
        assert next_row == 0 or (next_row, next_column) in ((row + 1, column), (row, column + 1))
