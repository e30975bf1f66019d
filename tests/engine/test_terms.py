"""Quotes under policies: every guard, and what the books come to."""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import State, states

from pricing.domain.books import MarginModel
from pricing.domain.game import GameType
from pricing.domain.limits import Limit
from pricing.domain.policy import MAX_RULES, STANDING, Policy, PolicyRule
from pricing.domain.policy_check import check_policy
from pricing.domain.policy_text import version
from pricing.domain.shoe import Shoe
from pricing.engine.books import book_quotes
from pricing.engine.edge import find_edge
from pricing.engine.quote import OfferState, quote
from pricing.engine.terms import bet_terms, round_terms
from pricing.games import load_games
from pricing.games.reader import read_game_type

GAMES = load_games()
GAME = GAMES["bet-on-baccarat"]
SHOE = Shoe.without(6)
EURO = Limit("EUR", 100, 50_000, 100, 1_000_000)


def with_model(model: MarginModel) -> GameType:
    return read_game_type(GAME.text.replace('"odds-ratio"', f'"{model}"'), "game.toml")


MODELS: dict[MarginModel, GameType] = {
    model: with_model(model) for model in MarginModel if model is not MarginModel.TARGET_RETURN
}
RULES = st.builds(
    PolicyRule,
    round=st.none() | st.integers(1, 3),
    bet=st.none() | st.sampled_from([bet.id for bet in GAME.bets]),
    margin_shift=st.none() | st.decimals(Decimal("-0.02"), Decimal("0.5"), places=3),
    closed=st.none() | st.booleans(),
)
POLICIES = st.builds(
    Policy, st.lists(RULES, max_size=3).map(tuple), st.none() | st.decimals(Decimal("0.5"), 1, places=2)
)


@settings(max_examples=150)
@given(states(most_dealt=2), POLICIES, st.sampled_from(list(MODELS.values())))
def test_every_guard(state: State, policy: Policy, game: GameType) -> None:
    check_policy(policy, game)
    found = quote(game, Shoe.of_remaining(state.decks, state.left), bytes(state.dealt), policy)
    cap = Fraction(1 if policy.max_return is None else policy.max_return)
    own = version(policy)
    assert found.policy_version == (f"{game.policy_version}+{own}" if own else game.policy_version)
    for bet in found.bets:
        if bet.state is not OfferState.ACTIVE:
            assert bet.odds is None
            continue
        assert not policy.terms(found.betting_round, bet.bet).closed
        assert bet.odds is not None
        odds = Fraction(bet.odds)
        assert Fraction("1.01") <= odds <= 1000
        assert (odds * 100).denominator == 1
        assert (odds * bet.win_ways + bet.push_ways) / found.total_ways <= cap
        assert 1 / odds >= Fraction(bet.win_ways, found.total_ways - bet.push_ways)
    for book in book_quotes(game, found, policy):
        if book.overround is not None:
            assert (
                book.overround
                >= Decimal(book.margin.margin.numerator) / book.margin.margin.denominator - Decimal("1e-9")
                or policy.rules
                or any(bet.odds == "1000.00" for bet in found.bets)
            )


def test_a_policy_moves_what_it_names_and_nothing_else() -> None:
    policy = Policy((PolicyRule(round=1, bet="tie", margin_shift=Decimal("0.02")), PolicyRule(bet="big", closed=True)))
    plain, moved = ({bet.bet: bet for bet in quote(GAME, SHOE, b"", each).bets} for each in (STANDING, policy))
    assert {bet for bet in plain if plain[bet] != moved[bet]} == {"tie", "big"}
    # 878869206895680 / 83552962932288 is fair; 92 % and 90 % of it are 9.677 and 9.467.
    assert (plain["tie"].odds, moved["tie"].odds) == ("9.67", "9.46")
    assert (moved["big"].state, moved["big"].odds) == (OfferState.INACTIVE, None)
    assert moved["big"].win_ways == plain["big"].win_ways
    later = quote(GAME, SHOE, bytes([3]), policy)
    assert later.bet("tie") == quote(GAME, SHOE, bytes([3])).bet("tie")


def test_the_cap_lowers_odds() -> None:
    capped = quote(GAME, SHOE, b"", Policy(max_return=Decimal("0.85")))
    tie = capped.bet("tie")
    assert tie.odds == "8.94"  # 0.85 * 878869206895680 / 83552962932288 is 8.9409
    assert tie.return_to_player is not None
    assert all(bet.return_to_player is None or bet.return_to_player <= 0.85 for bet in capped.bets)


