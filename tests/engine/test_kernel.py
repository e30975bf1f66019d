"""The kernel against the slow oracle, recorded states and published figures. Every comparison is of integers.

golden/states.jsonl has 129 states of random shoes, counted by an enumeration that shares no code with this project. It
pads complete coups to six cards and counts pairs over the first four, so that fractions are compared, not counts.
golden/published.json has figures that others print, each with its source.
"""

import doctest
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import perm
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.engine import _kernel
from pricing.engine._kernel import CoupCounter, deplete

GOLDEN = Path(__file__).parent.parent / "golden"
PUBLISHED = json.loads((GOLDEN / "published.json").read_text("utf-8"))
STATES = [json.loads(line) for line in (GOLDEN / "states.jsonl").read_text("utf-8").splitlines()]

MASKS = oracle.to_masks()
CELLS = range(oracle.CELLS)
TOTALS, PAIRS = range(400), range(400, 416)
STANDARD = CoupCounter(MASKS, [[cell] for cell in CELLS])

type_of = {rank + suit: r * 4 + s for r, rank in enumerate("A23456789TJQK") for s, suit in enumerate("CDHS")}


def cards(text: str) -> list[int]:
    return [type_of[name] for name in text.split()]


def fresh(decks: int) -> list[int]:
    return [decks] * 52


def count(left: Iterable[int], dealt: Iterable[int] = (), counter: CoupCounter = STANDARD) -> tuple[int, list[int]]:
    out = array("q", [-1] * oracle.CELLS)
    return counter.cells(bytes(left), bytes(dealt), out), out.tolist()


def count_with(masks: Sequence[int], left: Iterable[int], dealt: Iterable[int] = ()) -> tuple[int, list[int]]:
    return count(left, dealt, CoupCounter(masks, [[0]]))


