"""Every price of a journal made again from its cards and the rules, and compared with what was noted when it was told.

What was noted was made by the program of its time: a price that another version makes otherwise, and a note that is no
longer as it was written, both differ. So that today's kernel is not compared with itself alone, each state's ways are
also added up over the cards that could come next.
"""

from collections.abc import Iterator
from itertools import zip_longest

from pricing.engine.crosscheck import ways_by_next_card
from pricing.service.floor.game_texts import KeptTexts
from pricing.service.floor.noting import notes_of
from pricing.service.floor.replaying import replayed
from pricing.service.images.offers import Offer, offer_of, read_offer
from pricing.store.journal import Fault
from pricing.store.notes import GameNote, OfferNote
from pricing.store.reader import SqliteReader
from pricing.table.past import KEPT_GAMES
from pricing.table.state import Table


class PriceCheck:
    """Looks through a journal once."""

    def __init__(self, journal: SqliteReader) -> None:
        """Look through this one, of which every hash is right."""
        self._journal = journal
        self._game_types = KeptTexts(journal)
        self.offers = 0
        """Those that were compared."""
        self.older = 0
        """Events that are older than the notes, whose prices nobody knows any more."""

    def faults(self) -> Iterator[Fault]:
        """Everything that is not as it was told; in bounded memory.

        Raises:
            JournalError: The journal cannot be read.
        """
        for name, _ in self._journal.tables():
            yield from self._of_table(name)

    def _of_table(self, name: str) -> Iterator[Fault]:
        older = self._journal.unrecorded(name)
        games: dict[int, GameNote] = {}
        played: set[int] = set()
        offers = 0
        for before, entry, after in replayed(self._journal, self._game_types, name):
            position = entry.position
            if position <= older:
                self.older += 1
                continue
            notes = notes_of(before, entry, after)
            offers += len(notes.offers)
            yield from self._of_offer(after, self._journal.offer(name, position), next(iter(notes.offers), None))
            for game in notes.games:
                games[game.number] = game
                played.add(game.number)
            while len(games) > KEPT_GAMES + 1:  # the oldest can no longer change
                yield from self._of_game(games.pop(min(games)))
        for game in games.values():
            yield from self._of_game(game)
        for what, found, right in zip(
            ("games", "offers"), self._journal.noted(name), (len(played), offers), strict=True
        ):
            if found != right:
                yield Fault(name, 0, what, f"{found} of them", f"{right}")

    def _of_offer(self, table: Table, noted: OfferNote | None, right: OfferNote | None) -> Iterator[Fault]:
        expected = offer_of(table)
        if noted is None or right is None or expected is None:
            if (right is None) != (noted is None):
                yield _fault(table, "offer", noted and "one", right and "one")
            return
        self.offers += 1
        for what in ("number", "round"):
            if getattr(noted, what) != getattr(right, what):
                yield _fault(table, f"{what} of the offer", getattr(noted, what), getattr(right, what))
        try:
            offer = read_offer(noted.offer)
        except ValueError as error:
            yield _fault(table, "offer", str(error), "one that can be read")
            return
        yield from _compared(table, offer, expected)
        yield from _added_up(table, expected)

    def _of_game(self, expected: GameNote) -> Iterator[Fault]:
        found = self._journal.game(expected.table, expected.number)
        if found != expected:
            what = f"game {expected.number}"
            yield Fault(expected.table, 0, what, str(found), str(expected))


def _compared(table: Table, offer: Offer, expected: Offer) -> Iterator[Fault]:
    """What was noted of an offer against what its cards give."""
    for name, found, right in zip(Offer._fields, offer, expected, strict=True):
        if name != "bets" and found != right:
            yield _fault(table, name.replace("_", " "), found, right)
    for noted, made in zip_longest(offer.bets, expected.bets):
        if noted is None or made is None:
            yield _fault(table, "bet", noted and noted.bet, made and made.bet)
            continue
        for name, found, right in zip(made._fields, noted, made, strict=True):
            if found != right:
                yield _fault(table, f"{name.replace('_', ' ')} of {made.bet}", found, right)


def _added_up(table: Table, expected: Offer) -> Iterator[Fault]:
    """The ways of an offer against those of the states after one more card."""
    kind = table.need_game().game_type
    total, ways = ways_by_next_card(kind, expected.remaining, expected.dealt)
    if total != expected.total_ways:
        yield _fault(table, "total ways, by the next card", expected.total_ways, total)
    for bet, counted in zip(expected.bets, ways, strict=True):
        if [bet.win_ways, bet.push_ways] != counted:
            yield _fault(table, f"ways of {bet.bet}, by the next card", [bet.win_ways, bet.push_ways], counted)


def _fault(table: Table, what: str, found: object, expected: object) -> Fault:
    texts = (
        "none" if each is None else each.hex() if isinstance(each, bytes) else str(each) for each in (found, expected)
    )
    return Fault(table.name, table.position, what, *texts)
