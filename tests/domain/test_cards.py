"""Cards as texts and as numbers."""

from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import name

from pricing.domain.cards import CARDS, MAX_ENTRIES, POINTS, parse_card, parse_cards, parse_indexes
from pricing.domain.errors import InvalidCard, TooManyEntries


def test_cards_are_rank_major() -> None:
    assert tuple(name(card) for card in range(52)) == CARDS
    assert (CARDS[0], CARDS[1], CARDS[4], CARDS[39], CARDS[51]) == ("AC", "AD", "2C", "TS", "KS")


def test_points() -> None:
    assert tuple(oracle.points(card) for card in range(52)) == POINTS
    assert POINTS[::4] == (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0)


@given(st.lists(st.integers(0, 51), max_size=30))
def test_texts_and_indexes_agree(cards: list[int]) -> None:
    assert list(parse_cards([name(card) for card in cards], "cards")) == cards
    assert list(parse_indexes(cards, "cards")) == cards
    assert [parse_card(name(card), "card") for card in cards] == cards


def test_numpy_texts_are_texts() -> None:
    assert parse_cards(list(np.array(["AC", "KS"])), "cards") == bytes([0, 51])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "AX",
        "XA",
        "as",
        "As",
        "10S",
        "SA",
        " AS",
        "AS ",
        "ASS",
        "A\0",
        "\0",
        "🂡",
        "A\u0405",
        0,
        1.5,
        None,
        b"AS",
        ["AS"],
    ],
    ids=ascii,
)
def test_other_texts_are_refused_by_place(text: Any) -> None:
    with pytest.raises(InvalidCard, match=r"^card: got ") as caught:
        parse_card(text, "card")
    with pytest.raises(InvalidCard, match=r"^cards\[2\]: got ") as caught:
        parse_cards(["AS", "KD", text, "??"], "cards")
    assert caught.value.given is text
    assert caught.value.allowed == 'a rank of A23456789TJQK, then a suit of CDHS, as in "AS"'


@pytest.mark.parametrize("index", [52, -1, 255, 256, 10**30, 1.0, True, None, "AS", [1]], ids=repr)
def test_other_indexes_are_refused_by_place(index: object) -> None:
    with pytest.raises(InvalidCard, match=r"^cards\[2\]: got .*; allowed: a whole number, 0 to 51$"):
        parse_indexes([0, 1, index, -5], "cards")


def test_long_lists_are_refused_before_they_are_looked_at() -> None:
    assert len(parse_cards(["AS"] * MAX_ENTRIES, "cards")) == len(parse_indexes([1] * MAX_ENTRIES, "cards")) == 1_000
    refused = pytest.raises(TooManyEntries, match=r"^cards: got '1001 entries'; allowed: at most 1000$")
    with refused:
        parse_cards(["not a card"] * 1_001, "cards")
    with refused:
        parse_indexes([-1] * 1_001, "cards")