def test_limits_come_from_the_game_type_and_then_from_the_policy() -> None:
    text = GAME.text + '\n[[limits]]\nround = 2\ncurrency = "EUR"\n'
    text += "min_stake = 100\nmax_stake = 50000\nstake_step = 100\nmax_payout = 1000000\n"
    game = read_game_type(text, "game.toml")
    assert dict(bet_terms(game, STANDING, 1, "tie").limits) == {}
    assert dict(bet_terms(game, STANDING, 2, "tie").limits) == {"EUR": EURO}
    yen = Limit("JPY", 100, 100, 1, 5_000)
    less = Limit("EUR", 100, 200, 100, 1_000_000)
    policy = Policy((PolicyRule(bet="tie", limits=(less, yen)),))
    assert dict(bet_terms(game, policy, 2, "tie").limits) == {"EUR": less, "JPY": yen}
    assert dict(bet_terms(game, policy, 2, "big").limits) == {"EUR": EURO}
    assert (less.allows(200), less.allows(150), less.allows(300)) == (True, False, False)
    longest = Policy((PolicyRule(bet="tie", limits=(less,)),) * MAX_RULES)
    assert dict(bet_terms(game, longest, 2, "tie").limits) == {"EUR": less}


def test_a_round_may_have_a_margin_of_its_own() -> None:
    text = GAME.text.replace(
        'margin = "0.0256"\n', 'margin = "0.0256"\n\n[[books.rounds]]\nround = 3\nmodel = "power"\nmargin = "0.05"\n'
    )
    margins = [bet_terms(read_game_type(text, "game.toml"), STANDING, number, "banker").margin for number in (1, 2, 3)]
    assert margins == [("odds-ratio", Fraction("0.0256"))] * 2 + [("power", Fraction("0.05"))]


def test_the_mean_return_over_the_openings_of_round_3_two_ways() -> None:
    """State by state from ways, and bet by bet from what is returned in each of them. Equal, in whole numbers."""
    returned, staked, mean = Fraction(0), Fraction(0), Fraction(0)
    for dealt in product(range(52), repeat=2):
        weight = 6 * (5 if dealt[0] == dealt[1] else 6)
        found = quote(GAME, SHOE, bytes(dealt))
        for bet in found.bets:
            if bet.odds is None:
                continue
            worth = Fraction(bet.odds) * bet.win_ways + bet.push_ways
            mean += weight * worth / found.total_ways
            # With 310 cards left each of these coups can go on in as many ways.
            returned += weight * worth
            staked += weight
    total = quote(GAME, SHOE, bytes([0, 1])).total_ways
    assert returned / total == mean
    assert Fraction("0.89") < mean / staked < Fraction("0.98")


def planted(pays: str) -> GameType:
    """Even money on Player, also once Player's first card is known."""
    text = GAMES["punto-banco"].text.replace(
        "[[rounds]]\ncards = 0\nwindow_ms = 20000\n", "[[rounds]]\ncards = 0\n\n[[rounds]]\ncards = 1\n"
    )
    return read_game_type(text.replace('pays = "2.00"', f'pays = "{pays}"', 1), "planted.toml")


def test_the_house_has_the_edge_in_what_comes_with_us() -> None:
    assert [find_edge(game) for game in GAMES.values()] == [None, None]


def test_a_planted_hole_is_found_and_closed() -> None:
    game = planted("2.00")
    edge = find_edge(game)
    assert edge is not None
    # Player's nine is the best card to have.
    assert (edge.bet, edge.round, edge.dealt[0] // 4) == ("player", 2, 8)
    found = quote(game, Shoe.without(8), edge.dealt).bet("player")
    total = quote(game, Shoe.without(8), edge.dealt).total_ways
    assert edge.gain == Fraction(2 * found.win_ways + found.push_ways, total) - 1 > 0
    assert str(edge).startswith("player in round 2 after 9")
    closed = Policy((PolicyRule(round=2, bet="player", closed=True),))
    other = find_edge(game, closed)
    assert other is None or other.bet != "player"
    assert find_edge(game, Policy((PolicyRule(round=2, closed=True),))) is None


def test_round_terms_are_made_once() -> None:
    assert round_terms(GAME, STANDING, 1) is round_terms(GAME, Policy(), 1)


@pytest.mark.parametrize("model", MODELS)
def test_the_overround_is_at_least_the_margin(model: MarginModel) -> None:
    game = MODELS[model]
    books = {book.book: book for book in book_quotes(game, quote(game, SHOE, b""))}
    for book, margin in (("player-banker", "0.0256"), ("small-big", "0.0526")):
        overround = books[book].overround
        assert overround is not None
        assert Decimal(margin) <= overround < Decimal(margin) + Decimal("0.02")
    assert books["tie"].overround is None
