"""Arrays of states: number for number what one state at a time gives."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import State, states

from pricing.domain.books import Margin, MarginModel
from pricing.domain.game import GameType
from pricing.domain.ladder import Ladder, Step
from pricing.domain.shoe import Shoe
from pricing.engine.many import States, offer_many, proposed
from pricing.engine.margins import MODELS
from pricing.engine.odds import MadeOdds
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
ANY_RETURN = Fraction(10)
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
@pytest.mark.parametrize("model", MarginModel)
@given(
    ways=st.tuples(st.integers(1, 2**54), st.integers(1, 2**54)),
    margin=st.sampled_from([Fraction(0), Fraction(1, 40), Fraction(1, 10)]),
)
def test_what_is_certain_is_exact(model: MarginModel, ladder: Ladder, ways: tuple[int, int], margin: Fraction) -> None:
    win, lose = ways
    total = np.array([win + lose])
    prices, certain = proposed(Margin(model, margin), ladder, np.array([win]), np.array([0]), total, ANY_RETURN)
    if certain[0]:
        exact = ladder.floor(MODELS[model](win, lose, ladder.unit, *margin.as_integer_ratio()))
        assert prices[0] == (exact or 0)


@pytest.mark.parametrize("most", [ANY_RETURN, Fraction(49, 50), Fraction(9, 10)])
@pytest.mark.parametrize("model", MarginModel)
@given(price=st.integers(101, 9_999), scale=st.integers(1, 2**40), near=st.integers(-2, 2))
def test_beside_a_price_of_the_ladder_nothing_is_guessed(
    model: MarginModel, most: Fraction, price: int, scale: int, near: int
) -> None:
    """Chances at which target return, proportional or the cap gives just a price, and those a way or two off."""
    ladder, margin = BUILT_IN["punto-banco"].ladder, Fraction(1, 10)
    chance = {MarginModel.PROPORTIONAL: 1 / (1 + margin)}.get(model, min(1 - margin, most)) * Fraction(100, price)
    win, ways = chance.numerator * scale + near, chance.denominator * scale
    if not 0 < win < ways < 2**56:
        return
    offer = MadeOdds(Margin(model, margin), ladder, most).offer([win], 0, ways)
    total = np.array([ways])
    prices, certain = proposed(Margin(model, margin), ladder, np.array([win]), np.array([0]), total, most)
    assert not certain[0] or prices[0] == (Fraction(offer[0] or 0) * ladder.unit if offer else 0)
    if model is MarginModel.TARGET_RETURN and near == 0:
        assert certain[0]  # these are common: chances of pairs are small fractions
