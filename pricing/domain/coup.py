"""A coup as far as it is dealt: whose card is whose, the totals, who gets the next card."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, unique

from pricing.domain.cards import CARDS, POINTS
from pricing.domain.drawing import DrawingRules
from pricing.domain.errors import InvalidCoup

FULL_COUP = 6
"""Most cards a coup takes; every coup is counted as if it were dealt to this many."""


@unique
class Side(IntEnum):
    """Side of the table; the numbers are those of the public contract."""

    PLAYER = 1
    BANKER = 2


@dataclass(frozen=True, slots=True)
class Coup:
    """The cards of a coup in dealing order, read by the rules."""

    dealt: bytes
    sides: tuple[Side, ...]
    """Who got each card."""
    next_side: Side | None
    """Who gets the next card; None once the coup is complete."""

    def hand(self, side: Side) -> bytes:
        """The cards of one side, in dealing order."""
        return bytes(card for card, to in zip(self.dealt, self.sides, strict=True) if to is side)

    def total(self, side: Side) -> int:
        """Total of the cards of one side that are on the table, 0 to 9."""
        return sum(POINTS[card] for card in self.hand(side)) % 10

    @property
    def complete(self) -> bool:
        """Whether the coup needs no further card."""
        return self.next_side is None


def read_coup(dealt: bytes, rules: DrawingRules) -> Coup:
    """Say whose card each dealt card is, and who gets the next.

    >>> from pricing.domain.cards import parse_cards
    >>> from pricing.domain.drawing import STANDARD
    >>> read_coup(parse_cards(["9S", "KD", "AH"], "dealt"), STANDARD).next_side.name
    'BANKER'
    >>> read_coup(parse_cards(["9S", "KD", "KH", "2C", "3C"], "dealt"), STANDARD)
    Traceback (most recent call last):
    pricing.domain.errors.InvalidCoup: dealt[4]: got '3C'; allowed: no further card, as the coup is complete with 4

    Raises:
        InvalidCoup: More cards than the coup takes.
    """
    hands: dict[Side, list[int]] = {Side.PLAYER: [], Side.BANKER: []}
    sides: list[Side] = []
    for place, card in enumerate(dealt):
        side = next_side(hands[Side.PLAYER], hands[Side.BANKER], rules)
        if side is None:
            allowed = f"no further card, as the coup is complete with {place}"
            raise InvalidCoup(f"dealt[{place}]", CARDS[card], allowed)
        sides.append(side)
        hands[side].append(POINTS[card])
    return Coup(dealt, tuple(sides), next_side(hands[Side.PLAYER], hands[Side.BANKER], rules))


def next_side(player: Sequence[int], banker: Sequence[int], rules: DrawingRules) -> Side | None:
    """Who gets the next card, by what the cards of each side count; None if nobody does.

    >>> from pricing.domain.drawing import STANDARD
    >>> next_side([2, 3], [0, 3], STANDARD).name
    'PLAYER'
    >>> next_side([2, 3, 8], [0, 3], STANDARD) is None
    True
    """
    if len(banker) < 2:
        return Side.PLAYER if len(player) == len(banker) else Side.BANKER
    player_total, banker_total = sum(player[:2]) % 10, sum(banker[:2]) % 10
    if player_total in rules.naturals or banker_total in rules.naturals:
        return None
    if len(player) == 2 and player_total in rules.player_draws:
        return Side.PLAYER
    player_third = player[2] if len(player) > 2 else None
    draws = len(banker) == 2 and rules.banker_draws(banker_total, player_third)
    return Side.BANKER if draws else None
