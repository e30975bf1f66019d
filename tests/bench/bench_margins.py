"""What a margin model adds to a quote: `python tests/bench/bench_margins.py`.

One game type for each model, priced in turn in the same states of the three betting rounds. The dearest model may add
at most 30 % to the cheapest one's whole quote: worse than that, and the exit code is 1.
"""

import argparse
import random
import sys
from statistics import median
from time import perf_counter
from typing import Final

from pricing.domain.books import MarginModel
from pricing.domain.game import GameType
from pricing.domain.shoe import Shoe
from pricing.engine.quote import quote
from pricing.games import load_games
from pricing.games.reader import read_game_type

MOST: Final = 1.3
GAME: Final = load_games()["bet-on-baccarat"]
TWO_WAY: Final[list[MarginModel]] = [model for model in MarginModel if model is not MarginModel.TARGET_RETURN]


def with_model(model: MarginModel) -> GameType:
    return read_game_type(GAME.text.replace('"odds-ratio"', f'"{model}"'), f"{model}.toml")


def states(number: int) -> list[tuple[Shoe, bytes]]:
    dice, found = random.Random(7), []
    for _ in range(number):
        cards = dice.sample([card for card in range(52) for _ in range(GAME.decks)], 260)
        found.append(
            (Shoe.without(GAME.decks, bytes(cards[2 : dice.randrange(2, 260)])), bytes(cards[: dice.randrange(3)]))
        )
    return found


def seconds(game: GameType, asked: list[tuple[Shoe, bytes]]) -> float:
    start = perf_counter()
    for shoe, dealt in asked:
        quote(game, shoe, dealt)
    return (perf_counter() - start) / len(asked)


def main(rounds: int, number: int) -> int:
    games, asked = {model: with_model(model) for model in TWO_WAY}, states(number)
    measured: dict[MarginModel, list[float]] = {model: [] for model in TWO_WAY}
    for game in games.values():
        seconds(game, asked)
    for _ in range(rounds):
        for model, game in games.items():
            measured[model].append(seconds(game, asked))
    each = {model: median(values) for model, values in measured.items()}
    cheapest, dearest = min(each, key=lambda model: each[model]), max(each, key=lambda model: each[model])
    for model, value in each.items():
        print(f"{model:14} {value * 1e6:6.1f} us a quote")
    # Of the same round, so that what disturbs one of the two mostly disturbs the other.
    ratio = median(dear / cheap for dear, cheap in zip(measured[dearest], measured[cheapest], strict=True))
    print(f"{dearest} is {ratio:.2f} x {cheapest} (at most {MOST})")
    return int(ratio > MOST)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--states", type=int, default=1_000)
    arguments = parser.parse_args()
    sys.exit(main(arguments.rounds, arguments.states))
