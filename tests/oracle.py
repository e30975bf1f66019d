"""The slow truth: counts by brute force, from the rules of the game as a rule book states them.

Nothing here comes from the package under test, the drawing rules least of all: two statements of them must agree.
"""

from collections.abc import Callable, Iterator, Sequence
from math import perm
from typing import NamedTuple

TOTALS_CELLS, CELLS = 400, 416


def points(card: int) -> int:
    rank = card // 4
    return 0 if rank >= 9 else rank + 1


def is_natural(total: int) -> bool:
    return total in (8, 9)


def player_draws(total: int) -> bool:
    return total <= 5


def banker_draws(total: int, third: int | None) -> bool:  # noqa: PLR0911 - a row of the rule book each
    if third is None:
        return total <= 5
    if total <= 2:
        return True
    if total == 3:
        return third != 8
    if total == 4:
        return 2 <= third <= 7
    if total == 5:
        return 4 <= third <= 7
    if total == 6:
        return third in (6, 7)
    return False


class Rules(NamedTuple):
    is_natural: Callable[[int], bool] = is_natural
    player_draws: Callable[[int], bool] = player_draws
    banker_draws: Callable[[int, int | None], bool] = banker_draws


STANDARD = Rules()


def from_masks(masks: Sequence[int]) -> Rules:
    """The rules that thirteen sets of totals describe: naturals, Player, Banker after a stand, after a 0, 1, ... 9."""

    def banker(total: int, third: int | None) -> bool:
        return bool(masks[2 if third is None else 3 + third] >> total & 1)

    return Rules(lambda total: bool(masks[0] >> total & 1), lambda total: bool(masks[1] >> total & 1), banker)


def to_masks(rules: Rules = STANDARD) -> list[int]:
    def mask(holds: Callable[[int], bool]) -> int:
        return sum(1 << total for total in range(10) if holds(total))

    after: list[int | None] = [None, *range(10)]
    return [
        mask(rules.is_natural),
        mask(rules.player_draws),
        *(mask(lambda total, third=third: rules.banker_draws(total, third)) for third in after),  # type: ignore[misc]
    ]


def coups(left: Sequence[int], dealt: Sequence[int], rules: Rules) -> Iterator[tuple[int, int, int, int, int]]:
    """Each way to play a coup to its end, by points: both totals, both numbers of cards, ordered ways."""
    shoe = list(left)

    def card(place: int) -> Iterator[tuple[int, int]]:
        if place < len(dealt):
            yield dealt[place], 1
            return
        for worth in range(10):
            if ways := shoe[worth]:
                shoe[worth] -= 1
                yield worth, ways
                shoe[worth] += 1

    for player_1, ways_1 in card(0):
        for banker_1, ways_2 in card(1):
            for player_2, ways_3 in card(2):
                for banker_2, ways_4 in card(3):
                    ways = ways_1 * ways_2 * ways_3 * ways_4
                    player, banker = (player_1 + player_2) % 10, (banker_1 + banker_2) % 10
                    if rules.is_natural(player) or rules.is_natural(banker):
                        yield player, banker, 2, 2, ways
                    elif not rules.player_draws(player):
                        if not rules.banker_draws(banker, None):
                            yield player, banker, 2, 2, ways
                            continue
                        for banker_3, ways_5 in card(4):
                            yield player, (banker + banker_3) % 10, 2, 3, ways * ways_5
                    else:
                        for player_3, ways_5 in card(4):
                            final = (player + player_3) % 10
                            if not rules.banker_draws(banker, player_3):
                                yield final, banker, 3, 2, ways * ways_5
                                continue
                            for banker_3, ways_6 in card(5):
                                yield final, (banker + banker_3) % 10, 3, 3, ways * ways_5 * ways_6


