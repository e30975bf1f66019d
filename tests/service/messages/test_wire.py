"""Cards read off the encoding are the cards that the texts say."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.baccarat.v1.types_pb2 import RemovedCards
from pricing.domain.cards import CARDS, parse_cards
from pricing.domain.errors import PricingError
from pricing.service.messages.wire import read_cards

ODD = ["", "A", "S", "SA", "as", "10S", "ASKD", "\n\x02", "\x0a\x02AS", "A\x00", "é", "\u2660", "AÿS"]


def outcome(read: Callable[[], bytes]) -> object:
    try:
        return read()
    except PricingError as error:
        return type(error), error.args


def both(message: RemovedCards) -> tuple[object, object]:
    fast = outcome(lambda: read_cards(message, "removed"))
    return fast, outcome(lambda: parse_cards(message.cards, "removed"))


@given(st.lists(st.sampled_from(CARDS), max_size=1010))
def test_cards(cards: list[str]) -> None:
    fast, slow = both(RemovedCards(cards=cards))
    assert fast == slow


@given(st.lists(st.sampled_from([*CARDS, *ODD]) | st.text(max_size=4), max_size=30))
def test_texts_that_are_no_cards(texts: list[str]) -> None:
    fast, slow = both(RemovedCards(cards=texts))
    assert fast == slow


@given(st.lists(st.sampled_from(CARDS), max_size=5), st.sampled_from([b"\x12\x02AS", b"\x18\x05", b"\x82\x01\x02KD"]))
def test_unknown_fields(cards: list[str], unknown: bytes) -> None:
    message = RemovedCards.FromString(RemovedCards(cards=cards).SerializeToString() + unknown)
    fast, slow = both(message)
    assert fast == slow == parse_cards(cards, "removed")


@pytest.mark.parametrize("text", [first + second for first in "A2KX\n" for second in "CSX\x02"])
def test_every_pair_of_bytes(text: str) -> None:
    fast, slow = both(RemovedCards(cards=[text, "AS"]))
    assert fast == slow
