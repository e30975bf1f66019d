"""Parts the cards of a whole shoe into games: where the source says, else by the rules."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pricing.domain.cards import POINTS
from pricing.domain.coup import Side, next_side
from pricing.domain.game import GameType
from pricing.replay.readers.notations import Notation
from pricing.replay.readers.played import Played, Told, WholeShoe, is_void
from pricing.replay.shoes import UNREAD


def part(shoe: WholeShoe, notation: Notation, game: GameType) -> tuple[list[Played], Sequence[str]]:
    """The games of a whole shoe, and the cards that are left over at its end."""
    spans = [*(_by_the_rules(shoe, notation, game) if shoe.games is None else _by_the_source(shoe, shoe.games))]
    played, taken = [], 0
    for number, (first, end, facts) in enumerate(spans, 1):
        order = [(shoe.cards[place], place in shoe.burned or place < first) for place in range(taken, end)]
        player, banker = hands_of([card for card, burned in order if not burned], notation, game)
        played.append(
            Played(
                place=f"{shoe.place}, game {number}",
                shoe=shoe.shoe,
                number=facts.get("number", number),
                decks=shoe.decks,
                player=player,
                banker=banker,
                burned_before=(),
                told=Told(),
                void=is_void(facts.get("void")),
                order=order,
            )
        )
        taken = end
    return played, shoe.cards[taken:]


def _by_the_source(shoe: WholeShoe, games: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """The place of each game's first card, the place after its last, and what else is said of it."""
    firsts = [int(each["first"]) for each in games]
    for facts, (first, end) in zip(games, pairwise([*firsts, len(shoe.cards)]), strict=True):
        yield first, end, facts


def _by_the_rules(shoe: WholeShoe, notation: Notation, game: GameType) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """The same, as the drawing rules end one coup after the other, up to a card of a coup that nobody could read."""
    places = [place for place in range(len(shoe.cards)) if place not in shoe.burned]
    hands: dict[Side, list[int]] = {side: [] for side in Side}
    first = None
    for place in places:
        first = place if first is None else first
        if notation.read(shoe.cards[place]) in (None, UNREAD):
            return
        side = next_side(hands[Side.PLAYER], hands[Side.BANKER], game.drawing)
        assert side is not None, "a complete coup is ended below"
        hands[side].append(_points(shoe.cards[place], notation))
        if next_side(hands[Side.PLAYER], hands[Side.BANKER], game.drawing) is None:
            yield first, place + 1, {}
            first, hands = None, {each: [] for each in Side}


def _points(text: str, notation: Notation) -> int:
    card = notation.read(text)
    return 0 if card is None or card == UNREAD else POINTS[card]


def hands_of(cards: Sequence[str], notation: Notation, game: GameType) -> tuple[list[str], list[str]]:
    """The cards by side, as the rules deal them; what they do not deal goes to Banker."""
    hands: dict[Side, list[str]] = {Side.PLAYER: [], Side.BANKER: []}
    points: dict[Side, list[int]] = {Side.PLAYER: [], Side.BANKER: []}
    for card in cards:
        side = next_side(points[Side.PLAYER], points[Side.BANKER], game.drawing) or Side.BANKER
        hands[side].append(card)
        points[side].append(_points(card, notation))
    return hands[Side.PLAYER], hands[Side.BANKER]
