"""Shoes survive the way through Arrow."""

from hypothesis import given
from hypothesis import strategies as st

from pricing.replay.arrow import SHOES, batch_of, shoes_of
from pricing.replay.shoes import UNREAD, Coup, Precision, ShoeRecord


@st.composite
def shoes(draw: st.DrawFn) -> ShoeRecord:
    cards = bytes(draw(st.lists(st.sampled_from([*range(52), UNREAD]), max_size=60)))
    coups, place = [], 0
    for number in range(1, draw(st.integers(0, 8)) + 1):
        places = []
        for _ in range(draw(st.integers(0, 6))):
            place += draw(st.integers(0, 2))
            if place < len(cards):
                places.append(place)
            place += 1
        coups.append(Coup(number, tuple(places), draw(st.booleans()), draw(st.booleans())))
    return ShoeRecord(draw(st.text()), draw(st.integers(1, 12)), draw(st.sampled_from(Precision)), cards, (*coups,))


@given(st.lists(shoes(), max_size=4))
def test_there_and_back(given_shoes: list[ShoeRecord]) -> None:
    batch = batch_of(given_shoes)
    assert batch.schema == SHOES
    assert [*shoes_of(batch)] == given_shoes
