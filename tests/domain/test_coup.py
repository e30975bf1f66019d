"""Whose card is whose and when a coup is over: every state against the rule book in tests/oracle.py."""

from itertools import product

import oracle
import pytest

from pricing.domain.cards import parse_cards
from pricing.domain.coup import FULL_COUP, Coup, Side, next_side, read_coup
from pricing.domain.drawing import STANDARD
from pricing.domain.errors import InvalidCoup

ENDLESS = [9] * 10
"""A shoe that holds every point value often enough, by points."""


def cards(points: tuple[int, ...]) -> bytes:
    """Some cards that count so."""
    return bytes((worth - 1) % 10 * 4 for worth in points)


def expected_next(points: tuple[int, ...]) -> Side | None:
    """By enumeration, from the opening on: who gets the next card in the coups that start so."""
    coups = oracle.coups(ENDLESS, points, oracle.STANDARD)
    longer = [player for _, _, player, banker, _ in coups if player + banker > len(points)]
    if not longer:
        return None
    return Side.PLAYER if len(points) == 4 and min(longer) == 3 else Side.BANKER


def test_masks_are_those_of_the_rule_book() -> None:
    assert list(STANDARD.masks()) == oracle.to_masks()


@pytest.mark.parametrize("first_two", list(product(range(10), repeat=2)), ids=str)
def test_every_state(first_two: tuple[int, int]) -> None:
    """All openings by points, and every third card after them."""
    for others in product(range(10), repeat=2):
        opening = (*first_two, *others)
        coup = read_coup(cards(opening), STANDARD)
        assert coup.sides == (Side.PLAYER, Side.BANKER) * 2
        assert coup.next_side is expected_next(opening)
        if coup.complete:
            continue
        for third in range(10):
            five = (*opening, third)
            coup = read_coup(cards(five), STANDARD)
            assert coup.next_side is expected_next(five)
            assert coup.complete is oracle.is_over(list(cards(five)))


def test_sides_and_totals() -> None:
    coup = read_coup(parse_cards(["6D", "4D", "6H", "9S", "2S", "4S"], "dealt"), STANDARD)
    assert coup.sides == (Side.PLAYER, Side.BANKER) * 3
    assert coup.hand(Side.PLAYER) == parse_cards(["6D", "6H", "2S"], "hand")
    assert (coup.total(Side.PLAYER), coup.total(Side.BANKER)) == (4, 7)
    assert coup.complete


def test_the_fifth_card_is_bankers_when_player_stands() -> None:
    coup = read_coup(parse_cards(["7S", "5D", "KH", "KC", "3C"], "dealt"), STANDARD)
    assert coup.sides[4:] == (Side.BANKER,)
    assert (coup.total(Side.PLAYER), coup.total(Side.BANKER)) == (7, 8)


def test_a_third_card_of_zero_is_a_card() -> None:
    """0 is what a ten counts, not the lack of a card: Banker stands on 4 against it, and draws on 4 if Player stood."""
    against_ten = read_coup(parse_cards(["2S", "4D", "3S", "KD", "TS"], "dealt"), STANDARD)
    assert against_ten.complete
    assert read_coup(parse_cards(["2S", "4D", "4S", "KD"], "dealt"), STANDARD).next_side is Side.BANKER


@pytest.mark.parametrize(
    ("dealt", "complete_with"),
    [
        ("9S KD KH 2C 3C", 4),  # Player's natural
        ("2S 9D 2H KC 3C", 4),  # Banker's, although Player has 4
        ("7S 7D KH KC 3C", 4),  # both stand
        ("2S 7D 2H KC 3C 4C", 5),  # Banker stands on 7
        ("2S 3D KH KC 8C 4C", 5),  # Banker stands on 3 against an 8
        ("7S 5D KH KC 3C 4C", 5),
        ("2S 3D KH KC 7C 4C 5C", 6),
        ("2S 3D KH KC 7C 4C" + " 5C" * 100, 6),
    ],
)
def test_more_cards_than_the_coup_takes(dealt: str, complete_with: int) -> None:
    with pytest.raises(InvalidCoup, match=rf"^dealt\[{complete_with}\]: got '[345]C'; allowed: no further card"):
        read_coup(parse_cards(dealt.split(), "dealt"), STANDARD)


def test_nothing_dealt() -> None:
    assert read_coup(b"", STANDARD) == Coup(b"", (), Side.PLAYER)
    assert next_side([], [], STANDARD) is Side.PLAYER
    assert FULL_COUP == 6
