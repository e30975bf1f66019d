"""What bets are, and how they end."""

from dataclasses import replace
from decimal import Decimal

import oracle
import pytest
from hypothesis import given
from strategies import State, name, states

from pricing.domain.bets import Bet, Result, Row
from pricing.domain.cards import parse_cards
from pricing.domain.cells import OPENING_CELLS, endings, openings
from pricing.domain.coup import read_coup
from pricing.domain.drawing import STANDARD
from pricing.domain.errors import InvalidGameType
from pricing.games import load_games

NINE = load_games()["bet-on-baccarat"].bets


def results(dealt: bytes) -> dict[str, Result]:
    coup = read_coup(dealt, STANDARD)
    cells = endings(coup, STANDARD) | openings(coup)
    return {bet.id: bet.result(cells) for bet in NINE}


def settled(player: list[str], banker: list[str]) -> dict[str, Result]:
    """The results of a complete coup by the printed rules, from the texts of its cards."""

    def total(hand: list[str]) -> int:
        return sum(int(card[0]) if card[0].isdigit() else int(card[0] == "A") for card in hand) % 10

    def won(holds: bool) -> Result:
        return Result.WON if holds else Result.LOST

    difference = total(player) - total(banker)
    pairs = [hand[0][0] == hand[1][0] for hand in (player, banker)]
    return {
        "player": Result.PUSH if difference == 0 else won(difference > 0),
        "banker": Result.PUSH if difference == 0 else won(difference < 0),
        "tie": won(difference == 0),
        "player-pair": won(pairs[0]),
        "banker-pair": won(pairs[1]),
        "either-pair": won(pairs[0] or pairs[1]),
        "perfect-pair": won(player[0] == player[1] or banker[0] == banker[1]),
        "small": won(len(player) + len(banker) == 4),
        "big": won(len(player) + len(banker) in (5, 6)),
    }


@given(states(least_dealt=6).filter(lambda state: state.complete))
def test_complete_coups_are_settled(state: State) -> None:
    cards = [name(card) for card in state.dealt]
    player, banker = cards[0:4:2], cards[1:4:2]
    thirds = cards[4:]
    if thirds and oracle.player_draws(sum(map(oracle.points, state.dealt[0:4:2])) % 10):
        player.append(thirds.pop(0))
    assert results(bytes(state.dealt)) == settled(player, banker + thirds)


@pytest.mark.parametrize(
    ("player", "banker", "won"),
    [
        ("6D 6H 2S", "4D 9S 4S", {"banker", "either-pair", "player-pair", "big"}),
        ("7C JH", "8C 7D 7C", {"player", "big"}),
        ("8H 6C 6C", "2S 9C TD", {"banker", "big"}),
        ("4C KH QS", "KD 6D", {"banker", "big"}),
    ],
)
def test_coups_of_real_tables(player: str, banker: str, won: set[str]) -> None:
    hands = [player.split(), banker.split()]
    dealt = [hand[place] for place in range(3) for hand in hands if place < len(hand)]
    found = results(parse_cards(dealt, "dealt"))
    assert {bet for bet, result in found.items() if result is Result.WON} == won
    assert set(found.values()) == {Result.WON, Result.LOST}


ENDS = [oracle.bets([int(cell == number) for number in range(416)]) for cell in range(416)]
"""Of each cell, how each bet ends in it: the ways to win and to get the stake back."""


@given(states(least_dealt=2))
def test_a_result_is_what_every_further_card_leads_to(state: State) -> None:
    """Whatever the shoe holds: by enumeration of all cells that an endless shoe reaches."""
    coups = oracle.coups([9] * 10, [oracle.points(card) for card in state.dealt], oracle.STANDARD)
    endings = {((player * 10 + banker) * 2 + third - 2) * 2 + fourth - 2 for player, banker, third, fourth, _ in coups}
    openings = {cell for cell, ways in oracle.first_fours([9] * 52, state.dealt) if ways}
    for bet, result in results(bytes(state.dealt)).items():
        ends = {ENDS[cell][bet] for cell in (openings if "pair" in bet else endings)}
        decided = {(1, 0): Result.WON, (0, 1): Result.PUSH, (0, 0): Result.LOST}
        assert result is (decided[ends.pop()] if len(ends) == 1 else Result.UNDECIDED)


