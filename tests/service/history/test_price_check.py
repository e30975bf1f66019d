"""`journal verify --prices`: what was told is made again, and whatever differs is found."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from service.floors import Hall, tell
from service.studio import GAME

from pricing.domain.cards import CARDS
from pricing.domain.coup import FULL_COUP
from pricing.domain.shoe import Shoe
from pricing.engine.chances import way_counter
from pricing.engine.crosscheck import ways_by_next_card
from pricing.service.history import price_check
from pricing.service.history.price_check import PriceCheck
from pricing.service.images.offers import offer_of
from pricing.store.files import NAME
from pricing.store.journal import Fault
from pricing.store.reader import open_reader
from pricing.table import events
from pricing.table.state import Table

EVENTS = (
    events.GameOpened(),
    events.Notice(events.NoticeKind.BREAK, "a notice moves no price, and offers go on"),
    events.CardBurned(3),
    events.BettingClosed(None),
    events.CardDealt(4, None),
    events.CardDealt(9, None),
    events.EarlyCardResolved(True),
    events.BettingClosed(None),
    events.CardDealt(51, None),
    events.CardDealt(50, None),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of a game in which a card is burned, one comes early, and some are dealt as they should."""
    folder = tmp_path_factory.mktemp("prices")

    async def story(hall: Hall) -> None:
        await hall.say(*EVENTS)

    tell(story, folder)
    return folder / "data"


def checked(data: Path) -> list[Fault]:
    with open_reader(data) as journal:
        found = PriceCheck(journal)
        return list(found.faults())


def copy(data: Path, to: Path) -> Path:
    to.mkdir()
    with open_reader(data) as journal:
        journal.backup(to / NAME)
    return to


def run(data: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(data / NAME, isolation_level=None)) as connection:
        assert connection.execute(statement, values).rowcount == 1


def test_what_was_told_is_right(data: Path) -> None:
    with open_reader(data) as journal:
        found = PriceCheck(journal)
        assert not list(found.faults())
    assert (found.offers, found.older) == (5, 0)


def changed(change: Callable[[list[Any]], object]) -> Callable[[Path], None]:
    def apply(data: Path) -> None:
        with closing(sqlite3.connect(data / NAME, isolation_level=None)) as connection:
            (text,) = connection.execute("SELECT offer FROM offers WHERE position = 3").fetchone()
        offer = json.loads(text)
        change(offer)
        run(data, "UPDATE offers SET offer = ? WHERE position = 3", json.dumps(offer))

    return apply


def bet(place: int, field: int, value: object) -> Callable[[Path], None]:
    def change(offer: list[object]) -> None:
        bets = offer[-1]
        assert isinstance(bets, list)
        assert bets[place][field] != value
        bets[place][field] = value

    return changed(change)


def total(offer: list[object]) -> None:
    assert isinstance(offer[2], int)
    offer[2] ^= 1 << 20


_GAME = "shoe, open_time, state, ending, opening, game_hash, packed"
FLIPS: dict[str, tuple[Callable[[Path], None], str]] = {
    "odds": (bet(2, 5, "9.68"), "odds of tie: found 9.68; expected 9.67"),
    "state": (bet(2, 1, 3), "state of tie: found 3; expected 1"),
    "ways": (bet(0, 3, 1), "win ways of player: found 1; "),
    "total": (changed(total), "total ways: "),
    "policy": (changed(lambda offer: offer.__setitem__(0, "other")), "policy version: found other; "),
    "unseen": (changed(lambda offer: offer.__setitem__(5, 1)), "unseen removed: found 1; expected 0"),
    "bet gone": (changed(lambda offer: offer[-1].pop()), "bet: found none; expected big"),
    "no offer": (changed(lambda offer: offer.pop()), "offer: found "),
    "offer gone": (
        lambda data: run(data, "DELETE FROM offers WHERE position = 3"),
        "offer: found none; expected one",
    ),
    "offer too much": (
        lambda data: run(data, "INSERT INTO offers SELECT table_name, 2, number, round, offer FROM offers LIMIT 1"),
        "offer: found one; expected none",
    ),
    "offer of no event": (
        lambda data: run(data, "INSERT INTO offers SELECT table_name, 999, number, round, offer FROM offers LIMIT 1"),
        "offers: found 6 of them; expected 5",
    ),
    "round": (
        lambda data: run(data, "UPDATE offers SET round = 3 WHERE position = 3"),
        "round of the offer: found 3; ",
    ),
    "other game": (
        lambda data: run(data, "UPDATE offers SET number = 2 WHERE position = 3"),
        "number of the offer: found 2; expected 1",
    ),
    "game too much": (
        lambda data: run(data, f"INSERT INTO games SELECT table_name, 9, {_GAME} FROM games"),
        "games: found 2 of them; expected 1",
    ),
    "game": (lambda data: run(data, "UPDATE games SET ending = 7"), "game 1: found "),
}


@pytest.mark.parametrize(("flip", "said"), FLIPS.values(), ids=FLIPS)
def test_a_note_that_is_not_as_it_was_written_is_found(
    data: Path, tmp_path: Path, flip: Callable[[Path], None], said: str
) -> None:
    other = copy(data, tmp_path / "copy")
    assert not checked(other)
    flip(other)
    found = [str(fault).partition("table t: ")[2] for fault in checked(other)]
    assert any(said in fault for fault in found), found


def test_another_price_than_was_told_is_found(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the program that told the prices had rounded the other way."""

    def other(table: Table) -> object:
        offer = offer_of(table)
        return offer and offer._replace(bets=(offer.bets[0]._replace(odds="1.98"), *offer.bets[1:]))

    monkeypatch.setattr(price_check, "offer_of", other)
    faults = checked(data)
    assert len(faults) == 5
    assert all(fault.what == "odds of player" for fault in faults)


@pytest.mark.parametrize("dealt", ["", "9S", "9S KD", "2C 3C 4C", "2C 3C 3D 4D", "2C 3C 3D 2D 5C"])
def test_both_routes_count_the_same(dealt: str) -> None:
    cards = bytes(CARDS.index(card) for card in dealt.split())
    shoe = Shoe.without(6, bytes(range(0, 52, 3)))
    remaining = shoe.remaining(cards)
    total, ways, _ = way_counter(GAME).count(remaining, cards)
    assert ways_by_next_card(GAME, remaining, cards) == (total, ways.tolist())
    assert len(cards) < FULL_COUP


def test_a_kernel_that_miscounts_one_state_is_found(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def miscounted(*state: object) -> object:
        counted, ways = ways_by_next_card(*state)  # type: ignore[arg-type]
        return counted, [[ways[0][0] + 1, ways[0][1]], *ways[1:]]

    monkeypatch.setattr(price_check, "ways_by_next_card", miscounted)
    assert {fault.what for fault in checked(data)} == {"ways of player, by the next card"}
