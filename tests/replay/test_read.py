"""Shoes are read from every notation, and what is wrong with them is found, and nothing else."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pricing.cli.dealing import ShuffledShoe
from pricing.domain.cards import CARDS, RANKS, SUITS, parse_cards
from pricing.domain.coup import Side, read_coup
from pricing.games import load_games
from pricing.replay.findings import DirtyData, Finding, FindingKind
from pricing.replay.read import read_shoes
from pricing.replay.readers.notations import UnknownFormat
from pricing.replay.shoes import Precision, ShoeRecord

GAME = load_games()["bet-on-baccarat"]

SETTLED = [
    ("6D 6H 2S", "4D 9S 4S", "Banker", 4, 7, ["EitherPair", "PlayerPair", "Banker", "Big"]),
    ("7C JH", "8C 7D 7C", "Player", 7, 2, ["Player", "Big"]),
    ("8H 6C 6C", "2S 9C TD", "Banker", 0, 1, ["Banker", "Big"]),
    ("4C KH QS", "KD 6D", "Banker", 4, 6, ["Banker", "Big"]),
]
"""Coups that were played: both hands, the winner, both totals, what else won."""
DEALT = ["6D 4D 6H 9S 2S 4S", "7C 8C JH 7D 7C", "8H 2S 6C 9C 6C TD", "4C KD KH 6D QS"]


def as_text(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def rewrite(card: str, form: str) -> str:
    rank, suit = card[0], card[1]
    number = RANKS.index(rank)
    ten = "10" if rank == "T" else rank
    index = SUITS.index(suit) * 13 + number
    return form.format(rank=rank, ten=ten, suit=suit, number=number + 1, index=index, one=index + 1, many=index + 208)


def evolution() -> str:
    lines = (
        {
            "playerHand": {"cards": player.split(), "score": player_total},
            "bankerHand": {"cards": banker.split(), "score": banker_total},
            "result": winner,
            "winningSpots": spots,
        }
        for player, banker, winner, player_total, banker_total, spots in SETTLED
    )
    return as_text([*lines])


def six_places(form: str) -> str:
    lines = []
    for player, banker, *_ in SETTLED:
        hands = [[rewrite(card, form) for card in hand.split()] for hand in (player, banker)]
        places = [hand[place] if place < len(hand) else "" for place in range(3) for hand in hands]
        lines.append(f'"{",".join(places)}"\n')
    return "".join(lines)


def hands(form: str, *, lower: bool = False) -> str:
    lines = ["player;banker;result;shoe;round\n"]
    for number, (player, banker, winner, a, b, spots) in enumerate(SETTLED, 1):
        one, two = ("-".join(rewrite(card, form) for card in hand.split()) for hand in (player, banker))
        pair = "P" if "PlayerPair" in spots else "N"
        result = winner if lower else f"{winner[0]}{max(a, b)}{pair}"
        lines.append(f"{one.lower() if lower else one};{two.lower() if lower else two};{result};7;{number}\n")
    return "".join(lines)


def lists(form: str) -> str:
    return json.dumps(
        [
            {
                "player_cards": [rewrite(card, form) for card in player.split()],
                "banker_cards": [rewrite(card, form) for card in banker.split()],
                "burnCards": [],
            }
            for player, banker, *_ in SETTLED
        ]
    )


NOTATIONS: list[tuple[str, str | None, Precision]] = [
    (evolution(), None, Precision.CARDS),
    (six_places("{suit}.{number}"), None, Precision.CARDS),
    (hands("{suit}{ten}"), None, Precision.CARDS),
    (lists("{suit}_{ten}"), None, Precision.CARDS),
    (hands("{rank}{suit}", lower=True), None, Precision.CARDS),
    (hands("{ten}{suit}", lower=True), None, Precision.CARDS),
    (hands("{ten}"), None, Precision.RANKS),
    (hands("{number}"), "ranks-1-13", Precision.RANKS),
    (lists("{index}"), "0-51-CDHS", Precision.CARDS),
    (lists("{one}"), "1-52-CDHS", Precision.CARDS),
    (lists("{many}"), "0-415-CDHS", Precision.CARDS),
    (json.dumps({"shoe": 1, "cards": " ".join(DEALT)}), None, Precision.CARDS),
    (json.dumps({"shoe": 1, "cards": " ".join(DEALT).split(), "games": [0, 6, 11, 17]}), None, Precision.CARDS),
]


def read(folder: Path, text: str, notation: str | None = None, **how: Any) -> tuple[list[ShoeRecord], list[Finding]]:
    file = folder / "data"
    file.write_text(text, "utf-8")
    found = [*read_shoes([file], GAME, notation, **how)]
    return [shoe for shoe, _ in found], [finding for _, findings in found for finding in findings]


@pytest.mark.parametrize(("text", "notation", "precision"), NOTATIONS)
def test_settled_coups_from_every_notation(
    tmp_path: Path, text: str, notation: str | None, precision: Precision
) -> None:
    (shoe,), findings = read(tmp_path, text, notation)
    assert not findings
    assert shoe.precision is precision
    assert all(coup.usable for coup in shoe.coups)
    expected = [parse_cards(dealt.split(), "") for dealt in DEALT]
    if precision is Precision.RANKS:
        expected = [bytes(card // 4 * 4 for card in dealt) for dealt in expected]
    assert [shoe.dealt(coup) for coup in shoe.coups] == expected
    for coup, (*_, a, b, _spots) in zip(expected, SETTLED, strict=True):
        played = read_coup(coup, GAME.drawing)
        assert (played.total(Side.PLAYER), played.total(Side.BANKER)) == (a, b)


def archive(shoes: int, seed: int = 1) -> list[dict[str, Any]]:
    """Clean games as an archive has them."""
    rng, rows = random.Random(seed), []
    for shoe in range(1, shoes + 1):
        cards = ShuffledShoe(GAME, rng)
        for number in range(1, rng.randint(46, 54)):
            dealt: list[str] = []
            while not (coup := read_coup(parse_cards(dealt, ""), GAME.drawing)).complete:
                dealt.append(cards.draw())
            p, b = ([CARDS[card] for card in coup.hand(side)] for side in (Side.PLAYER, Side.BANKER))
            a, c = coup.total(Side.PLAYER), coup.total(Side.BANKER)
            winner = "Player" if a > c else "Banker" if c > a else "Tie"
            rows.append({"shoe": shoe, "round": number, "player": p, "banker": b, "winner": winner, "playerScore": a})
    return rows


def test_clean_data_has_no_findings(tmp_path: Path) -> None:
    rows = archive(40)
    shoes, findings = read(tmp_path, as_text(rows), strict=True)
    assert (len(shoes), findings) == (40, [])
    assert sum(len(shoe.coups) for shoe in shoes) == len(rows)


def _in_places(row: dict[str, Any]) -> list[str]:
    return [hand[place] if place < len(hand) else "" for place in range(3) for hand in (row["player"], row["banker"])]


WAYS_TO_WRITE: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "a list in dealing order": lambda rows: as_text(
        [
            {"shoe": row["shoe"], "game": row["round"], "dealt": [card for card in _in_places(row) if card]}
            for row in rows
        ]
    ),
    "CSV in dealing order": lambda rows: (
        "shoe,number,cards\n"
        + "".join(f"{row['shoe']},{row['round']},{' '.join(filter(None, _in_places(row)))}\n" for row in rows)
    ),
    "CSV with a column a card": lambda rows: (
        "shoe,game,p1,b1,p2,b2,p3,b3\n"
        + "".join(f"{row['shoe']},{row['round']},{','.join(_in_places(row))}\n" for row in rows)
    ),
    "JSON with a key a card": lambda rows: as_text(
        [
            {"shoe": row["shoe"], "game": row["round"]}
            | {f"{hand.title()} Card {n}": card for hand in ("player", "banker") for n, card in enumerate(row[hand], 1)}
            for row in rows
        ]
    ),
    "tens as 10S": lambda rows: as_text(rows).replace('"T', '"10'),
}


@pytest.mark.parametrize("way", WAYS_TO_WRITE)
def test_the_rules_say_whose_card_is_whose_where_the_source_does_not(tmp_path: Path, way: str) -> None:
    rows = archive(4)
    expected, _ = read(tmp_path, as_text([{**row, "winner": "", "playerScore": ""} for row in rows]))
    shoes, findings = read(
        tmp_path, WAYS_TO_WRITE[way](rows).replace('"winner"', '"x"').replace('"playerScore"', '"y"')
    )
    assert not findings
    assert shoes == expected


def test_coups_in_dealing_order_a_line_each(tmp_path: Path) -> None:
    text = "KH 8S 6D 5D AD\n" + "".join(f"{dealt}\n" for dealt in DEALT)
    (shoe,), findings = read(tmp_path, text)
    assert not findings
    assert [shoe.dealt(coup) for coup in shoe.coups[1:]] == [parse_cards(dealt.split(), "") for dealt in DEALT]
    _, (finding,) = read(tmp_path, "KH 8S 6D 5D AD 2C\n")
    assert (finding.kind, finding.found) == (FindingKind.DRAWING, "KH-6D against 8S-5D-AD-2C")


def _other(winner: str) -> str:
    return "Banker" if winner == "Player" else "Player"


FAULTS: dict[FindingKind, Callable[[dict[str, Any]], dict[str, Any]]] = {
    FindingKind.DRAWING: lambda row: {"player": row["player"][:1]},
    FindingKind.CARD: lambda row: {"banker": ["1S", *row["banker"][1:]]},
    FindingKind.WINNER: lambda row: {"winner": _other(row["winner"])},
    FindingKind.TOTAL: lambda row: {"playerScore": (row["playerScore"] + 1) % 10},
    FindingKind.BETS: lambda row: {"winningSpots": ["Player", "Banker"]},
    FindingKind.RECORD: lambda row: {"player": None, "banker": 7, "cards": {}},
}


@pytest.mark.parametrize("kind", FAULTS)
def test_planted_faults_are_found_and_nothing_else(tmp_path: Path, kind: FindingKind) -> None:
    rows, rng = archive(4), random.Random(2)
    planted = sorted(rng.sample(range(len(rows)), 12))
    for place in planted:
        rows[place] |= FAULTS[kind](rows[place])
        if kind is FindingKind.RECORD:
            rows[place] = {"shoe": rows[place]["shoe"]}
    shoes, findings = read(tmp_path, as_text(rows))
    assert [(finding.place, finding.kind) for finding in findings] == [(f"data:{place + 1}", kind) for place in planted]
    set_aside = sum(not coup.usable for shoe in shoes for coup in shoe.coups)
    assert set_aside == (0 if kind is FindingKind.RECORD else 12)
    gone = sum(len(row.get("player", [])) + len(row.get("banker", [])) for row in rows)
    assert sum(len(shoe.cards) for shoe in shoes) == gone


def test_a_game_written_twice_is_counted_once(tmp_path: Path) -> None:
    rows = archive(2)
    clean, _ = read(tmp_path, as_text(rows))
    twice = [*rows[:8], rows[7], *rows[8:]]
    shoes, findings = read(tmp_path, as_text(twice))
    assert [(finding.place, finding.kind) for finding in findings] == [("data:9", FindingKind.DUPLICATE)]
    assert shoes == clean


def test_more_than_the_decks_hold(tmp_path: Path) -> None:
    """Two shoes written as one: from the first card too many nobody knows what is left."""
    rows = [{**row, "shoe": 1, "round": None} for row in archive(2)]
    (shoe,), findings = read(tmp_path, as_text(rows))
    assert [finding.kind for finding in findings] == [FindingKind.TOO_MANY]
    usable = [coup.usable for coup in shoe.coups]
    assert usable == sorted(usable, reverse=True)
    assert 0 < usable.count(True) < len(usable)
    assert int(findings[0].place.removeprefix("data:")) == usable.index(False) + 1


def test_a_shoe_that_goes_on(tmp_path: Path) -> None:
    rows = archive(3)
    cut = [{**row, "shoe": 9} if row["shoe"] == 2 and row["round"] > 20 else row for row in rows]
    shoes, findings = read(tmp_path, as_text(cut))
    assert [finding.kind for finding in findings] == [FindingKind.BOUNDARY]
    assert "begins with game 21" in findings[0].found
    assert [shoe.shoe for shoe in shoes if not any(coup.usable for coup in shoe.coups)] == ["9"]


def test_shoes_of_one_length(tmp_path: Path) -> None:
    rows = [row for row in archive(12) if row["round"] <= 45]
    shoes, findings = read(tmp_path, as_text(rows))
    assert [finding.kind for finding in findings] == [FindingKind.BOUNDARY] * 2
    assert [shoe.coups[0].usable for shoe in shoes] == [True] * 10 + [False] * 2


def test_strict_stops_at_the_first(tmp_path: Path) -> None:
    rows = archive(1)
    rows[4] |= FAULTS[FindingKind.WINNER](rows[4])
    with pytest.raises(DirtyData, match=r"data:5: winner: got .*; allowed: "):
        read(tmp_path, as_text(rows), strict=True)


@pytest.mark.parametrize(
    ("text", "notation", "why"),
    [
        ("B\nP\nT\n", None, "outcomes alone cannot be priced"),
        ("", None, "no cards"),
        ('{"player": [13, 2], "banker": [3, 1]}', None, "a notation that is named"),
        ('{"player": [13, 2], "banker": [3, 1]}', "no-such", "format: got 'no-such'"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, text: str, notation: str | None, why: str) -> None:
    with pytest.raises(UnknownFormat, match=why):
        read(tmp_path, text, notation)
