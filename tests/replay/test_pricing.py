"""Priced rows, against quotes of one state at a time."""

import dealing
import pytest

from pricing.domain.bets import Result
from pricing.domain.game import GameType
from pricing.domain.shoe import Shoe
from pricing.engine.quote import OfferState, quote
from pricing.engine.situation import situation
from pricing.games import load_games
from pricing.replay.arrow import batch_of
from pricing.replay.pricing import price_shoes
from pricing.replay.shoes import Precision, ShoeRecord

GAMES = list(load_games().values())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_rows_say_what_quotes_say(game: GameType) -> None:
    shoe = dealing.deal(1, game.decks)
    rows = iter(price_shoes(batch_of([shoe]), game).to_pylist())
    for coup in shoe.coups:
        cards = shoe.dealt(coup)
        ended = situation(game, cards).results
        for number, each in enumerate(game.rounds, 1):
            gone = coup.places[each.cards]
            before = bytearray(shoe.cards[:gone])
            for card in cards[: each.cards]:
                before.remove(card)
            alone = quote(game, Shoe.without(game.decks, bytes(before)), cards[: each.cards])
            for bet, result in zip(alone.bets, ended, strict=True):
                row = next(rows)
                assert (row["game"], row["round"], row["gone"], row["bet"]) == (coup.number, number, gone, bet.bet)
                ways = (row["ways"], row["win_ways"], row["push_ways"])
                assert ways == (alone.total_ways, bet.win_ways, bet.push_ways)
                assert row["odds"] == (None if bet.odds is None else float(bet.odds))
                assert (row["state"], row["return"]) == (bet.state.name, bet.return_to_player)
                assert row["result"] == ("VOID" if coup.void else result.name)
                if bet.state is OfferState.ACTIVE:
                    won = 0.0 if result is Result.LOST else 1.0 if result is Result.PUSH else row["odds"]
                    assert row["paid"] == (1.0 if coup.void else won)
    assert next(rows, None) is None


@pytest.mark.parametrize(
    ("precision", "absent"),
    [
        (Precision.RANKS, {"perfect-pair"}),
        (Precision.POINTS, {"perfect-pair", "player-pair", "banker-pair", "either-pair"}),
    ],
)
def test_what_less_is_known_of_is_priced_as_exactly(precision: Precision, absent: set[str]) -> None:
    game = load_games()["bet-on-baccarat"]
    known = dealing.deal(2)
    less = ShoeRecord(known.shoe, known.decks, precision, known.cards, known.coups)
    whole, part = (price_shoes(batch_of([shoe]), game).to_pylist() for shoe in (known, less))
    without_cards = [{**row, "cards": ""} for row in whole if row["bet"] not in absent]
    assert [{**row, "cards": ""} for row in part] == without_cards


def test_no_shoes_are_no_rows() -> None:
    assert price_shoes(batch_of([]), GAMES[0]).num_rows == 0
