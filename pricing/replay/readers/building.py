"""Builds shoes from their games: every card counted as gone, what is wrong set aside."""

from collections import Counter
from collections.abc import Callable, Sequence

from pricing.domain.cards import POINTS
from pricing.domain.coup import FULL_COUP
from pricing.domain.game import GameType
from pricing.replay.findings import Finding, FindingKind
from pricing.replay.readers.checks import check_game
from pricing.replay.readers.notations import Notation
from pricing.replay.readers.parting import hands_of, part
from pricing.replay.readers.played import Played, WholeShoe
from pricing.replay.shoes import UNREAD, Coup, Precision, ShoeRecord

_CALLED = {Precision.CARDS: "card", Precision.RANKS: "rank", Precision.POINTS: "value"}


class ShoeBuilder:
    """One shoe, game after game."""

    def __init__(self, game: GameType, notation: Notation, decks: int | None) -> None:
        """Begin with all cards in the shoe."""
        self._game, self._notation, self._decks = game, notation, decks or game.decks
        self._cards = bytearray()
        self._gone: Counter[int] = Counter()
        self._coups: list[Coup] = []
        self._last: Played | None = None
        self._trusted = True
        self.findings: list[Finding] = []

    def distrust(self, place: str, found: str, expected: str) -> None:
        """Say that the shoe did not begin here, so that nobody knows what it holds."""
        self._find(place, FindingKind.BOUNDARY, found, expected)
        self._trusted = False

    def add(self, played: Played, follows: Callable[[int | None], tuple[str, str] | None] = lambda _: None) -> None:
        """Take in the next game.

        Args:
            played: The game.
            follows: Told its number if it is not the game before once more; what is wrong with it: found, and expected.
        """
        played = self._placed(played)
        if self._repeats(played):
            self._find(played.place, FindingKind.DUPLICATE, " ".join(played.dealt), "another game than the one before")
            return  # the cards left once
        if wrong := follows(played.number):
            self.distrust(played.place, *wrong)
        self._last = played
        before = len(self.findings)
        first = len(self._cards)
        drawn = self._draw([card for card, _ in played.drawn], played.place)
        places = tuple(place for place, (_, burned) in enumerate(played.drawn) if not burned)
        cards = bytes(drawn[place] for place in places)
        if not played.void and len(self.findings) == before and UNREAD not in cards:
            self.findings += check_game(played, cards, self._notation.precision, self._game)
        usable = self._trusted and len(self.findings) == before and UNREAD not in cards and len(cards) <= FULL_COUP
        number = played.number if played.number is not None else len(self._coups) + 1
        self._coups.append(Coup(number, tuple(first + place for place in places), played.void, usable))

    def burn(self, texts: Sequence[str], place: str) -> None:
        """Take in cards that are of no game."""
        self._draw(texts, place)

    def finish(self, shoe: str, source: str) -> tuple[ShoeRecord, tuple[Finding, ...]]:
        """The shoe, and all that is wrong with it."""
        record = ShoeRecord(shoe, self._decks, self._notation.precision, bytes(self._cards), tuple(self._coups), source)
        return record, tuple(self.findings)

    def _placed(self, played: Played) -> Played:
        """The game with its cards in the hands that the rules give them to, if its source does not say."""
        if played.placed:
            return played
        player, banker = hands_of(played.dealt, self._notation, self._game)
        return played._replace(player=player, banker=banker, placed=True)

    def _repeats(self, played: Played) -> bool:
        """Whether this is the game before once more. Without suits, games are too often the same by chance."""
        last = self._last
        if last is None or (last.player, last.banker) != (played.player, played.banker) or not played.player:
            return False
        return last.number == played.number and (
            played.number is not None or self._notation.precision is Precision.CARDS
        )

    def _draw(self, texts: Sequence[str], place: str) -> bytes:
        cards = [self._notation.read(text) for text in texts]
        for text, card in zip(texts, cards, strict=True):
            if card is None:
                self._find(place, FindingKind.CARD, text, f"a card as in {self._notation.name}")
        drawn = bytes(UNREAD if card is None else card for card in cards)
        self._count(drawn, texts, place)
        self._cards += drawn
        return drawn

    def _count(self, drawn: bytes, texts: Sequence[str], place: str) -> None:
        """Say once in a shoe when more have left than were in it; from there on nobody knows what it holds."""
        for card, text in zip(drawn, texts, strict=True):
            self._gone[card] += 1
            held = self._held(card)
            if self._trusted and (self._gone[card] > held or self._gone.total() > self._decks * 52):
                many = self._gone.total() > self._decks * 52
                found = f"{self._gone.total()} cards" if many else f"{text}, the {self._gone[card]}th"
                self._find(place, FindingKind.TOO_MANY, found, f"{held} in {self._decks} decks")
                self._trusted = False

    def _held(self, card: int) -> int:
        """How many cards of a full shoe cannot be told from this one."""
        each = {Precision.CARDS: 1, Precision.RANKS: 4, Precision.POINTS: 16 if POINTS[card % 52] == 0 else 4}
        return self._decks * (52 if card == UNREAD else each[self._notation.precision])

    def _find(self, place: str, kind: FindingKind, found: str, expected: str) -> None:
        self.findings.append(Finding(place, kind, found, expected))


def build_whole(
    shoe: WholeShoe, notation: Notation, game: GameType, wrong: tuple[str, str] | None = None
) -> ShoeBuilder:
    """A shoe whose cards stand in one record, parted into its games; with what is wrong with its beginning, if so."""
    builder = ShoeBuilder(game, notation, shoe.decks)
    if wrong:
        builder.distrust(shoe.place, *wrong)
    games, left_over = part(shoe, notation, game)
    for played in games:
        builder.add(played)
    builder.burn(left_over, shoe.place)
    if shoe.games is None and any(notation.read(text) in (None, UNREAD) for text in left_over):
        found = f"a card that nobody could read, after {len(games)} games"
        builder.distrust(shoe.place, found, "games, as the rules cannot part what is not known")
    return builder
