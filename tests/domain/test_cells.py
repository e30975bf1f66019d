"""The cells that a coup can still end in: against enumeration by the rule book in tests/oracle.py."""

from collections.abc import Sequence
from itertools import product

import oracle
import pytest

from pricing.domain.cells import CELLS, ENDINGS, OPENINGS, Ending, endings, openings, possible_cells
from pricing.domain.coup import read_coup
from pricing.domain.drawing import STANDARD

ENDLESS = [9] * 10


def cards(points: Sequence[int]) -> bytes:
    """Some cards that count so."""
    return bytes((worth - 1) % 10 * 4 for worth in points)


def expected_endings(points: Sequence[int]) -> set[Ending]:
    return {Ending(*coup[:4]) for coup in oracle.coups(ENDLESS, points, oracle.STANDARD)}


def found_endings(points: Sequence[int]) -> set[Ending]:
    return {ENDINGS[number] for number in endings(read_coup(cards(points), STANDARD), STANDARD)}


def test_numbers_are_places() -> None:
    for number, cell in enumerate(ENDINGS):
        player, banker, player_cards, banker_cards = cell
        assert number == ((player * 10 + banker) * 2 + player_cards - 2) * 2 + banker_cards - 2
    assert [sum(bit << (3 - place) for place, bit in enumerate(cell)) for cell in OPENINGS] == list(range(16))
    assert (*ENDINGS, *OPENINGS) == CELLS


@pytest.mark.parametrize("length", range(3))
def test_endings_before_the_third_card(length: int) -> None:
    for points in product(range(10), repeat=length):
        assert found_endings(points) == expected_endings(points)


@pytest.mark.parametrize("first", range(10))
def test_endings_of_every_opening(first: int) -> None:
    for others in product(range(10), repeat=3):
        for points in ((first, *others[:2]), (first, *others)):
            assert found_endings(points) == expected_endings(points)


def test_endings_of_every_third_card() -> None:
    """By the totals of the first two cards, which are all that counts by then."""
    for player, banker, third, last in product(range(10), repeat=4):
        five = (player, banker, 0, 0, third)
        if oracle.is_over(list(cards(five[:4]))):
            continue
        assert found_endings(five) == expected_endings(five)
        if not oracle.is_over(list(cards(five))):
            assert found_endings((*five, last)) == expected_endings((*five, last))


# One card, the same again, its rank in another suit, another rank: all there is to tell pairs by.
KINDS = (0, 1, 4)


@pytest.mark.parametrize("dealt", [dealt for length in range(5) for dealt in product(KINDS, repeat=length)], ids=str)
def test_openings(dealt: tuple[int, ...]) -> None:
    found = openings(read_coup(bytes(dealt), STANDARD))
    assert found == {cell for cell, ways in oracle.first_fours([9] * 52, dealt) if ways}


def test_possible_cells() -> None:
    every = possible_cells(STANDARD)
    _, ways = oracle.count([8] * 52, ())
    assert every == {cell for cell, number in enumerate(ways) if number}
    assert len([cell for cell in every if cell >= 400]) == 9
