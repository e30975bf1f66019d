"""The entries for Python callers: what they take, and what they refuse."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, repeat
from math import perm
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import State, name, states, texts

import pricing
from pricing import (
    Chances,
    InvalidCard,
    InvalidCoup,
    InvalidShoe,
    NotEnoughCards,
    PricingError,
    Quote,
    TooManyEntries,
    UnknownGameType,
    chances,
    price,
)

FULL = [6] * 52
HUGE = 10**5_000


def _shown(given: object) -> str:
    """A name for a case, the same in every run."""
    return f"{type(given).__name__} {PricingError('', given, '').description[4:40]}".partition(" at 0x")[0]


def same(first: Chances, second: Chances) -> bool:
    return first.total_ways == second.total_ways and np.array_equal(first.ways, second.ways)


MAKE: list[Callable[[list[int]], Any]] = [
    list,
    tuple,
    bytes,
    bytearray,
    iter,
    lambda counts: dict(enumerate(counts)).values(),
    lambda counts: (each for each in counts),
    lambda counts: [np.int64(each) for each in counts],
    lambda counts: np.array([counts, counts])[1],
    lambda counts: np.array([counts, counts]).T[:, 0],
    lambda counts: np.array(counts, np.int8),
    lambda counts: np.array(counts, np.uint8),
    lambda counts: np.array(counts, ">i4"),
    lambda counts: np.array(counts, np.uint64),
    lambda counts: np.array(counts, object),
]


@pytest.mark.parametrize("make", MAKE)
def test_counts_in_any_list(make: Callable[[list[int]], Any]) -> None:
    left = [min(6, card % 7) for card in range(52)]
    assert same(chances(make(left), make([1, 2])), chances(left, (1, 2)))


@given(states())
def test_price_and_chances_agree(state: State) -> None:
    found = chances(state.left, state.dealt)
    left = {name(card): number for card, number in enumerate(state.left) if number}
    removed = [
        name(card) for card in range(52) for _ in range(state.decks - state.left[card] - state.dealt.count(card))
    ]
    by_remaining = price(dealt=texts(state.dealt), remaining=left, decks=state.decks)
    by_removed = price(dealt=" ".join(texts(state.dealt)), removed=iter(removed), decks=state.decks)
    assert by_remaining == by_removed
    assert by_removed.total_ways == found.total_ways
    assert [[bet.win_ways, bet.push_ways] for bet in by_removed.bets] == found.ways.tolist()
    assert tuple(bet.bet for bet in by_removed.bets) == found.bets


def test_what_a_game_type_decides() -> None:
    by_name, by_type = price("punto-banco"), price(pricing.load_games()["punto-banco"])
    assert by_name == by_type
    assert by_name.cards_remaining == 416
    assert price().cards_remaining == price("punto-banco", decks=6).cards_remaining == 312
    assert chances([8] * 52, game="punto-banco").bets == ("player", "banker", "tie", "player-pair", "banker-pair")
    eight: Any = np.int64(8)
    assert price(decks=eight) == price(decks=8)
    assert price(unseen_removed=eight) == price(unseen_removed=8)


def test_a_shoe_that_nothing_has_left() -> None:
    assert price() == price(removed="") == price(removed=()) == price(removed=None) == price(removed=np.array([]))
    assert price() == price(remaining=dict.fromkeys(map(name, range(52)), 6))
    assert price(removed=" AS\nKD\t") == price(removed=["AS", "KD"]) == price(removed=np.array(["AS", "KD"]))


@pytest.mark.parametrize(
    "remaining",
    [
        None, 6, 6.0, True, object(), int, "6" * 52, [6] * 51, [6] * 53, [], [[6] * 52], [[6]] * 52, [6.0] * 52,
        ["6"] * 52,
        [None] * 52, [True] * 52, [*FULL[:51], True], [*FULL[:51], -1], [*FULL[:51], 13], [*FULL[:51], HUGE],
        [*FULL[:51], -HUGE], [*FULL[:51], float("nan")], [*FULL[:51], float("inf")], [*FULL[:51], 6j],
        dict.fromkeys(range(52), 6),
        Counter(dict.fromkeys(range(52), 6)), set(range(52)), frozenset(range(12)), dict.fromkeys(range(52),
        6).keys(),
        np.array(6), np.array(FULL, float), np.array(FULL, bool), np.array(FULL).reshape(52, 1),
        np.array(FULL).reshape(4, 13),
        np.array(FULL) - 7, np.array(FULL) + 7, np.array(FULL, np.int64) * 2**56, np.array(["6"] * 52),
        np.array(FULL, complex),
        np.full(52, np.nan), np.array(FULL, "datetime64[s]"), np.ma.masked_array(FULL, True), b"\xff" * 52,
        memoryview(b"\x0d" * 52),
    ],
    ids=_shown,
)  # fmt: skip
def test_counts_that_cannot_be(remaining: Any) -> None:
    with pytest.raises(InvalidShoe, match=r"^remaining(\[\d+\])?: got .*; allowed: ") as caught:
        chances(remaining)
    assert caught.value.reason == "INVALID_SHOE"


@pytest.mark.parametrize(
    "dealt",
    [
        None, 5, 5.0, True, object(), "9S KD", "9", ["9S"], [52], [-1], [256], [HUGE], [-HUGE], [1.0], [True],
        [None], [[1]],
        [float("nan")], {1}, {1: 1}, frozenset(), np.array(1), np.array([1.0]), np.array([True]), np.array([[1]]),
        b"\xff",
        [1, 2, 52], np.array([0, 2**63], np.uint64),
    ],
    ids=_shown,
)  # fmt: skip
def test_indexes_that_are_no_cards(dealt: Any) -> None:
    with pytest.raises(InvalidCard, match=r"^dealt(\[\d+\])?: got .*; allowed: "):
        chances(FULL, dealt)


@pytest.mark.parametrize(
    "cards",
    [
        5, 5.0, True, object(), "9S KX", "9s", "9SKD", "9S,KD", "10S", "♠9", "\0", ["9S", None], ["9S", 5], ["9S",
        ["KD"]],
        [b"9S"], b"9S", {"9S"}, {"9S": 1}, Counter(["9S"]), np.array(5), np.array([5]), np.array([["9S"]]),
        np.array([b"9S"]),
        "9S\ud800",
    ],
    ids=_shown,
)  # fmt: skip
@pytest.mark.parametrize("field", ["dealt", "removed"])
def test_texts_that_are_no_cards(field: str, cards: Any) -> None:
    with pytest.raises(InvalidCard, match=rf"^{field}(\[\d+\])?: got .*; allowed: "):
        price(**{field: cards})


@pytest.mark.parametrize("remaining", [5, "AS", ["AS"], [("AS", 1)], {"AS"}, object(), np.array([6] * 52), True])
def test_remaining_is_a_mapping(remaining: Any) -> None:
    with pytest.raises(InvalidShoe, match=r"^remaining: got .*; allowed: a mapping"):
        price(remaining=remaining)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"game": None}, UnknownGameType, "game: got None; allowed: one of bet-on-baccarat, punto-banco"),
        ({"game": "roulette"}, UnknownGameType, "game: got 'roulette'; allowed: one of"),
        ({"game": ["punto-banco"]}, UnknownGameType, "game: got"),
        ({"game": ""}, UnknownGameType, "game: got ''"),
        ({"dealt": None}, InvalidCard, "dealt: got None; allowed: a list"),
        ({"dealt": "9S KD KH 2C 3C"}, InvalidCoup, "dealt[4]: got '3C'; allowed: no further card"),
        ({"dealt": "7S 7D KH KC 3C"}, InvalidCoup, "dealt[4]: got '3C'; allowed: no further card"),
        ({"dealt": "2S 7D 2H KC 3C 4C"}, InvalidCoup, "dealt[5]: got '4C'; allowed: no further card"),
        ({"dealt": "AC AC", "decks": 1}, InvalidShoe,
         "dealt[1]: got 'AC'; allowed: a card of which 1 decks still hold one"),
        ({"dealt": "AC", "removed": "AC " * 6}, InvalidShoe, "dealt[0]: got 'AC'"),
        ({"dealt": "AC", "remaining": {"AC": 6, "KD": 6}}, InvalidShoe, "dealt[0]: got 'AC'"),
        ({"removed": "AC " * 7}, InvalidShoe, "removed[6]: got 'AC'; allowed: each card at most 6 times"),
        ({"removed": "AC", "remaining": {"AC": 6}}, InvalidShoe, "remaining: got 'removed as well'"),
        ({"removed": "", "remaining": {}}, InvalidShoe, "remaining: got 'removed as well'"),
        ({"remaining": {"AX": 6}}, InvalidCard, "remaining[0].card: got 'AX'"),
        ({"remaining": {5: 6}}, InvalidCard, "remaining[0].card: got 5"),
        ({"remaining": {"AC": 7}}, InvalidShoe, "remaining[0].count: got 7; allowed: a whole number, 0 to 6"),
        ({"remaining": {"AS": 1, "AC": -1}}, InvalidShoe, "remaining[1].count: got -1"),
        ({"remaining": {"AC": 1.0}}, InvalidShoe, "remaining[0].count: got 1.0"),
        ({"remaining": {"AC": True}}, InvalidShoe, "remaining[0].count: got True"),
        ({"remaining": {"AC": HUGE}}, InvalidShoe, "remaining[0].count: got a number of more than 300 digits"),
        ({"remaining": {}}, NotEnoughCards, "shoe: got '0 cards'; allowed: at least 6"),
        ({"remaining": {"AC": 5}}, NotEnoughCards, "shoe: got '5 cards'; allowed: at least 6"),
        ({"remaining": {"AC": 5}, "dealt": "KD KD"}, None, ""),
        ({"remaining": {"AC": 3}, "dealt": "KD KD"}, NotEnoughCards, "shoe: got '3 cards'; allowed: at least 4"),
        ({"remaining": {}, "dealt": "9S KD KH 2C"}, None, ""),
        ({"decks": 0}, InvalidShoe, "decks: got 0; allowed: a whole number, 1 to 12"),
        ({"decks": 13}, InvalidShoe, "decks: got 13"),
        ({"decks": HUGE}, InvalidShoe, "decks: got a number of more than 300 digits"),
        ({"decks": 6.0}, InvalidShoe, "decks: got 6.0"),
        ({"decks": True}, InvalidShoe, "decks: got True"),
        ({"decks": "6"}, InvalidShoe, "decks: got '6'"),
        ({"decks": float("nan")}, InvalidShoe, "decks: got nan"),
        ({"unseen_removed": -1}, InvalidShoe, "unseen_removed: got -1; allowed: a whole number, 0 to 624"),
        ({"unseen_removed": None}, InvalidShoe, "unseen_removed: got None"),
        ({"unseen_removed": 0.5}, InvalidShoe, "unseen_removed: got 0.5"),
        ({"unseen_removed": HUGE}, InvalidShoe, "unseen_removed: got a number"),
        ({"unseen_removed": 313}, InvalidShoe, "unseen_removed: got 313; allowed: at most the 312 cards not seen"),
        ({"unseen_removed": 307}, NotEnoughCards, "shoe: got '5 cards'"),
        ({"unseen_removed": 306}, None, ""),
    ],
    ids=_shown,
)  # fmt: skip
def test_what_cannot_be_priced(arguments: dict[str, Any], kind: type[PricingError] | None, message: str) -> None:
    if kind is None:
        assert isinstance(price(**arguments), Quote)
        return
    with pytest.raises(PricingError) as caught:
        price(**arguments)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(message)
    assert caught.value.__cause__ is None


def test_chances_of_a_coup_that_cannot_be() -> None:
    with pytest.raises(InvalidCoup, match=r"^dealt\[4\]: got '3C'"):
        chances(FULL, [35, 49, 50, 4, 8])
    with pytest.raises(InvalidShoe, match=r"^dealt\[0\]: got 'AC'; allowed: a card of which 12 decks still hold one"):
        chances([12] * 52, [0])
    with pytest.raises(NotEnoughCards, match=r"^shoe: got '5 cards'"):
        chances([5, *[0] * 51])
    with pytest.raises(UnknownGameType, match=r"^game: got 'roulette'"):
        chances(FULL, game="roulette")


def endless(value: object) -> Iterator[Any]:
    return repeat(value)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: chances(FULL, count()), "dealt"),
        (lambda: chances(FULL, [1] * 1_001), "dealt"),
        (lambda: price(dealt=endless("AS")), "dealt"),
        (lambda: price(dealt="AS " * 1_000_000), "dealt"),
        (lambda: price(removed=endless("AS")), "removed"),
        (lambda: price(removed=["AS"] * 1_001), "removed"),
        (lambda: price(remaining={str(number): 1 for number in range(1_001)}), "remaining"),
    ],
)
def test_long_lists_are_not_looked_at(call: Callable[[], object], field: str) -> None:
    with pytest.raises(TooManyEntries) as caught:
        call()
    assert (caught.value.field, caught.value.allowed) == (field, "at most 1000")


@pytest.mark.parametrize("remaining", [count(), range(10**12), endless(6), [6] * 10_000])
def test_long_lists_of_counts_are_not_looked_at(remaining: Any) -> None:
    with pytest.raises(InvalidShoe, match=r"^remaining: got '1001 counts'; allowed: 52 counts$"):
        chances(remaining)


GARBAGE: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=8)
    | st.complex_numbers()
    | st.decimals()
    | st.sampled_from(
        ["AS", "9S KD", "punto-banco", 6, 10**1_000, object(), int, np.int64(6), np.array(FULL), np.float64(1)]
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=4),
    max_leaves=8,
)
COUNTS = st.lists(st.integers(-1, 13), min_size=52, max_size=52) | st.lists(
    st.integers(0, 12), min_size=52, max_size=52
)
INDEXES = st.lists(st.integers(0, 51), max_size=7)
TEXTS = st.lists(st.integers(0, 51).map(name), max_size=7)
LISTED = st.dictionaries(st.integers(0, 51).map(name), st.integers(-1, 7), max_size=12)


def outcome(call: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, PricingError | None]:
    """What a call gives, or the error of ours that it fails with."""
    try:
        return call(*args, **kwargs), None
    except PricingError as error:
        return None, error


@settings(max_examples=200)
@given(COUNTS | GARBAGE, INDEXES | GARBAGE, st.sampled_from(["punto-banco", "bet-on-baccarat"]) | GARBAGE)
def test_chances_or_an_error(remaining: Any, dealt: Any, game: Any) -> None:
    """Nothing else, whatever is given; and if counts, then of what was given."""
    found, error = outcome(chances, remaining, dealt, game)
    if error is not None:
        assert len(str(error).splitlines()) == 1
        return
    cards = [int(card) for card in dealt]
    left = [int(number) for number in remaining]
    assert len(left) == 52
    assert found.total_ways == (1 if oracle.is_over(cards) else perm(sum(left), 6 - len(cards)))
    assert found.ways[:3, 0].sum() == found.total_ways


@settings(max_examples=400)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "game": st.sampled_from(["punto-banco", "bet-on-baccarat"]) | GARBAGE,
            "dealt": TEXTS | TEXTS.map(" ".join) | GARBAGE,
            "removed": st.none() | TEXTS | TEXTS.map(" ".join) | GARBAGE,
            "remaining": st.none() | LISTED | GARBAGE,
            "decks": st.none() | st.integers(0, 13) | GARBAGE,
            "unseen_removed": st.integers(-1, 700) | GARBAGE,
        },
    )
)
def test_a_quote_or_an_error(arguments: dict[str, Any]) -> None:
    found, error = outcome(price, **arguments)
    if error is not None:
        assert len(str(error).splitlines()) == 1
        return
    assert found.total_ways >= 1
    winner = {bet.bet: bet.win_ways for bet in found.bets}
    assert winner["player"] + winner["banker"] + winner["tie"] == found.total_ways


def test_everything_public_is_named() -> None:
    assert sorted(pricing.__all__) == pricing.__all__
    assert all(hasattr(pricing, name) for name in pricing.__all__)
    kinds = {value for value in vars(pricing.domain.errors).values() if isinstance(value, type)}  # type: ignore[attr-defined]
    assert {kind.__name__ for kind in kinds if issubclass(kind, PricingError)} <= set(pricing.__all__)