def hands(cells: Sequence[int], holds: Callable[[int, int, int, int], bool]) -> int:
    """Sum over the cells of totals: Player's total and Banker's, Player's number of cards and Banker's."""
    return sum(cells[i] for i in TOTALS if holds(i // 40, i // 4 % 10, 2 + i // 2 % 2, 2 + i % 2))


# --- recorded and published


def test_there_are_as_many_recorded_states_as_were_recorded() -> None:
    assert len(STATES) == 129
    assert sum(oracle.is_over(cards(" ".join(state["dealt"]))) for state in STATES) == 11


@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_recorded_states(state: dict[str, Any]) -> None:
    left = [state["shoe"].get(name, 0) for name in type_of]
    total, cells = count(left, cards(" ".join(state["dealt"])))
    denominator = state["denominator"]
    table = {tuple(map(int, key.split(","))): ways for key, ways in state["table"].items()}
    for cell in TOTALS:
        hand = (cell // 40, cell // 4 % 10, 2 + cell // 2 % 2, 2 + cell % 2)
        assert cells[cell] * denominator == table.get(hand, 0) * total
    for bet, (wins, _) in oracle.bets(cells).items():
        of = state["pair_denominator"] if bet.endswith("pair") else denominator
        assert wins * of == state[bet.replace("-", "_")] * total
    both = {"both_pair": cells[400 + 12 :], "both_perfect": cells[400 + 15 :]}
    assert all(sum(ways) * state["pair_denominator"] == state[name] * total for name, ways in both.items())


@pytest.mark.parametrize("decks", range(1, 13))
def test_player_banker_and_tie_as_published(decks: int) -> None:
    total, cells = count(fresh(decks))
    bets = oracle.bets(cells)
    expected = PUBLISHED["combos_player_banker_tie_total"]["exact_here"][str(decks)]
    assert [*(bets[bet][0] for bet in ("player", "banker", "tie")), total] == expected


@pytest.mark.parametrize("final", range(10))
def test_final_totals_as_published(final: int) -> None:
    _, cells = count(fresh(8))
    player = PUBLISHED["player_final_total_8d"]["values"][str(final)]
    banker_wins = PUBLISHED["banker_wins_with_total_8d"]["values"].get(str(final), 0)
    assert hands(cells, lambda p, _b, _m, _n: p == final) == player
    assert hands(cells, lambda p, b, _m, _n: p < b == final) == banker_wins


@pytest.mark.parametrize("margin", range(4, 10))
def test_margins_of_wins_without_a_natural_as_published(margin: int) -> None:
    _, cells = count(fresh(8))
    published = PUBLISHED["dragon_bonus_nonnatural_margin_8d"]
    player = hands(cells, lambda p, b, m, _n: p - b == margin and not (m == 2 and p >= 8))
    banker = hands(cells, lambda p, b, _m, n: b - p == margin and not (n == 2 and b >= 8))
    assert [player, banker] == [published[side][str(margin)] for side in ("player", "banker")]


def test_naturals_as_published() -> None:
    _, cells = count(fresh(8))
    published = PUBLISHED["dragon_bonus_nonnatural_margin_8d"]
    assert hands(cells, lambda p, b, m, _n: p > b and m == 2 and p >= 8) == published["natural_win_each"]
    assert hands(cells, lambda p, b, _m, n: b > p and n == 2 and b >= 8) == published["natural_win_each"]
    assert hands(cells, lambda p, b, m, n: p == b >= 8 and m == n == 2) == published["natural_tie"]


@pytest.mark.parametrize("number", [4, 5, 6])
@pytest.mark.parametrize("decks", [6, 8])
def test_numbers_of_cards_as_published(decks: int, number: int) -> None:
    total, cells = count(fresh(decks))
    chance = PUBLISHED["total_cards_4_5_6"]["values"][str(decks)][str(number)]
    assert round(hands(cells, lambda _p, _b, m, n: m + n == number) / total, 6) == chance


@pytest.mark.parametrize("first_two", range(10))
def test_chances_after_players_two_cards_as_published(first_two: int) -> None:
    # When he draws on this total alone, his final hand tells that he had it.
    masks = MASKS if first_two > 5 else [MASKS[0], 1 << first_two, *MASKS[2:]]
    _, cells = count_with(masks, fresh(8))

    def had(p: int, _b: int, m: int, _n: int) -> bool:
        return m == 3 if first_two <= 5 and m == 3 else p == first_two and m == 2

    split = [
        hands(cells, lambda p, b, m, n: had(p, b, m, n) and p > b),
        hands(cells, lambda p, b, m, n: had(p, b, m, n) and p < b),
        hands(cells, lambda p, b, m, n: had(p, b, m, n) and p == b),
    ]
    expected = PUBLISHED["after_two_player_cards_8d"]["by_player_total"][str(first_two)]
    assert [round(ways / sum(split), 6) for ways in split] == expected


def test_pairs_as_published() -> None:
    total, cells = count(fresh(8))
    ways, of = PUBLISHED["pair_8d"]["combos"]
    assert [oracle.bets(cells)[bet][0] * of for bet in ("player-pair", "banker-pair")] == [ways * total] * 2
    for decks, (ways, of) in PUBLISHED["perfect_pair_either_hand"]["values"].items():
        total, cells = count(fresh(int(decks)))
        assert oracle.bets(cells)["perfect-pair"][0] * of == ways * total


# --- any shoe, any coup, any rules


def few_types() -> st.SearchStrategy[list[int]]:
    some = st.dictionaries(st.integers(0, 51), st.integers(1, 12), min_size=1, max_size=6)
    return some.map(lambda counts: [counts.get(card, 0) for card in range(52)])


def rank_totals(*allowed: int) -> st.SearchStrategy[list[int]]:
    """Shoes in which every rank has one of these numbers of cards, of one suit or spread."""
    one_rank = st.tuples(st.sampled_from(allowed), st.integers(1, 4)).map(
        lambda n: [n[0] // n[1] + (suit < n[0] % n[1]) if suit < n[1] else 0 for suit in range(4)]
    )
    return st.lists(one_rank, min_size=13, max_size=13).map(lambda ranks: [n for rank in ranks for n in rank])


def exactly_six() -> st.SearchStrategy[list[int]]:
    six = st.lists(st.integers(0, 51), min_size=6, max_size=6)
    return six.map(lambda shoe: [shoe.count(card) for card in range(52)])


SHOES = st.one_of(
    st.lists(st.integers(0, 12), min_size=52, max_size=52),
    st.lists(st.integers(0, 1), min_size=52, max_size=52),
    few_types(),
    st.integers(0, 12).map(lambda rank: [12 * (card // 4 == rank) for card in range(52)]),
    st.lists(st.integers(0, 12), min_size=16, max_size=16).map(lambda zeros: [0] * 36 + zeros),
    rank_totals(1, 3),
    rank_totals(0, 1, 2, 3),
    exactly_six(),
).filter(lambda left: sum(left) >= 6)


@st.composite
def states(draw: st.DrawFn, rules: oracle.Rules = oracle.STANDARD) -> tuple[list[int], list[int]]:
    left, dealt = list(draw(SHOES)), list[int]()
    for _ in range(6 - draw(st.integers(0, 6))):  # simple is: many cards dealt, as the oracle is quick then
        if oracle.is_over(dealt, rules):
            break
        card = draw(st.sampled_from([card for card in range(52) if left[card]]))
        left[card] -= 1
        dealt.append(card)
    return left, dealt


MASK_LISTS = st.lists(st.integers(0, 1023), min_size=13, max_size=13)


@settings(max_examples=80)
@given(states())
def test_any_state_as_by_the_oracle(state: tuple[list[int], list[int]]) -> None:
    assert count(*state) == oracle.count(*state)


@settings(max_examples=60)
@given(st.data(), MASK_LISTS)
def test_any_rules_as_by_the_oracle(data: st.DataObject, masks: list[int]) -> None:
    rules = oracle.from_masks(masks)
    left, dealt = data.draw(states(rules))
    assert count_with(masks, left, dealt) == oracle.count(left, dealt, rules)


@pytest.mark.parametrize(
    "dealt",
    ["9C 2D KH 3S", "2C 9D 3H KS", "3C TD 4H 7S", "TC KD 6H 5S 4C", "2C KD 3H 7S 9C", "2C KD 3H 5S 4C 9D"],
    ids=["natural", "natural-of-banker", "both-stand", "banker-draws", "player-draws", "both-draw"],
)
def test_every_kind_of_coup_to_its_end_as_by_the_oracle(dealt: str) -> None:
    coup, left = cards(dealt), fresh(6)
    for known in range(len(coup) + 1):
        assert count(left, coup[:known]) == oracle.count(left, coup[:known])
        assert oracle.is_over(coup[:known]) == (known == len(coup))


@pytest.mark.parametrize("known", range(6))
def test_a_full_shoe_of_twelve_decks_as_by_the_oracle(known: int) -> None:
    left, dealt = fresh(12), cards("2C KD 3H 4S 5C")[:known]
    for card in dealt:
        left[card] -= 1
    assert count(left, dealt) == oracle.count(left, dealt)


@given(st.data(), MASK_LISTS)
def test_cells_of_either_kind_sum_to_the_denominator(data: st.DataObject, masks: list[int]) -> None:
    rules = oracle.from_masks(masks)
    left, dealt = data.draw(states(rules))
    total, cells = count_with(masks, left, dealt)
    assert sum(cells[:400]) == sum(cells[400:]) == total
    assert min(cells) >= 0
    assert total == (1 if oracle.is_over(dealt, rules) else perm(sum(left), 6 - len(dealt)))


@given(states())
def test_a_count_is_the_mean_of_the_counts_after_the_next_card(state: tuple[list[int], list[int]]) -> None:
    left, dealt = state
    if oracle.is_over(dealt):
        return
    after = perm(sum(left) - 1, 5 - len(dealt))
    mean = [0] * oracle.CELLS
    for card, number in enumerate(left):
        if number:
            total, cells = count([n - (i == card) for i, n in enumerate(left)], [*dealt, card])
            mean = [sum_ + number * (after // total) * ways for sum_, ways in zip(mean, cells, strict=True)]
    assert count(left, dealt)[1] == mean


@given(states(), st.lists(st.sets(st.sampled_from(CELLS)), min_size=1, max_size=24))
def test_a_group_is_the_sum_of_its_cells(state: tuple[list[int], list[int]], groups: list[set[int]]) -> None:
    left, dealt = state
    counter = CoupCounter(MASKS, groups)
    assert counter.groups == len(groups)
    out = array("q", [-1] * len(groups))
    total, cells = count(left, dealt)
    assert counter.count(bytes(left), bytes(dealt), out) == total
    assert out.tolist() == [sum(cells[cell] for cell in group) for group in groups]


@given(st.lists(states(), max_size=8))
def test_many_states_are_counted_as_one_by_one(many: list[tuple[list[int], list[int]]]) -> None:
    counter = CoupCounter(MASKS, [CELLS, TOTALS[::4], TOTALS[::7], PAIRS[4:]])
    shoes = np.array([left for left, _ in many], np.uint8).reshape(-1, 52)
    coups = np.full((len(many), 6), 255, np.uint8)  # what is past a coup's length is not looked at
    for coup, (_, dealt) in zip(coups, many, strict=True):
        coup[: len(dealt)] = dealt
    lengths = np.array([len(dealt) for _, dealt in many], np.uint8)
    totals, out = np.empty(len(many), np.int64), np.empty((len(many), 4), np.int64)
    counter.count_many(shoes, coups, lengths, totals, out)

    one = np.empty(4, np.int64)
    for i, (left, dealt) in enumerate(many):
        assert counter.count(bytes(left), bytes(dealt), one) == totals[i]
        assert one.tolist() == out[i].tolist()


# --- mistakes that others made


def test_equal_rules_for_both_sides_give_equal_chances() -> None:
    up_to_five = 0b111111
    _, cells = count_with([MASKS[0], *[up_to_five] * 12], fresh(8))
    bets = oracle.bets(cells)
    assert bets["player"] == bets["banker"]


def test_banker_draws_on_five_against_four_to_seven_and_not_the_other_way_round() -> None:
    inverted = MASKS.copy()
    for third in range(10):
        inverted[3 + third] ^= 1 << 5
    figures = []
    for masks in (inverted, MASKS):
        total, cells = count_with(masks, fresh(8))
        bets = oracle.bets(cells)
        figures.append([round(bets[bet][0] / total, 6) for bet in ("player", "banker")])
    assert figures == [[0.452191, 0.453270], [0.446247, 0.458597]]


@pytest.mark.parametrize("dealt", ["", "7C", "7C 9D", "7C 9D 7C"])
@pytest.mark.parametrize("number", [1, 3])
def test_either_pair_when_a_rank_is_down_to_one_card_or_three(number: int, dealt: str) -> None:
    left = [number * (card % 4 == 0) for card in range(52)]
    assert count(left, cards(dealt))[1][400:] == oracle.count(left, cards(dealt))[1][400:]


def test_four_cards_of_one_type_are_one_either_pair() -> None:
    total, cells = count(fresh(8))
    either = oracle.bets(cells)["either-pair"][0]
    assert round(either / total, 15) == 0.143816871866876
    four_alike = 52 * 8 * 7 * 6 * 5 * perm(412, 2)
    assert round((either + four_alike) / total, 15) == 0.143819831383646


def only(left: Sequence[int], dealt: str) -> Iterator[int]:
    total, cells = count(left, cards(dealt))
    assert total == 1
    return (cell for cell in CELLS if cells[cell])


def test_an_ace_is_worth_one() -> None:
    assert [*only(fresh(1), "AC TD 7H KS")] == [(8 * 10 + 0) * 4, 400]
    assert [*only(fresh(1), "AC TD TH 8S AD")] == [(1 * 10 + 8) * 4, 400]


def test_nobody_draws_after_a_natural_of_either_side() -> None:
    for dealt in ("9C 2D KH 3S", "2D 9C 3S KH"):
        _, cells = count(fresh(1), cards(dealt))
        assert hands(cells, lambda _p, _b, m, n: m == n == 2) == 1
    _, cells = count(fresh(8))
    assert hands(cells, lambda p, _b, m, n: m == 2 and p >= 8 and n == 3) == 0


# --- the edges of the interface


def test_examples_in_the_docstrings_run() -> None:
    result = doctest.testmod(_kernel)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("rules", "groups", "message"),
    [
        (MASKS[1:], [[0]], "13 masks, not 12"),
        ([*MASKS, 0], [[0]], "13 masks, not 14"),
        ([1024, *MASKS[1:]], [[0]], "mask 0 .*: 1024"),
        ([*MASKS[:-1], -1], [[0]], "mask 12 .*: -1"),
        (MASKS, [], "a group"),
        (MASKS, [[0], [416]], "no cell 416"),
        (MASKS, [[-1]], "no cell -1"),
    ],
)
def test_rules_and_groups_that_are_none(rules: list[int], groups: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CoupCounter(rules, groups)


@pytest.mark.parametrize(
    ("left", "dealt", "size", "message"),
    [
        (51, [], 0, "remaining: size 51, but 52 needed"),
        (53, [], 0, "remaining"),
        (52, [], 1, "out"),
        (52, [], -1, "out"),
        (52, [0] * 7, 0, "at most 6 cards, not 7"),
        (52, [0, 52], 0, "no card 52"),
    ],
)
def test_buffers_of_a_wrong_size(left: int, dealt: list[int], size: int, message: str) -> None:
    counter = CoupCounter(MASKS, [[0], [1]])
    for method, needed in ((counter.count, 2), (counter.cells, 416)):
        with pytest.raises(ValueError, match=message):
            method(bytes(left), bytes(dealt), array("q", [0] * (needed + size)))


@pytest.mark.parametrize(
    "wrong",
    [(0, (2, 52)), (0, (3, 51)), (1, (4, 6)), (1, (3, 5)), (2, (2,)), (3, (2,)), (4, (2, 2)), (4, (3, 3))],
)
def test_arrays_of_a_wrong_shape(wrong: tuple[int, tuple[int, ...]]) -> None:
    shapes: list[tuple[int, ...]] = [(3, 52), (3, 6), (3,), (3,), (3, 2)]
    which, shape = wrong
    shapes[which] = shape
    left, dealt, lengths = (np.zeros(shape, np.uint8) for shape in shapes[:3])
    totals, out = (np.zeros(shape, np.int64) for shape in shapes[3:])
    with pytest.raises(ValueError, match="needed"):
        CoupCounter(MASKS, [[0], [1]]).count_many(left, dealt, lengths, totals, out)


def test_many_states_with_a_coup_that_is_none() -> None:
    counter = CoupCounter(MASKS, [[0]])
    totals, out = np.zeros(2, np.int64), np.zeros((2, 1), np.int64)
    left, dealt = np.ones((2, 52), np.uint8), np.zeros((2, 6), np.uint8)
    with pytest.raises(ValueError, match="at most 6"):
        counter.count_many(left, dealt, np.array([0, 7], np.uint8), totals, out)
    dealt[1, 2] = 52
    with pytest.raises(ValueError, match="no card 52"):
        counter.count_many(left, dealt, np.array([0, 3], np.uint8), totals, out)
    assert totals.tolist() == [0, 0]


# --- a shoe that cards have left


@given(st.integers(0, 12), st.binary(max_size=200).map(lambda cards: bytes(card % 52 for card in cards)))
def test_what_a_shoe_still_holds(decks: int, removed: bytes) -> None:
    left = [decks - removed.count(card) for card in range(52)]
    assert deplete(decks, removed) == (None if min(left) < 0 else bytes(left))


def test_what_is_no_card_has_not_left() -> None:
    with pytest.raises(ValueError, match="no card 52"):
        deplete(6, bytes([0, 52]))
