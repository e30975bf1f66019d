"""Games of the past, found by what is noted beside the journal's rows: no request reads a table's journal."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from pricing.baccarat.v1 import history_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.types_pb2 import BetPrice
from pricing.domain.bets import PUSH, Bet, Result
from pricing.engine.quote import BetQuote, OfferState, Tier
from pricing.engine.situation import situation
from pricing.service.errors import UnknownGame, UnknownShoe
from pricing.service.floor.floor import Floor
from pricing.service.floor.noting import noted_game
from pricing.service.history.statistics import counted, counts_message, shoe_messages
from pricing.service.images.image import game_message
from pricing.service.images.offers import Offer, OfferedBet, read_offer
from pricing.service.messages.convert import bet_message
from pricing.service.messages.pages import bad_token, check_size, read_token, write_token
from pricing.store.journal import NoteReader
from pricing.store.notes import GameNote, Place, Wanted
from pricing.table.state import BettingRound, Game, GamePhase, RoundPhase

_LAST: Final = re.compile(r"(-?\d{1,18}) ([a-z0-9-]{1,64}) (\d{1,18})")
_NUMBER: Final = re.compile(r".*-(\d{6,18})", re.DOTALL)


class History:
    """Answers from the notes. Its methods wait for the disk: call them in threads of their own."""

    def __init__(self, floor: Floor, notes: NoteReader) -> None:
        """Read these notes; what runs now, the floor knows better."""
        self._floor = floor
        self._notes = notes

    def game(self, table: str, reference: str) -> pb.PlayedGame:
        """One game, with the odds of its rounds.

        Raises:
            UnknownTable, UnknownGame: There is no such.
        """
        self._floor.table(table)
        number = _NUMBER.fullmatch(reference)
        note = self._notes.game(table, int(number[1])) if number else None
        game = self._game(note) if note else None
        if note is None or game is None or game.reference != reference:
            raise UnknownGame("game", reference, "the reference of a game of this table")
        return self._played(note, game, with_odds=True)

    def games(self, wanted: Wanted, size: int, token: str, *, with_odds: bool) -> tuple[list[pb.PlayedGame], str]:
        """Games on one page, newest first, and the token of the next page; empty after the last.

        Raises:
            UnknownTable: A table that there is not.
            InvalidPage: A size or token that cannot be.
        """
        if wanted.table is not None:
            self._floor.table(wanted.table)
        most = check_size(size)
        found = self._notes.games(wanted, most + 1, _place(token) if token else None)
        played = [self._played(note, self._game(note), with_odds=with_odds) for note in found[:most]]
        return played, _token(found[most - 1]) if len(found) > most else ""

    def statistics(self, name: str, number: int | None) -> pb.GetStatisticsResponse:
        """What a table's games add up to, and those of one of its shoes; the newest if none is named.

        Raises:
            UnknownTable, UnknownShoe: There is no such.
        """
        shoe = self._floor.table(name).shoe
        newest = shoe.number if shoe else 0
        if number is not None and not 1 <= number <= newest:
            raise UnknownShoe("shoe_number", number, f"1 to {newest}" if newest else "none, as the table has had none")
        counts = counts_message(counted(*each) for each in self._notes.cell_counts(name))
        answer = pb.GetStatisticsResponse(table=name, table_counts=counts)
        if newest:
            games = [counted(*each) for each in self._notes.cells(name, number or newest)]
            streaks, roads = shoe_messages(games)
            own = pb.GetStatisticsResponse(
                shoe_number=number or newest, shoe_counts=counts_message(games), streaks=streaks, roads=roads
            )
            answer.MergeFrom(own)
        return answer

    def _game(self, note: GameNote) -> Game:
        """The game of a note; of a running one the note tells only that it began."""
        game = noted_game(note, self._floor.game_types[note.game_hash])
        running = self._floor.table(note.table).find_game(game.reference) if note.state == GamePhase.OPEN else None
        return running or game

    def _played(self, note: GameNote, game: Game, *, with_odds: bool) -> pb.PlayedGame:
        message = game_message(self._floor.table(note.table), game, held=True)
        offers = self._notes.last_offers(note.table, note.number) if with_odds else []
        known = {offer.round: read_offer(offer.offer) for offer in offers}
        for each, shown in zip(game.rounds, message.rounds, strict=True):
            shown.ClearField("bets")
            shown.ClearField("total_ways")
            shown.ClearField("policy_version")
            if offer := known.get(each.number):
                shown.MergeFrom(_offer_message(game, each, offer))
        return pb.PlayedGame(table=note.table, game_type=game.game_type.name, game=message)


def _offer_message(game: Game, each: BettingRound, offer: Offer) -> tables_pb2.BettingRound:
    """What was last offered in a round, as a part of the message of the round."""
    results = game.results or situation(game.game_type, game.dealt).results
    bets = [
        _bet_message(game, each, offer.total_ways, offer.bet(bet.id), bet, result)
        for bet, result in zip(game.game_type.bets, results, strict=True)
    ]
    return tables_pb2.BettingRound(bets=bets, total_ways=offer.total_ways, policy_version=offer.policy_version)


def _bet_message(  # noqa: PLR0913, PLR0917 - all that there is to know of it
    game: Game, each: BettingRound, total: int, offered: OfferedBet, bet: Bet, result: Result
) -> BetPrice:
    state = OfferState.INACTIVE if game.phase is GamePhase.OPEN else OfferState.SETTLED
    if game.phase is GamePhase.VOID or each.phase is RoundPhase.CANCELLED or _cancelled(game, each, bet.id):
        state, result = OfferState.CANCELLED, Result.VOID
    tiers = tiers_of(offered, bet)
    at_stake = total - offered.push_ways
    return bet_message(
        BetQuote(
            bet=bet.id,
            state=state,
            result=result,
            win_ways=offered.win_ways,
            push_ways=offered.push_ways,
            win_probability=offered.win_ways / total,
            push_probability=offered.push_ways / total,
            fair_odds=at_stake / offered.win_ways if offered.win_ways and not tiers else None,
            odds=offered.odds,
            return_to_player=_returned(offered, tiers, total),
            tiers=tiers,
        )
    )


def _cancelled(game: Game, each: BettingRound, bet: str) -> bool:
    whole = (cut for cut in game.cancellations if cut.from_time is None and cut.to_time is None)
    return any(cut.round == each.number and cut.bet in (None, bet) for cut in whole)


def tiers_of(offered: OfferedBet, bet: Bet) -> tuple[Tier, ...]:
    """The payouts of a bet that has several."""
    rows = bet.winning_rows if offered.tier_ways else ()
    return tuple(Tier(row.name, ways, row.odds) for row, ways in zip(rows, offered.tier_ways, strict=True))


def _returned(offered: OfferedBet, tiers: Sequence[Tier], total: int) -> float | None:
    """What one unit staked returned on average; None where nothing could be staked."""
    if offered.state is not OfferState.ACTIVE:
        return None
    paying = [(tier.ways, tier.odds) for tier in tiers] or [(offered.win_ways, offered.odds or "0")]
    paid = sum(ways * Fraction(odds) for ways, odds in paying)
    return float((paid + offered.push_ways * Fraction(PUSH)) / total)


def _token(note: GameNote) -> str:
    return write_token(f"{note.open_time} {note.table} {note.number}")


def _place(token: str) -> Place:
    """The place in the list that a token names."""
    if (found := _LAST.fullmatch(read_token(token))) is None:
        raise bad_token(token)
    return Place(int(found[1]), found[2], int(found[3]))
