"""Shoes and coups for hypothesis: fresh, depleted and starved shoes, and the legal coups that they can deal."""

from typing import NamedTuple

import oracle
from hypothesis import strategies as st

RANKS, SUITS = "A23456789TJQK", "CDHS"


class State(NamedTuple):
    """A legal state of a coup."""

    decks: int
    left: tuple[int, ...]
    """Counts of the 52 cards, without the dealt ones."""
    dealt: tuple[int, ...]

    @property
    def complete(self) -> bool:
        return oracle.is_over(self.dealt)


def name(card: int) -> str:
    return RANKS[card // 4] + SUITS[card % 4]


def texts(cards: tuple[int, ...]) -> list[str]:
    return [name(card) for card in cards]


def full(decks: int) -> st.SearchStrategy[list[int]]:
    """All cards but a few."""
    gone = st.lists(st.integers(0, 51), max_size=20)
    return gone.map(lambda cards: [max(0, decks - cards.count(card)) for card in range(52)])


def depleted(decks: int) -> st.SearchStrategy[list[int]]:
    """Any counts."""
    return st.lists(st.integers(0, decks), min_size=52, max_size=52)


def starved(decks: int) -> st.SearchStrategy[list[int]]:
    """Few kinds of cards: one rank, zeros only, or any handful."""
    one_rank = st.integers(0, 12).map(lambda rank: [rank * 4 + suit for suit in range(4)])
    kinds = one_rank | st.just(list(range(36, 52))) | st.lists(st.integers(0, 51), min_size=1, max_size=8, unique=True)

    def counts(cards: list[int]) -> st.SearchStrategy[list[int]]:
        some = st.lists(st.integers(1, decks), min_size=len(cards), max_size=len(cards))
        return some.map(lambda numbers: [dict(zip(cards, numbers, strict=True)).get(card, 0) for card in range(52)])

    return kinds.flatmap(counts)


def odd_ranks(decks: int) -> st.SearchStrategy[list[int]]:
    """Ranks of which one or three cards are left, spread over the suits."""

    def spread(ranks: list[tuple[int, int]]) -> list[int]:
        counts = [0] * 52
        for rank, (number, suit) in enumerate(ranks):
            for step in range(number):
                counts[rank * 4 + (suit + (step if decks < 3 else step // 2)) % 4] += 1
        return counts

    each = st.tuples(st.sampled_from([1, 3]), st.integers(0, 3))
    return st.lists(each, min_size=13, max_size=13).map(spread)


@st.composite
def states(draw: st.DrawFn, *, least_dealt: int = 0, most_dealt: int = 6) -> State:
    """A state in play or just complete, of any shoe that holds enough cards."""
    decks = draw(st.integers(1, 12))
    kind = draw(st.sampled_from([full, depleted, starved, odd_ranks]))
    left = draw(kind(decks).filter(lambda counts: sum(counts) >= 6))
    dealt: list[int] = []
    for _ in range(draw(st.integers(least_dealt, most_dealt))):
        if oracle.is_over(dealt):
            break
        card = draw(st.sampled_from([card for card in range(52) if left[card]]))
        left[card] -= 1
        dealt.append(card)
    return State(decks, tuple(left), tuple(dealt))
