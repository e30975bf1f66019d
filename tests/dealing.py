"""Shoes dealt by the oracle's rules, to be replayed."""

import random
from collections.abc import Iterator

import oracle

from pricing.replay.shoes import Coup, Precision, ShoeRecord


def deal(seed: int, decks: int = 6, precision: Precision = Precision.CARDS, change_below: int = 40) -> ShoeRecord:
    """A shoe dealt to the change, now and then a card burned and a game void."""
    dice = random.Random(seed)
    cards = [card for card in range(52) for _ in range(decks)]
    dice.shuffle(cards)
    coups: list[Coup] = []
    gone = 0
    while len(cards) - gone >= change_below:
        places: list[int] = []
        while not oracle.is_over([cards[place] for place in places]):
            gone += dice.random() < 0.01
            places.append(gone)
            gone += 1
        coups.append(Coup(len(coups) + 1, tuple(places), dice.random() < 0.01))
    return ShoeRecord(f"shoe-{seed}", decks, precision, bytes(cards[:gone]), tuple(coups))


def deal_many(shoes: int) -> Iterator[ShoeRecord]:
    return (deal(seed) for seed in range(shoes))
