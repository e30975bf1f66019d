"""HistoryService: unpack, look up in a thread, pack."""

import asyncio

from pricing.baccarat.v1 import history_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.history_service_pb2_grpc import HistoryServiceServicer
from pricing.domain.errors import PricingError
from pricing.service.floor.floor import Floor
from pricing.service.history.explaining import explained
from pricing.service.history.history import History
from pricing.service.messages.times import read_time
from pricing.store.journal import NoteReader
from pricing.store.notes import Wanted
from pricing.table.state import GamePhase


class InvalidFilter(PricingError):
    """Games that cannot be asked for."""

    reason = "INVALID_FILTER"


class HistoryServicer(HistoryServiceServicer):
    """Tells of games that were played."""

    def __init__(self, floor: Floor, notes: NoteReader) -> None:
        """Tell of these tables, from these notes."""
        self._floor = floor
        self._notes = notes
        self._history = History(floor, notes)

    async def GetGame(self, request: pb.GetGameRequest, context: object) -> pb.GetGameResponse:
        """One game."""
        found = await asyncio.to_thread(self._history.game, request.table, request.game)
        return pb.GetGameResponse(game=found)

    async def ListGames(self, request: pb.ListGamesRequest, context: object) -> pb.ListGamesResponse:
        """Games, in pages."""
        wanted, size, token = read_wanted(request), request.page_size, request.page_token
        games, following = await asyncio.to_thread(
            self._history.games, wanted, size, token, with_odds=request.with_odds
        )
        return pb.ListGamesResponse(games=games, next_page_token=following)

    async def GetStatistics(self, request: pb.GetStatisticsRequest, context: object) -> pb.GetStatisticsResponse:
        """What games add up to."""
        number = request.shoe_number if request.HasField("shoe_number") else None
        return await asyncio.to_thread(self._history.statistics, request.table, number)

    async def ExplainPrice(self, request: pb.ExplainPriceRequest, context: object) -> pb.ExplainPriceResponse:
        """What a price was made of."""
        asked = request.table, request.sequence, request.bet
        return await asyncio.to_thread(explained, self._floor, self._notes, *asked)


def read_wanted(request: pb.ListGamesRequest) -> Wanted:
    """Which games a request asks for.

    Raises:
        InvalidFilter: A time or state that cannot be, or a shoe of no table.
    """
    if request.HasField("shoe_number") and not request.table:
        raise InvalidFilter("shoe_number", request.shoe_number, "absent without a table")
    return Wanted(
        table=request.table or None,
        shoe=request.shoe_number if request.HasField("shoe_number") else None,
        from_time=read_time(request, "from_time", "from_time", InvalidFilter),
        to_time=read_time(request, "to_time", "to_time", InvalidFilter),
        state=_state(request.state) if request.state else None,
    )


def _state(number: int) -> GamePhase:
    names: dict[int, GamePhase] = {tables_pb2.GameState.Value(f"GAME_STATE_{phase}"): phase for phase in GamePhase}
    if number not in names:
        raise InvalidFilter("state", number, f"one of {', '.join(map(str, names))}, or 0 for any")
    return names[number]
