"""Arrays of states: number for number what one state at a time gives."""

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import State, states

from pricing.domain.game import GameType
from pricing.domain.ladder import Ladder, Step
from pricing.domain.shoe import Shoe
from pricing.engine.many import States, floors, offer_many
from pricing.engine.quote import BetQuote, OfferState, quote
from pricing.games import load_games
from pricing.games.reader import read_game_type

BUILT_IN = load_games()
TIERED = read_game_type(
    (BUILT_IN["punto-banco"].text)
    .replace('name = "banker-wins"\ncells = [{ winner = "banker" }]\npays = "1.95"', "{BANKER}")
    .replace(
        "{BANKER}",
        'name = "banker-wins-with-6"\ncells = [{ winner = "banker", banker_total = 6 }]\npays = "1.5"\n\n'
        '[[bets.rows]]\nname = "banker-wins"\n'
        'cells = [{ winner = "banker", banker_total = [0, 1, 2, 3, 4, 5, 7, 8, 9] }]\npays = "2"',
    ),
    "tiered.toml",
)
GAMES = [*BUILT_IN.values(), TIERED]
LADDERS = [
    BUILT_IN["punto-banco"].ladder,
    Ladder(
        (
            Step(Decimal("1.005"), Decimal("0.005"), Decimal("2")),
            Step(Decimal("2.02"), Decimal("0.02"), Decimal("3")),
            Step(Decimal("3.5"), Decimal("0.5"), Decimal("100")),
        )
    ),
]


def betting(game: GameType) -> st.SearchStrategy[list[State]]:
    """States with as many cards as some round of the game type has."""
    rounds = {each.cards for each in game.rounds}
    legal = states(most_dealt=max(rounds)).filter(lambda state: len(state.dealt) in rounds and not state.complete)
    return st.lists(legal.filter(lambda state: sum(state.left) >= 6 - len(state.dealt)), min_size=1, max_size=6)


def as_arrays(several: list[State]) -> States:
    dealt = np.full((len(several), 6), 51, np.uint8)
    for row, state in zip(dealt, several, strict=True):
        row[: len(state.dealt)] = state.dealt
    left = np.array([state.left for state in several], np.uint8)
    return States(left, dealt, np.array([len(state.dealt) for state in several], np.uint8))


@pytest.mark.parametrize("game", GAMES, ids=["bet-on-baccarat", "punto-banco", "tiered"])
@given(st.data())
def test_many_states_are_priced_as_each_is(game: GameType, data: st.DataObject) -> None:
    several = data.draw(betting(game))
    offers = offer_many(game, as_arrays(several))
    for row, state in enumerate(several):
        alone = quote(game, Shoe.of_remaining(12, state.left), bytes(state.dealt))
        assert offers.total[row] == alone.total_ways
        assert offers.ways[row].tolist() == [[bet.win_ways, bet.push_ways] for bet in alone.bets]
        assert offers.active[row].tolist() == [bet.state is OfferState.ACTIVE for bet in alone.bets]
        np.testing.assert_array_equal(offers.odds[row], [odds_of(bet) for bet in alone.bets])
        np.testing.assert_array_equal(offers.returns[row], [return_of(bet) for bet in alone.bets])


def odds_of(bet: BetQuote) -> float:
    return float("nan") if bet.odds is None else float(bet.odds)


def return_of(bet: BetQuote) -> float:
    return float("nan") if bet.return_to_player is None else bet.return_to_player


@pytest.mark.parametrize("ladder", LADDERS)
@given(
    below=st.lists(st.integers(1, 2**55), min_size=1, max_size=20),
    price=st.integers(90, 120_000),
    aside=st.integers(-2, 2),
    ratio=st.tuples(st.integers(1, 1000), st.integers(1, 1000)),
)
def test_prices_are_rounded_down_exactly_even_at_a_price(
    ladder: Ladder, below: list[int], price: int, aside: int, ratio: tuple[int, int]
) -> None:
    """Numerators at, just below and just above what makes a quotient a price."""
    by, of = ratio
    above = [max(1, min(2**62, number * of * price // (by * ladder.unit) + aside)) for number in below]
    found = floors(ladder, (np.array(above), by), (np.array(below), of))
    assert found.tolist() == [ladder.floor(a * by, b * of) or 0 for a, b in zip(above, below, strict=True)]


@pytest.mark.parametrize("ladder", LADDERS)
def test_every_price_is_met_from_both_sides(ladder: Ladder) -> None:
    """At each price of the ladder, and the least below it that a double cannot tell apart from it."""
    great = 10**13
    prices = sorted({int(step.first * ladder.unit) + n * int(step.step * ladder.unit)
                     for step in ladder.steps
                     for n in range(int((step.last - step.first) / step.step) + 1)})[:2000]  # fmt: skip
    exact = np.array([price * great for price in prices])
    under = np.full(len(prices), ladder.unit * great)
    assert floors(ladder, (exact, 1), (under, 1)).tolist() == prices
    assert floors(ladder, (exact - 1, 1), (under, 1)).tolist() == [0, *(low for low, _ in pairwise(prices))]
