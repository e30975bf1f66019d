"""Quotes: what is known and offered in a state of a coup."""

import re
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib import resources

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import State, states

from pricing.domain.bets import Result
from pricing.domain.books import MarginModel
from pricing.domain.cards import parse_cards
from pricing.domain.coup import Side
from pricing.domain.errors import InvalidCoup, InvalidShoe, NotEnoughCards
from pricing.domain.game import Round
from pricing.domain.shoe import Shoe
from pricing.engine.quote import BetQuote, OfferState, Quote, quote
from pricing.games import load_games
from pricing.games.reader import read_game_type

GAME = load_games()["bet-on-baccarat"]
PUNTO_BANCO = load_games()["punto-banco"]
NO_COMMISSION = read_game_type(
    re.sub(
        r'\[\[bets\]\]\nid = "banker"\n.*?\n\n\n',
        """[[bets]]
id = "banker"
name = "Banker"
rule = "Even money, but half of it when Banker wins with 6."

[[bets.rows]]
name = "banker-wins-with-6"
cells = [{ winner = "banker", banker_total = 6 }]
pays = "1.50"

[[bets.rows]]
name = "banker-wins"
cells = [{ winner = "banker", banker_total = [1, 2, 3, 4, 5, 7, 8, 9] }]
pays = "2.00"

[[bets.rows]]
name = "tie"
cells = [{ winner = "tie" }]
pays = "1.00"

""",
        (resources.files("pricing.games") / "punto-banco.toml").read_text("utf-8"),
        flags=re.DOTALL,
    ),
    "no-commission.toml",
)


def fresh(game: str = "bet-on-baccarat", dealt: str = "") -> Quote:
    found = load_games()[game]
    return quote(found, Shoe.without(found.decks), parse_cards(dealt.split(), "dealt"))


def of_state(state: State, unseen: int = 0) -> Quote:
    return quote(GAME, Shoe.of_remaining(state.decks, state.left, unseen), bytes(state.dealt))


def starved(cards: str, dealt: str = "") -> Quote:
    counts = [(card, 8) for card in cards.split()]
    return quote(GAME, Shoe.of_listed(12, counts), parse_cards(dealt.split(), "dealt"))


def odds_by_definition(bet: str, win: int, push: int, total: int) -> Fraction:
    """Of the exact odds, enough digits."""
    book = GAME.book_of(bet)
    assert book is not None
    model, margin = book.margin
    if not 0 < win < total - push:
        return Fraction(0)
    if model is MarginModel.TARGET_RETURN:
        return Fraction(total - push, win) * (1 - margin)
    assert model is MarginModel.ODDS_RATIO
    with localcontext() as context:
        context.prec = 80
        # With the odds 1 + lose / (win c) and 1 + win / (lose c) the quoted chances sum to 1 + m.
        lose, m = total - push - win, Decimal(margin.numerator) / margin.denominator
        half = m * (Decimal(win) / lose + Decimal(lose) / win) / 2
        c = (half + (half * half + 1 - m * m).sqrt()) / (1 - m)
        return Fraction(1 + Decimal(lose) / (win * c))