def two_alike(shoe: Sequence[int], held: Sequence[int]) -> tuple[int, int, int]:
    """Ways to complete a side's first two cards: to any, to a pair, to a perfect pair."""
    ranks = [sum(shoe[rank * 4 : rank * 4 + 4]) for rank in range(13)]
    if len(held) == 2:
        return 1, int(held[0] // 4 == held[1] // 4), int(held[0] == held[1])
    if len(held) == 1:
        return sum(shoe), ranks[held[0] // 4], shoe[held[0]]
    return perm(sum(shoe), 2), sum(perm(n, 2) for n in ranks), sum(perm(n, 2) for n in shoe)


def first_fours(left: Sequence[int], dealt: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each way to deal the first four cards: the cell of its pairs, ordered ways."""
    shoe = list(left)

    def card(place: int) -> Iterator[tuple[int, int]]:
        if place < len(dealt):
            yield dealt[place], 1
            return
        for kind in range(52):
            if ways := shoe[kind]:
                shoe[kind] -= 1
                yield kind, ways
                shoe[kind] += 1

    for player_1, ways_1 in card(0):
        for player_2, ways_2 in card(2):
            pair, perfect = player_1 // 4 == player_2 // 4, player_1 == player_2
            cell = TOTALS_CELLS + 8 * pair + 2 * perfect
            banker_any, banker_pair, banker_perfect = two_alike(shoe, dealt[1:4:2])
            yield cell, ways_1 * ways_2 * (banker_any - banker_pair)
            yield cell + 4, ways_1 * ways_2 * (banker_pair - banker_perfect)
            yield cell + 5, ways_1 * ways_2 * banker_perfect


def is_over(dealt: Sequence[int], rules: Rules = STANDARD) -> bool:
    """Whether the coup needs no further card."""
    if len(dealt) < 4:
        return False
    ((_, _, player_cards, banker_cards, _), *more) = coups([1] * 10, [points(card) for card in dealt], rules)
    return not more and player_cards + banker_cards == len(dealt)


def count(left: Sequence[int], dealt: Sequence[int], rules: Rules = STANDARD) -> tuple[int, list[int]]:
    """The denominator and all 416 cells of a state: the 52 counts left in the shoe, the cards dealt."""
    total, known, over = sum(left), len(dealt), is_over(dealt, rules)
    denominator = 1 if over else perm(total, 6 - known)
    cells = [0] * CELLS

    def rest(used: int) -> int:
        """Ways to go on to six cards after a coup's last one."""
        return 1 if over else perm(total - (used - known), 6 - used)

    worths = [sum(left[card] for card in range(52) if points(card) == worth) for worth in range(10)]
    for player, banker, player_cards, banker_cards, ways in coups(worths, [points(card) for card in dealt], rules):
        cell = ((player * 10 + banker) * 2 + player_cards - 2) * 2 + banker_cards - 2
        cells[cell] += ways * rest(player_cards + banker_cards)
    for cell, ways in first_fours(left, dealt):
        cells[cell] += ways * rest(max(4, known))
    return denominator, cells


def bets(cells: Sequence[int]) -> dict[str, tuple[int, int]]:
    """Of each standard bet, how often it wins and how often its stake comes back."""
    winner = {"player": 0, "banker": 0, "tie": 0}
    small = big = player_pair = banker_pair = either_pair = perfect_pair = 0
    for cell, ways in enumerate(cells[:TOTALS_CELLS]):
        player, banker, cards = cell // 40, cell // 4 % 10, 4 + cell // 2 % 2 + cell % 2
        winner["player" if player > banker else "banker" if player < banker else "tie"] += ways
        small += ways * (cards == 4)
        big += ways * (cards > 4)
    for cell, ways in enumerate(cells[TOTALS_CELLS:]):
        player_pair += ways * (cell >= 8)
        banker_pair += ways * (cell // 4 % 2)
        either_pair += ways * (cell >= 4)
        perfect_pair += ways * (cell % 4 > 0)
    return {
        "player": (winner["player"], winner["tie"]),
        "banker": (winner["banker"], winner["tie"]),
        "tie": (winner["tie"], 0),
        "player-pair": (player_pair, 0),
        "banker-pair": (banker_pair, 0),
        "either-pair": (either_pair, 0),
        "perfect-pair": (perfect_pair, 0),
        "small": (small, 0),
        "big": (big, 0),
    }