@pytest.mark.parametrize(
    ("dealt", "decided"),
    [
        ("", {}),
        ("AS KD", {}),
        ("AS KD AS", {"player-pair": Result.WON, "either-pair": Result.WON, "perfect-pair": Result.WON}),
        ("AS KD AH", {"player-pair": Result.WON, "either-pair": Result.WON}),
        ("KS KD QS", {"player-pair": Result.LOST}),  # both count 0, but are no pair
        ("9S KD KH", {"player-pair": Result.LOST, "small": Result.WON, "big": Result.LOST}),
        ("9S KD", {}),  # Player's second card may still end the natural
    ],
)
def test_decided_before_the_end(dealt: str, decided: dict[str, Result]) -> None:
    assert {
        bet: result for bet, result in results(parse_cards(dealt.split(), "dealt")).items() if result > 1
    } == decided


def row(cells: frozenset[int] = frozenset({4}), pays: str | None = None, name: str = "row") -> Row:
    return Row(name, cells, None if pays is None else Decimal(pays))


PRICED = Bet("bet", "Bet", "Wins.", (row(),))


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ((), "rows: got []"),
        ((row(pays="0.99"),), "rows: got ['0.99']"),
        ((row(pays="0"),), "rows: got ['0']"),
        ((row(pays="-2"),), "rows: got ['-2']"),
        ((row(pays="1.00"),), "rows: got 'no winning row'"),
        ((row(), row(frozenset({8}), name="other")), "rows: got ['None', 'None']"),
        ((row(), row(frozenset({8}), "2", "other")), "rows: got ['None', '2']"),
        ((row(pays="2"), row(frozenset({8}), "3")), "rows: got ['row', 'row']"),
        ((row(pays="2"), row(frozenset({4, 8}), "3", "other")), "rows: got \"'row' and 'other' overlap\""),
        ((row(), row(frozenset({400}), "1", "other")), "rows: got 'conditions of both kinds'"),
        ((row(frozenset({4, 400})),), "rows: got 'conditions of both kinds'"),
        ((row(), row(frozenset({8, 400}), "1", "other")), "rows: got 'conditions of both kinds'"),
    ],
)
def test_rows_that_make_no_bet(rows: tuple[Row, ...], where: str) -> None:
    with pytest.raises(InvalidGameType) as caught:
        replace(PRICED, rows=rows)
    assert str(caught.value).startswith(f"bets.bet.{where}; allowed: ")


def test_rows_are_sorted_by_what_they_pay() -> None:
    bet = replace(PRICED, rows=(row(pays="1.00"), row(frozenset({8}), "2", "two"), row(frozenset({9}), "3", "three")))
    assert [each.name for each in bet.winning_rows] == ["two", "three"]
    assert (bet.won, bet.pushed) == (frozenset({8, 9}), frozenset({4}))
    assert (bet.priced, PRICED.priced) == (False, True)
    assert bet.result(OPENING_CELLS | {8, 9}) is Result.WON
    assert bet.result(OPENING_CELLS | {4}) is Result.PUSH
    assert bet.result(OPENING_CELLS | {5}) is Result.LOST
    assert bet.result(OPENING_CELLS | {4, 8}) is bet.result(frozenset({5, 8})) is Result.UNDECIDED


@pytest.mark.parametrize(
    ("pays", "odds"), [("2", "2.00"), ("1.5", "1.50"), ("1.955", "1.955"), ("12.00", "12.00"), (None, "")]
)
def test_odds_have_two_places_or_more(pays: str | None, odds: str) -> None:
    assert row(pays=pays).odds == odds