@settings(max_examples=60)
@given(states())
def test_every_figure_against_fractions(state: State) -> None:
    found = of_state(state)
    total, cells = oracle.count(state.left, state.dealt)
    assert found.total_ways == total
    assert [bet.bet for bet in found.bets] == [bet.id for bet in GAME.bets]
    for bet, terms, (win, push) in zip(found.bets, GAME.bets, oracle.bets(cells).values(), strict=True):
        assert (bet.win_ways, bet.push_ways) == (win, push)
        assert bet.win_probability == float(Fraction(win, total))
        assert bet.push_probability == float(Fraction(push, total))
        assert bet.fair_odds == (float(Fraction(total - push, win)) if win else None)
        assert bet.tiers == ()
        allowed = odds_by_definition(terms.id, win, push, total)
        if len(state.dealt) < 3 and 0 < win < total - push and allowed >= Fraction("1.01"):
            odds = min(allowed * 100 // 1, 100_000)
            assert bet.odds == f"{odds // 100}.{odds % 100:02d}"
            assert bet.return_to_player == float((Fraction(bet.odds) * win + push) / total)
            assert bet.return_to_player <= 1
            assert bet.state is OfferState.ACTIVE
        else:
            assert (bet.odds, bet.return_to_player) == (None, None)
            assert bet.state is (OfferState.SETTLED if state.complete else OfferState.INACTIVE)


@given(states())
def test_results_are_certain_and_lasting(state: State) -> None:
    found = of_state(state)
    for bet in found.bets:
        if bet.result is Result.WON:
            assert bet.win_ways == found.total_ways
        elif bet.result is Result.PUSH:
            assert bet.push_ways == found.total_ways
        elif bet.result is Result.LOST:
            assert (bet.win_ways, bet.push_ways) == (0, 0)
        if bet.result is not Result.UNDECIDED:
            assert bet.state in (OfferState.INACTIVE, OfferState.SETTLED)
            assert bet.odds is None
        assert (bet.state is OfferState.SETTLED) is state.complete
        assert not (state.complete and bet.result is Result.UNDECIDED)


@given(states(), st.data())
def test_unseen_removals_move_nothing_but_the_cards_remaining(state: State, data: st.DataObject) -> None:
    most = sum(state.left) - (0 if state.complete else 6 - len(state.dealt))
    unseen = data.draw(st.integers(0, most))
    seen, found = of_state(state), of_state(state, unseen)
    assert found.cards_remaining == seen.cards_remaining - unseen == sum(state.left) - unseen
    assert found._replace(cards_remaining=seen.cards_remaining) == seen
    if not state.complete:
        with pytest.raises(NotEnoughCards):
            of_state(state, most + 1)


@pytest.mark.parametrize(
    ("dealt", "betting_round", "next_card", "totals"),
    [
        ("", 1, Side.PLAYER, (0, 0)),
        ("9S", 2, Side.BANKER, (9, 0)),
        ("9S KD", 3, Side.PLAYER, (9, 0)),
        ("9S KD 5H", 0, Side.BANKER, (4, 0)),
        ("9S KD 5H 4C", 0, Side.PLAYER, (4, 4)),
        ("9S KD 5H 4C 7C", 0, Side.BANKER, (1, 4)),
        ("9S KD 5H 4C 7C 5D", 0, None, (1, 9)),
        ("9S KD 9H 4C", 0, None, (8, 4)),
    ],
)
def test_states_of_a_coup(dealt: str, betting_round: int, next_card: Side | None, totals: tuple[int, int]) -> None:
    found = fresh(dealt=dealt)
    assert (found.game, found.policy_version) == ("bet-on-baccarat", GAME.policy_version)
    assert found.betting_round == betting_round
    assert found.next_card is next_card
    assert (found.player_total, found.banker_total) == totals
    assert found.cards_remaining == 312 - len(dealt.split())
    assert {bet.state for bet in found.bets} == {
        OfferState.ACTIVE if betting_round else OfferState.INACTIVE if next_card else OfferState.SETTLED
    }


def test_odds_of_a_fresh_shoe() -> None:
    odds = {bet.bet: bet.odds for bet in fresh().bets}
    assert odds == {
        "player": "1.97",
        "banker": "1.92",
        "tie": "9.67",
        "player-pair": "12.16",
        "banker-pair": "12.16",
        "either-pair": "6.31",
        "perfect-pair": "28.21",
        "small": "2.46",
        "big": "1.54",
    }


def test_fair_odds_have_no_need_of_a_round() -> None:
    found = fresh("punto-banco", "9S")
    assert found.betting_round == 0
    assert all(bet.fair_odds and bet.odds is None and bet.return_to_player is None for bet in found.bets)


def test_a_bet_by_id() -> None:
    found = fresh()
    assert found.bet("tie") is found.bets[2]


@pytest.mark.parametrize(
    ("bet", "odds", "edge"),
    [
        ("player", "2.00", "1.2351"),
        ("banker", "1.95", "1.0579"),
        ("tie", "9.00", "14.3596"),
        ("player-pair", "12.00", "10.3614"),
        ("banker-pair", "12.00", "10.3614"),
    ],
)
def test_published_edges_of_fixed_payouts(bet: str, odds: str, edge: str) -> None:
    found = fresh("punto-banco").bet(bet)
    assert found.odds == odds
    assert found.return_to_player is not None
    assert f"{100 - 100 * found.return_to_player:.4f}" == edge
    assert found.return_to_player == float(
        (Fraction(odds) * found.win_ways + found.push_ways) / fresh("punto-banco").total_ways
    )


def test_a_bet_with_several_payouts() -> None:
    found = quote(NO_COMMISSION, Shoe.without(8), b"")
    banker = found.bet("banker")
    assert [bet.bet for bet in found.bets] == ["player", "banker", "tie", "player-pair", "banker-pair"]
    with_six = 269_232_304_455_680  # published
    assert [(tier.name, tier.ways, tier.odds) for tier in banker.tiers] == [
        ("banker-wins-with-6", with_six, "1.50"),
        ("banker-wins", banker.win_ways - with_six, "2.00"),
    ]
    assert (banker.state, banker.result) == (OfferState.ACTIVE, Result.UNDECIDED)
    assert (banker.odds, banker.fair_odds) == (None, None)
    returned = Fraction(3, 2) * with_six + 2 * (banker.win_ways - with_six) + banker.push_ways
    assert banker.return_to_player == float(returned / found.total_ways)
    assert f"{100 - 100 * banker.return_to_player:.4f}" == "1.4581"
    assert all(not bet.tiers for bet in found.bets if bet is not banker)
    assert quote(NO_COMMISSION, Shoe.without(8), b"").bet("player") == fresh("punto-banco").bet("player")


@settings(max_examples=40)
@given(states())
def test_tiers_are_counted_exactly(state: State) -> None:
    found = quote(NO_COMMISSION, Shoe.of_remaining(state.decks, state.left), bytes(state.dealt))
    _, cells = oracle.count(state.left, state.dealt)
    with_six = sum(cells[(player * 10 + 6) * 4 + cards] for player in range(6) for cards in range(4))
    banker = found.bet("banker")
    assert [tier.ways for tier in banker.tiers] == [with_six, banker.win_ways - with_six]
    assert (banker.odds, banker.fair_odds) == (None, None)
    assert (banker.return_to_player is None) is (banker.state is not OfferState.ACTIVE)


def states_of(found: Quote, *bets: str) -> set[tuple[OfferState, Result, str | None]]:
    return {(bet.state, bet.result, bet.odds) for bet in map(found.bet, bets)}


NOTHING_OFFERED = {(OfferState.INACTIVE, Result.UNDECIDED, None)}


def test_certain_but_not_decided() -> None:
    """Kings only: all is known, and nothing of it from the cards on the table."""
    found = starved("KS")
    certain = {bet.bet: bet.win_probability for bet in found.bets}
    assert certain == {
        "player": 0.0, "banker": 0.0, "tie": 1.0, "small": 0.0, "big": 1.0,
        "player-pair": 1.0, "banker-pair": 1.0, "either-pair": 1.0, "perfect-pair": 1.0,
    }  # fmt: skip
    assert states_of(found, *certain) == NOTHING_OFFERED
    assert {bet.return_to_player for bet in found.bets} == {None}
    assert (found.bet("tie").fair_odds, found.bet("player").fair_odds) == (1.0, None)
    fixed = quote(PUNTO_BANCO, Shoe.of_listed(12, [("KS", 8)]), b"")
    assert {(bet.state, bet.result, bet.odds) for bet in fixed.bets} == NOTHING_OFFERED


def test_no_chance_left_but_not_decided() -> None:
    """No ace of spades is left to pair with, but one could be."""
    found = starved("KS QH 3D 5C 6S 9H", "AS")
    assert found.bet("player-pair").win_ways == 0
    assert states_of(found, "player-pair") == NOTHING_OFFERED
    assert found.bet("player-pair").fair_odds is None


def test_a_bet_that_can_only_win_or_push() -> None:
    """Player has 9, Banker a 9 as yet: nobody could lose on Player, so nobody may bet."""
    late = replace(GAME, rounds=(Round(3),))
    found = quote(late, Shoe.without(6), parse_cards(["9S", "9D", "KS"], "dealt"))
    player = found.bet("player")
    assert player.win_ways + player.push_ways == found.total_ways
    assert player.push_ways > 0
    assert (player.state, player.result, player.odds, player.fair_odds) == (
        OfferState.INACTIVE,
        Result.UNDECIDED,
        None,
        1.0,
    )


def test_below_the_ladder() -> None:
    """Fair at 1.01 or so, hence nothing to offer with a margin."""
    counts = [("KS", 12), ("KH", 12), ("KD", 12), ("KC", 12), ("QS", 12), ("QC", 12), ("JD", 12), ("9S", 1)]
    found = quote(GAME, Shoe.of_listed(12, counts), b"")
    tie = found.bet("tie")
    assert 0 < tie.win_ways < found.total_ways
    assert (tie.state, tie.result, tie.odds, tie.return_to_player) == (
        OfferState.INACTIVE,
        Result.UNDECIDED,
        None,
        None,
    )
    assert tie.fair_odds is not None
    assert tie.fair_odds > 1


def test_above_the_ladder() -> None:
    """Zeros, a four and a five: only these two in one hand end the coup at four cards, in 4 of 194 × 193 coups."""
    zeros = [(rank + suit, 12) for rank in "TJQK" for suit in "CDHS"]
    shoe = Shoe.of_listed(12, [*zeros, ("4S", 1), ("5S", 1)])
    alone = re.sub(r'(id = "(small|big)"\nname = .*)', r'\1\nmargin = "0.05"', GAME.text)
    alone = re.sub(r'\[\[books\]\]\nid = "small-big"\n(.+\n)+', "", alone)
    small = quote(read_game_type(alone, "alone.toml"), shoe, b"").bet("small")
    assert small.fair_odds == 194 * 193 / 4
    assert (small.state, small.odds) == (OfferState.ACTIVE, "1000.00")
    assert small.return_to_player == float(Fraction(4_000, 194 * 193))
    # In a book of two an outsider is quoted at the whole margin at least.
    assert quote(GAME, shoe, b"").bet("small").odds == f"{1 / 0.0526:.2f}"


@given(states(most_dealt=2))
def test_no_odds_above_the_top(state: State) -> None:
    found = of_state(state)
    for bet in found.bets:
        if bet.odds is not None:
            assert Decimal("1.01") <= Decimal(bet.odds) <= 1_000
            assert bet.return_to_player is not None
            assert 0 < bet.return_to_player < 1


def test_what_cannot_be_priced() -> None:
    with pytest.raises(InvalidCoup, match=r"^dealt\[4\]"):
        fresh(dealt="9S KD KH 2C 3C")
    with pytest.raises(InvalidShoe, match=r"^dealt\[1\]"):
        quote(GAME, Shoe.without(1), bytes([5, 5]))
    with pytest.raises(NotEnoughCards, match=r"^shoe"):
        quote(GAME, Shoe.without(1, b"", 47), b"")
    with pytest.raises(InvalidShoe, match=r"^unseen_removed"):
        quote(GAME, Shoe.without(1, b"", 53), b"")


def test_quotes_are_values() -> None:
    assert fresh() == fresh()
    assert hash(fresh()) == hash(fresh())
    assert isinstance(fresh().bets[0], BetQuote)
