"""Simulated shoes are dealt by the rules, and are the same in every run."""

from collections import Counter

import pytest

from pricing.domain.coup import read_coup
from pricing.domain.game import GameType
from pricing.games import load_games
from pricing.replay.simulate import House, simulate

GAME = load_games()["bet-on-baccarat"]
CLASSIC = load_games()["punto-banco"]


@pytest.mark.parametrize("kind", [GAME, CLASSIC], ids=repr)
def test_every_shoe_is_dealt_by_the_rules(kind: GameType) -> None:
    for shoe in simulate(House(kind, burns=0.05, voids=0.02), 3, range(60)):
        assert max(Counter(shoe.cards).values()) <= kind.decks
        assert all(read_coup(shoe.dealt(coup), kind.drawing).complete for coup in shoe.coups)
        assert sorted(place for coup in shoe.coups for place in coup.places)[-1] == len(shoe.cards) - 1
        left = [kind.decks * 52 - coup.places[-1] - 1 for coup in shoe.coups]
        begins = len([cards for cards in left if cards >= kind.shoe_change.below]) + 1 + kind.shoe_change.games_after
        assert len(shoe.coups) == begins


def test_burns_and_voids_come_at_their_rates() -> None:
    shoes = [*simulate(House(GAME, burns=0.2, voids=0.1), 5, range(200))]
    games = sum(len(shoe.coups) for shoe in shoes)
    burned = sum(len(shoe.cards) - sum(len(coup.places) for coup in shoe.coups) for shoe in shoes)
    void = sum(coup.void for shoe in shoes for coup in shoe.coups)
    assert burned / games == pytest.approx(0.2, abs=4 * (0.16 / games) ** 0.5)
    assert void / games == pytest.approx(0.1, abs=4 * (0.09 / games) ** 0.5)


def test_every_card_is_as_likely_in_every_place() -> None:
    shoes = [*simulate(House(GAME), 1, range(3000))]
    for place in (0, 100, 250):
        counts = Counter(shoe.cards[place] for shoe in shoes)
        squares = sum((counts[card] - 3000 / 52) ** 2 / (3000 / 52) for card in range(52))
        assert 21 < squares < 97  # 51 degrees of freedom: but for one in 10,000 on either side
