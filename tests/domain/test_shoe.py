"""What is left in a shoe, and what cannot be."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import name, texts

from pricing.domain.coup import read_coup
from pricing.domain.drawing import STANDARD
from pricing.domain.errors import InvalidCard, InvalidShoe, NotEnoughCards, TooManyEntries
from pricing.domain.shoe import Shoe

FRESH = [6] * 52


@given(st.integers(1, 12), st.integers(0, 46), st.randoms(use_true_random=False))
def test_ways_to_describe_a_shoe_agree(decks: int, gone: int, dice: Random) -> None:
    deck = [card for card in range(52) for _ in range(decks)]
    dice.shuffle(deck)
    removed, dealt, rest = bytes(deck[:gone]), bytes(deck[gone : gone + 3]), deck[gone + 3 :]
    left = [rest.count(card) for card in range(52)]
    listed = list(Counter(name(card) for card in rest).items())
    assert Shoe.without(decks, removed).remaining(dealt) == bytes(left)
    assert Shoe.of_remaining(decks, left).remaining(dealt) == bytes(left)
    assert Shoe.of_listed(decks, listed).remaining(dealt) == bytes(left)
    coup = read_coup(dealt, STANDARD)
    assert Shoe.without(decks, removed).drawable(bytes(left), coup) == len(rest)


@pytest.mark.parametrize("decks", [0, 13, -1, 10**30, 6.0, True, None, "6", [6], float("nan")], ids=repr)
def test_decks_outside_1_to_12(decks: Any) -> None:
    refused = pytest.raises(InvalidShoe, match=r"^decks: got .*; allowed: a whole number, 1 to 12$")
    with refused:
        Shoe.without(decks)
    with refused:
        Shoe.of_remaining(decks, FRESH)
    with refused:
        Shoe.of_listed(decks, [])


@pytest.mark.parametrize("unseen", [-1, 625, 10**30, 1.0, True, None, "1", float("nan")], ids=repr)
def test_absurd_unseen_removals(unseen: Any) -> None:
    refused = pytest.raises(InvalidShoe, match=r"^unseen_removed: got .*; allowed: a whole number, 0 to 624$")
    with refused:
        Shoe.without(6, b"", unseen)
    with refused:
        Shoe.of_remaining(6, FRESH, unseen)
    with refused:
        Shoe.of_listed(6, [], unseen)


def test_a_card_gone_more_often_than_the_decks_hold_it() -> None:
    """A service that took 40 aces from 32 and answered is among those we know."""
    aces = bytes([0, 1, 2, 3] * 10)
    with pytest.raises(InvalidShoe, match=r"^removed\[32\]: got 'AC'; allowed: each card at most 8 times"):
        Shoe.without(8, aces)
    assert Shoe.without(8, aces[:32]).counts[:5] == bytes([0, 0, 0, 0, 8])


@pytest.mark.parametrize("count", [-1, 7, 255, 10**30, 1.0, True, None, "6", [6], float("nan")], ids=repr)
def test_absurd_counts(count: Any) -> None:
    with pytest.raises(InvalidShoe, match=r"^remaining\[3\]: got .*; allowed: a whole number, 0 to 6$"):
        Shoe.of_remaining(6, [6, 0, 6, count, *[6] * 48])
    with pytest.raises(InvalidShoe, match=r"^remaining\[1\]\.count: got .*; allowed: a whole number, 0 to 6$"):
        Shoe.of_listed(6, [("AS", 6), ("KD", count)])


@pytest.mark.parametrize("length", [0, 51, 53, 416])
def test_other_numbers_of_counts(length: int) -> None:
    with pytest.raises(InvalidShoe, match=rf"^remaining: got '{length} counts'; allowed: 52 counts$"):
        Shoe.of_remaining(6, [1] * length)


def test_listed_cards_once_and_known() -> None:
    with pytest.raises(InvalidShoe, match=r"^remaining\[2\]\.card: got 'AS'; allowed: each card once$"):
        Shoe.of_listed(6, [("AS", 1), ("KD", 1), ("AS", 1)])
    with pytest.raises(InvalidCard, match=r"^remaining\[1\]\.card: got 'XX'"):
        Shoe.of_listed(6, [("AS", 1), ("XX", 1)])
    with pytest.raises(TooManyEntries, match=r"^remaining: got '1001 entries'"):
        Shoe.of_listed(6, [("AS", 1)] * 1_001)


def test_a_card_dealt_that_is_gone() -> None:
    for shoe in (Shoe.without(6, bytes(4)), Shoe.of_remaining(6, [4, 6, 6, 6, 5, *[6] * 47])):
        assert shoe.remaining(bytes([0, 4, 0]))[0] == (0 if shoe.holds_dealt else 4)
        with pytest.raises(
            InvalidShoe, match=r"^dealt\[3\]: got 'AC'; allowed: a card of which 6 decks still hold one$"
        ):
            shoe.remaining(bytes([0, 4, 0, 0]))


def test_cards_that_must_still_be_dealt() -> None:
    kings = Shoe.of_remaining(12, [0] * 51 + [6], 1)
    with pytest.raises(NotEnoughCards, match=r"^shoe: got '5 cards'; allowed: at least 6 that can be dealt"):
        kings.drawable(kings.counts, read_coup(b"", STANDARD))
    assert kings.drawable(kings.counts, read_coup(b"\0", STANDARD)) == 5


def test_a_complete_coup_needs_no_more_cards() -> None:
    nothing = Shoe.of_remaining(6, [0] * 52)
    coup = read_coup(bytes([32, 0, 36, 0]), STANDARD)
    assert coup.complete, texts(tuple(coup.dealt))
    assert nothing.drawable(nothing.counts, coup) == 0


def test_more_unseen_removals_than_cards() -> None:
    shoe = Shoe.without(1, b"", 53)
    with pytest.raises(InvalidShoe, match=r"^unseen_removed: got 53; allowed: at most the 52 cards not seen$"):
        shoe.drawable(shoe.counts, read_coup(b"", STANDARD))
