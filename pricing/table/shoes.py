"""The shoe on the table: cards leave it, it nears its end, it turns out to be impossible."""

from enum import StrEnum, unique
from typing import NamedTuple

from pricing.domain.coup import FULL_COUP
from pricing.domain.game import GameType
from pricing.domain.shoe import Shoe


@unique
class ShoePhase(StrEnum):
    """A shoe's life."""

    ACTIVE = "ACTIVE"
    LAST_GAME = "LAST_GAME"
    RETIRED = "RETIRED"
    UNTRUSTED = "UNTRUSTED"


@unique
class Destination(StrEnum):
    """Where the last card went."""

    COUP = "COUP"
    DISCARDS = "DISCARDS"
    EARLY = "EARLY"


class LastCard(NamedTuple):
    """The last card that was seen, which can still be corrected."""

    card: int
    destination: Destination
    time: int
    """Since when prices go by it."""
    game: int = 0
    """The number of the game that it was scanned for; 0 for a burned one."""


class TableShoe(NamedTuple):
    """The shoe on the table. A named tuple, as Table and Game are: changing one takes a quarter of the time."""

    number: int
    game_type: GameType
    decks: int
    counts: bytes
    """Cards not yet seen, by card."""
    stage: ShoePhase = ShoePhase.ACTIVE
    """How far it is, trusted or not."""
    games_left: int = 0
    """Games that may still be opened, once it is LAST_GAME."""
    drawn: int = 0
    """Cards that were seen to leave it, the position of the last one."""
    unseen_removed: int = 0
    unread: int = 0
    """Burned cards nobody could read yet."""
    impossible: bytes = b""
    """Cards that were seen although none was left: while there are any, the shoe is not what it should be."""
    counted_after: int = 0
    """The game after which somebody counted what is left: cards of games up to it no longer matter."""
    last: LastCard | None = None

    @property
    def left(self) -> int:
        """Cards that can still be dealt."""
        return max(0, self._balance)

    @property
    def trusted(self) -> bool:
        """Whether the cards seen so far can have come from it."""
        return not self.impossible and self._balance >= 0

    @property
    def phase(self) -> ShoePhase:
        """ACTIVE, LAST_GAME, RETIRED, or UNTRUSTED."""
        return self.stage if self.trusted else ShoePhase.UNTRUSTED

    def can_finish(self, dealt: int) -> bool:
        """Whether a coup with so many cards can be priced: from a trusted shoe, with enough cards for any ending."""
        balance = self._balance
        usable = self.stage is not ShoePhase.RETIRED and not self.impossible
        return usable and balance >= FULL_COUP - dealt

    @property
    def _balance(self) -> int:
        """Cards left; below 0, more have gone than there were."""
        return sum(self.counts) - len(self.impossible) - self.unseen_removed - self.unread


def fresh(number: int, game_type: GameType, decks: int) -> TableShoe:
    """A full shoe."""
    return near_end(TableShoe(number, game_type, decks, Shoe.without(decks).counts))


def draw(shoe: TableShoe, last: LastCard) -> TableShoe:
    """The shoe after a card has left it."""
    counts, impossible = _exchange(shoe, b"", bytes((last.card,)))
    return near_end(shoe._replace(counts=counts, impossible=impossible, drawn=shoe.drawn + 1, last=last))


def draw_unread(shoe: TableShoe) -> TableShoe:
    """The shoe after a card has left it that nobody could read."""
    return near_end(shoe._replace(drawn=shoe.drawn + 1, unread=shoe.unread + 1, last=None))


def identify(shoe: TableShoe, card: int | None, time: int) -> TableShoe:
    """The shoe once an unread card is known, or known to stay unknown."""
    if card is None:
        return shoe._replace(unread=shoe.unread - 1, unseen_removed=shoe.unseen_removed + 1)
    counts, impossible = _exchange(shoe, b"", bytes((card,)))
    # With no card seen after it, this is now the last one.
    last = shoe.last or LastCard(card, Destination.DISCARDS, time)
    return shoe._replace(unread=shoe.unread - 1, counts=counts, impossible=impossible, last=last)


def correct(shoe: TableShoe, last: LastCard, card: int, time: int) -> TableShoe:
    """The shoe when its last card was another one."""
    counts, impossible = _exchange(shoe, bytes((last.card,)), bytes((card,)))
    return shoe._replace(counts=counts, impossible=impossible, last=last._replace(card=card, time=time))


def redeal(shoe: TableShoe, game: int, old: bytes, new: bytes) -> TableShoe:
    """The shoe when a game had other cards than were seen, unless somebody has counted what is left since."""
    if game <= shoe.counted_after:
        return shoe
    counts, impossible = _exchange(shoe, old, new)
    return near_end(shoe._replace(counts=counts, impossible=impossible))


def recount(shoe: TableShoe, remaining: bytes, unseen_removed: int, game: int) -> TableShoe:
    """The shoe when somebody has counted, after this game, what is left: what was seen before no longer matters."""
    known = shoe._replace(counts=remaining, unseen_removed=unseen_removed, unread=0, impossible=b"", last=None)
    return near_end(known._replace(counted_after=game))


def send(shoe: TableShoe, destination: Destination, time: int) -> TableShoe:
    """The shoe when its last card went there after all."""
    return shoe if shoe.last is None else shoe._replace(last=shoe.last._replace(destination=destination, time=time))


def announce_end(shoe: TableShoe) -> TableShoe:
    """The shoe once the end is announced: no more games than the game type allows after the one in progress."""
    if shoe.stage is not ShoePhase.ACTIVE:
        return shoe
    return shoe._replace(stage=ShoePhase.LAST_GAME, games_left=shoe.game_type.shoe_change.games_after)


def near_end(shoe: TableShoe) -> TableShoe:
    """The shoe with its end announced if fewer cards are left than its game type wants."""
    return announce_end(shoe) if shoe.left < shoe.game_type.shoe_change.below else shoe


def retire_if_done(shoe: TableShoe) -> TableShoe:
    """The shoe after a game: retired if that was its last one."""
    done = shoe.stage is ShoePhase.LAST_GAME and shoe.games_left <= 0
    return shoe._replace(stage=ShoePhase.RETIRED) if done else shoe


def _exchange(shoe: TableShoe, old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Counts and impossible cards when some cards had not left the shoe, and others had."""
    counts, impossible = bytearray(shoe.counts), bytearray(shoe.impossible)
    for card in old:
        if card in impossible:
            impossible.remove(card)
        else:
            counts[card] += 1
    for card in new:
        if counts[card]:
            counts[card] -= 1
        else:
            impossible.append(card)
    return bytes(counts), bytes(impossible)
