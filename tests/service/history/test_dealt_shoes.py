"""The shoes of a table as an archive: what the cards say is what the table knows, through many random histories."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from table.playing import TYPES
from table.twin import Twin, anything

from pricing.domain.cards import CARDS
from pricing.domain.shoe import Shoe
from pricing.service.history.dealt_shoes import dealt_shoes
from pricing.table.apply import apply, create
from pricing.table.events import CompositionCorrected, ScanCorrected
from pricing.table.games import OVER, GamePhase
from pricing.table.state import Entry, Table

HISTORIES = 250


def history_of(twin: Twin) -> Iterator[tuple[Table | None, Entry, Table]]:
    table = None
    for entry in twin.entries:
        before = table
        table = apply(before, entry, TYPES) if before else create("t1", entry, TYPES)
        yield before, entry, table


def played(kind: str, seed: int) -> Twin:
    dice = random.Random(f"{kind} {seed}")
    twin = Twin(TYPES[kind])
    for _ in range(80):
        anything(twin, dice, 0.2)
    return twin


def corrected_late(twin: Twin) -> set[int]:
    """Games that were over when their last card turned out to be another: the shoe is right then, not the game."""
    corrections = (
        (before.game, before.need_shoe().last)
        for before, entry, _ in history_of(twin)
        if before and before.game and isinstance(entry.event, ScanCorrected)
    )
    return {last.game for game, last in corrections if last and (game.phase in OVER or last.game != game.number)}


def as_known(record: dict[str, Any]) -> tuple[list[str], dict[int, list[str]]]:
    """The cards of a shoe, and those of each of its games."""
    cards, burned, games = record["cards"].split(), set(record["burned"]), record["games"]
    ends = [*(each["first"] for each in games[1:]), len(cards)][: len(games)]
    return cards, {
        each["number"]: [cards[place] for place in range(each["first"], end) if place not in burned]
        for each, end in zip(games, ends, strict=True)
    }


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_the_cards_are_those_that_the_table_knows(kind: str) -> None:
    compared = games_compared = 0
    for seed in range(HISTORIES):
        twin = played(kind, seed)
        table, shoes = twin.table, list(dealt_shoes(history_of(twin)))
        assert [each["shoe"] for each in shoes] == [
            f"t1-{n}" for n in range(1, (table.shoe.number if table.shoe else 0) + 1)
        ]
        late = corrected_late(twin)
        for shoe in shoes:
            void = {each["number"]: each["void"] for each in shoe["games"]}
            for number, dealt in as_known(shoe)[1].items():
                game = table.find_game(twin.references[number - 1])
                if game is None:
                    continue  # of long ago
                assert [CARDS[card] for card in game.dealt] == dealt or number in late
                assert void[number] == (game.phase is GamePhase.VOID)
                games_compared += 1
        if table.shoe is None or any(isinstance(entry.event, CompositionCorrected) for entry in twin.entries):
            continue
        cards, _ = as_known(shoes[-1])
        if table.running and table.running.dealt:
            continue
        full, counts = Shoe.without(table.shoe.decks).counts, Counter(cards)
        for card, text in enumerate(CARDS):
            assert counts[text] == full[card] - table.shoe.counts[card] + table.shoe.impossible.count(card)
        assert counts["?"] == table.shoe.unread + table.shoe.unseen_removed
        compared += 1
    assert compared > 20
    assert games_compared > 50
