"""What a record says of a game or of a whole shoe, still as texts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pricing.domain.shoe import DECKS
from pricing.replay.readers.fields import PAIRS, SPOTS, WINNERS
from pricing.replay.readers.layouts import Record, utf8

_TWO_GAMES: Final = 12
"""Cards of two games at most: a list of more is a shoe, if it is not said to be a game."""
_SEPARATORS: Final = re.compile(r"\s*[,\s-]\s*")
_NOT_VOID: Final = ("", "0", "0.0", "f", "false", "n", "no", "none", "null", "nan")
_WHOLE: Final = re.compile(r"([0-9]{1,18})(?:\.0+)?")
"""A whole number, also as tables with gaps in a column write it."""
_CODE: Final = re.compile(r"([BPT])([0-9])([NPBF])")
_TOTALS: Final = re.compile(r"([A-Za-z]+)-([0-9])")


class Told(NamedTuple):
    """What the source says of a game besides its cards; None where it says nothing."""

    winner: str | None = None
    player_total: int | None = None
    banker_total: int | None = None
    winning_total: int | None = None
    bets: frozenset[str] | None = None
    """Bets that won, of those that it could have named."""


class Played(NamedTuple):
    """A game as its source has it."""

    place: str
    shoe: str | None
    number: int | None
    decks: int | None
    player: Sequence[str]
    banker: Sequence[str]
    burned_before: Sequence[str]
    told: Told
    void: bool
    order: Sequence[tuple[str, bool]] = ()
    """Every card that left the shoe and whether it was burned, where burned ones came between."""
    placed: bool = True
    """Whether the source says whose each card is; else the rules do, and the hands are not to be relied on."""

    @property
    def drawn(self) -> Sequence[tuple[str, bool]]:
        """Every card that left the shoe with it, in order, and whether it was burned."""
        return self.order or [*((card, True) for card in self.burned_before), *((card, False) for card in self.dealt)]

    @property
    def dealt(self) -> list[str]:
        """The cards in dealing order, as far as the hands are of a coup."""
        pairs = [card for place in range(3) for hand in (self.player, self.banker) for card in hand[place : place + 1]]
        return [*pairs, *self.player[3:], *self.banker[3:]]


class WholeShoe(NamedTuple):
    """A shoe in one record: its cards, with the places of burned ones and of each game's first if they are known."""

    place: str
    shoe: str | None
    decks: int | None
    cards: Sequence[str]
    burned: frozenset[int]
    games: Sequence[Mapping[str, Any]] | None


def read_played(record: Record) -> Played | WholeShoe | None:
    """What a record says; None where it is not understood."""
    values = record.values
    try:
        if "player" in values and "banker" in values:
            return _game(record, _cards(values["player"]), _cards(values["banker"]))
        if "cards" not in values:
            return None
        cards = _cards(values["cards"], blanks=True)
        if "games" in values or (_number(values) is None and len(cards) > _TWO_GAMES):
            return _shoe(record, [card for card in cards if card])
        hands = [[card for card in cards[side::2] if card] for side in (0, 1)]
        return _game(record, *hands)._replace(placed="" in cards)
    except (ValueError, TypeError, AttributeError, KeyError, ArithmeticError):
        return None


def texts_of(played: Played | WholeShoe) -> Sequence[str]:
    """All cards that it names."""
    return played.cards if isinstance(played, WholeShoe) else [card for card, _ in played.drawn]


def _game(record: Record, player: Sequence[str], banker: Sequence[str]) -> Played:
    values = record.values
    return Played(
        record.place,
        _shoe_id(values),
        _number(values),
        _decks(values),
        player,
        banker,
        [*_cards(values.get("burned")), *_cards(values.get("cancelled"))],
        _told(values),
        is_void(values.get("void")),
    )


def is_void(value: Any) -> bool:
    """Whether a source says that a game is void."""
    return str(value).strip().lower() not in _NOT_VOID


def _shoe(record: Record, cards: Sequence[str]) -> WholeShoe:
    values = record.values
    games = values.get("games")
    if games is not None:
        games = [{"first": game} if isinstance(game, int) else dict(game) for game in games]
        firsts = [int(game["first"]) for game in games]
        if firsts != sorted(firsts) or any(not 0 <= first <= len(cards) for first in firsts):
            raise ValueError(firsts)
    burned = frozenset(int(place) for place in _cards(values.get("burned")))
    if not burned <= {*range(len(cards))}:
        raise ValueError(burned)
    return WholeShoe(record.place, _shoe_id(values), _decks(values), cards, burned, games)


def _shoe_id(values: Mapping[str, Any]) -> str | None:
    shoe = values.get("shoe")
    return None if shoe in (None, "") else utf8(str(shoe))


def _number(values: Mapping[str, Any]) -> int | None:
    """The number of a game, if it is one."""
    found = _WHOLE.fullmatch(str(values.get("number")).strip())
    return int(found[1]) if found else None


def _decks(values: Mapping[str, Any]) -> int | None:
    given = values.get("decks")
    if given in (None, ""):
        return None
    found = _WHOLE.fullmatch(str(given).strip())
    if not found or int(found[1]) not in DECKS:
        raise ValueError(given)
    return int(found[1])


def _cards(value: Any, *, blanks: bool = False) -> list[str]:
    """Card texts of a list, or of a text with separators; blanks keep their places."""
    if value is None or value == "":
        return []
    parts = value if isinstance(value, list) else _SEPARATORS.split(str(value).strip())
    texts = ["" if part is None else str(part).strip() for part in parts]
    return texts if blanks else [text for text in texts if text]


def _told(values: Mapping[str, Any]) -> Told:
    outcome = str(values.get("winner") or "").strip()
    bets = values.get("bets")
    spots = None if bets is None else frozenset(SPOTS[key] for bet in _cards(bets) if (key := _letters(bet)) in SPOTS)
    if code := _CODE.fullmatch(outcome):
        return Told(WINNERS[code[1].lower()], winning_total=int(code[2]), bets=PAIRS[code[3]])
    if code := _TOTALS.fullmatch(outcome):
        return Told(WINNERS.get(code[1].lower(), code[1]), winning_total=int(code[2]))
    player, banker = (
        None if values.get(key) in (None, "") else int(values[key]) for key in ("player_total", "banker_total")
    )
    return Told(WINNERS.get(outcome.lower(), outcome) or None, player, banker, bets=spots)


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())
