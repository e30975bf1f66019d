"""A historical shoe as what a studio would report of it, with a fault in some of its games if one is wanted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum, unique
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from pricing.domain.cards import CARDS
from pricing.domain.coup import Side, read_coup
from pricing.domain.game import GameType
from pricing.replay.errors import InvalidRun
from pricing.replay.shoes import UNREAD, Coup, Precision, ShoeRecord

_CARD: Final = 1.0
"""Seconds to deal a card, to open a game or to say a result."""
_CLOSES_AT: Final = 0.9
"""The share of a round's window after which the dealer closes it."""
_LATE: Final = 60.0
"""Seconds of a delay: every window is over by then."""
_FAULTY: Final = 5
"""Of so many games one has the fault: the second, the seventh and so on."""


@unique
class Fault(StrEnum):
    """What goes wrong at real tables and integrators must survive."""

    GAP = "gap"
    """A report got lost on its way: the table is held until the studio has looked."""
    DUPLICATE = "duplicate"
    """A card is reported twice."""
    DELAY = "delay"
    """The last round is closed by the clock, and the card comes long after."""
    MISREAD = "misread"
    """A card is read wrongly and corrected."""
    EARLY_CARD = "early-card"
    """A card is seen while bets are open, and is the next card indeed."""
    VOID = "void"
    """The game is made void in its midst."""


class Report(NamedTuple):
    """One event that a studio reports."""

    seconds: float
    """How long after the one before."""
    what: Mapping[str, Mapping[str, Any]]
    """Its kind, and the fields of that kind as a TableEvent has them."""
    lost: int = 0
    """Source numbers of reports before it that never arrive."""
    times: int = 1
    """How often it is sent."""


Reports: TypeAlias = Sequence[Report]


def reports(game: GameType, shoe: ShoeRecord, fault: Fault | None = None) -> Iterator[Report]:
    """All that a studio reports while a shoe is dealt; a game that is not usable is told as burned cards.

    Raises:
        InvalidRun: A shoe whose suits are not known, which no table could be dealt from.
    """
    if shoe.precision is not Precision.CARDS:
        raise InvalidRun(
            "files", f"shoe {shoe.shoe}, of which only {shoe.precision.name} are known", "cards with suits"
        )
    yield Report(_CARD, {"shoe_loaded": {"decks": shoe.decks}})
    next_place = 0
    for number, coup in enumerate(shoe.coups):
        before = range(next_place, coup.places[0] if coup.places else next_place)
        next_place = coup.places[-1] + 1 if coup.places else next_place
        yield from chain.from_iterable(_burned(shoe.cards[place]) for place in before)
        if not coup.usable:
            played: Reports = [*chain.from_iterable(_burned(card) for card in shoe.cards[before.stop : next_place])]
        else:
            played = _played(game, shoe, coup)
            if fault and number % _FAULTY == 1 and not coup.void and _last_round(played):
                played = _FAULTS[fault](played, shoe.cards[next_place:])
        yield from played


def _played(game: GameType, shoe: ShoeRecord, coup: Coup) -> Reports:
    """A game from its opening to its result, or to where it was made void."""
    found = [Report(_CARD, {"game_opened": {}})]
    windows = {each.cards: each.window_ms / 1000 for each in game.rounds}
    next_place = coup.places[0] if coup.places else 0
    for dealt, place in enumerate(coup.places):
        found += chain.from_iterable(_burned(card) for card in shoe.cards[next_place:place])
        if dealt in windows:
            found.append(Report(windows[dealt] * _CLOSES_AT, {"betting_closed": {}}))
        found.append(_card(shoe.cards[place]))
        next_place = place + 1
    seen = read_coup(shoe.dealt(coup), game.drawing)
    if coup.void or not seen.complete:
        return [*found, _VOID]
    player, banker = seen.total(Side.PLAYER), seen.total(Side.BANKER)
    winner = "TIE" if player == banker else "PLAYER" if player > banker else "BANKER"
    result = {"winner": f"WINNER_{winner}", "player_total": player, "banker_total": banker}
    return [*found, Report(_CARD, {"result_announced": result})]


def _card(card: int) -> Report:
    return Report(_CARD, {"card_dealt": {"card": CARDS[card]}})


def _burned(card: int) -> Reports:
    if card != UNREAD:
        return [Report(_CARD, {"card_burned": {"card": CARDS[card]}})]
    return [Report(_CARD, {"card_burned": {}}), Report(_CARD, {"burn_identified": {}})]


_RESUMED: Final = Report(_CARD, {"resumed": {}})
_VOID: Final = Report(_CARD, {"games_voided": {"reason": "VOID_REASON_MISDEAL"}})


def _gap(played: Reports, _: bytes) -> Reports:
    place = _last_round(played) + 1
    return [*played[:place], played[place]._replace(lost=1), _RESUMED, *played[place + 1 :]]


def _duplicate(played: Reports, _: bytes) -> Reports:
    place = _last_round(played) + 1
    return [*played[:place], played[place]._replace(times=2), *played[place + 1 :]]


def _delay(played: Reports, _: bytes) -> Reports:
    place = _last_round(played)
    return [*played[:place], played[place]._replace(seconds=_LATE), *played[place + 1 :]]


def _misread(played: Reports, left: bytes) -> Reports:
    place = _last_round(played) + 1
    right = played[place].what["card_dealt"]["card"]
    wrong = next((_card(card) for card in left if card != UNREAD and CARDS[card] != right), None)
    if wrong is None:
        return played
    return [*played[:place], wrong, Report(_CARD, {"scan_corrected": {"card": right}}), *played[place + 1 :]]


def _early_card(played: Reports, _: bytes) -> Reports:
    place = _last_round(played)
    return [
        *played[:place],
        played[place + 1],
        Report(_CARD, {"early_card_resolved": {"dealt": True}}),
        *played[place + 2 :],
    ]


def _void(played: Reports, _: bytes) -> Reports:
    place = _last_round(played) + 2
    cards = (each.what["card_dealt"] for each in played[place:] if "card_dealt" in each.what)
    burned = [each for each in played[place:] if "card_burned" in each.what or "burn_identified" in each.what]
    return [*played[:place], _VOID, *burned, *(Report(_CARD, {"card_burned": card}) for card in cards)]


def _last_round(played: Reports) -> int:
    """Where the last betting round is closed before a card is dealt; 0 where none is, so that nothing can go wrong."""
    return max((place for place, each in enumerate(played) if "betting_closed" in each.what), default=0)


_FAULTS: Final[Mapping[Fault, Callable[[Reports, bytes], Reports]]] = MappingProxyType({
    Fault.GAP: _gap,
    Fault.DUPLICATE: _duplicate,
    Fault.DELAY: _delay,
    Fault.MISREAD: _misread,
    Fault.EARLY_CARD: _early_card,
    Fault.VOID: _void,
})  # fmt: skip
"""A game with each fault, from the game and the cards that come after it."""
