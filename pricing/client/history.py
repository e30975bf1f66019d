"""Calls of HistoryService."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from pricing.baccarat.v1 import history_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2, types_pb2
from pricing.baccarat.v1.history_service_pb2 import ExplainPriceResponse, GetStatisticsResponse, PlayedGame
from pricing.baccarat.v1.history_service_pb2_grpc import HistoryServiceStub
from pricing.client.calls import Access, Metadata, failing, open_channel
from pricing.client.messages import word

if TYPE_CHECKING:
    from pricing.baccarat.v1.history_service_pb2_grpc import HistoryServiceAsyncStub

__all__ = [
    "ExplainPriceResponse",
    "GameSummary",
    "GetStatisticsResponse",
    "HistoryClient",
    "PlayedGame",
    "games_of",
    "history_connected",
    "said_of",
    "side_of",
    "summarize_game",
    "word_of_bet",
]


class GameSummary(NamedTuple):
    """A game in a few words."""

    game: str
    shoe: int
    state: str
    dealt: tuple[str, ...]
    player_total: int
    banker_total: int
    won: tuple[str, ...]
    """Bets that won."""


def summarize_game(played: PlayedGame) -> GameSummary:
    """A game in a few words."""
    game = played.game
    return GameSummary(
        game=game.game,
        shoe=game.shoe_number,
        state=word(tables_pb2.GameState.Name(game.state)),
        dealt=tuple(game.dealt),
        player_total=game.player_total,
        banker_total=game.banker_total,
        won=tuple(each.bet for each in game.results if each.result == types_pb2.BET_RESULT_WON),
    )


def said_of(played: PlayedGame) -> list[str]:
    """What was said of a game's bets, in order, with the position of the event that said it."""
    game = played.game
    lines = [
        (each.position, f"{word(tables_pb2.OutcomeKind.Name(each.kind))} {each.reason}".strip())
        for each in game.outcomes
    ]
    for cut in game.cancellations:
        bets = cut.bet if cut.HasField("bet") else "all bets"
        span = " of a span of time" if cut.HasField("from_time") or cut.HasField("to_time") else ""
        reason = tables_pb2.CancelReason.Name(cut.reason).removeprefix("CANCEL_REASON_")
        lines.append((cut.position, f"round {cut.round}, {bets}{span} cancelled {reason}"))
    return [f"{position}: {text}" for position, text in sorted(lines, key=lambda line: line[0])]


def side_of(winner: "tables_pb2.Winner.ValueType") -> str:
    """Who won: player, banker or tie."""
    return tables_pb2.Winner.Name(winner).removeprefix("WINNER_").lower()


def word_of_bet(state: "types_pb2.OfferState.ValueType", result: "types_pb2.BetResult.ValueType") -> tuple[str, str]:
    """The state and the result of a bet, each in a word."""
    return word(types_pb2.OfferState.Name(state)), word(types_pb2.BetResult.Name(result))


class HistoryClient:
    """Calls one server. Made by ``history_connected``."""

    def __init__(self, stub: "HistoryServiceAsyncStub", metadata: Metadata) -> None:
        """Call through a stub that somebody else opens and closes."""
        self._stub = stub
        self._metadata = metadata

    async def game(self, table: str, game: str, *, timeout: float) -> PlayedGame:
        """One game, with the odds of its rounds.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        request = pb.GetGameRequest(table=table, game=game)
        with failing():
            return (await self._stub.GetGame(request, timeout=timeout, metadata=self._metadata)).game

    async def games(self, asked: pb.ListGamesRequest, *, timeout: float) -> AsyncIterator[PlayedGame]:
        """Games, newest first, page after page.

        Args:
            asked: Which ones; its page size is that of each page.
            timeout: Seconds to wait for a page.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        request = pb.ListGamesRequest()
        request.CopyFrom(asked)
        while True:
            with failing():
                page = await self._stub.ListGames(request, timeout=timeout, metadata=self._metadata)
            for game in page.games:
                yield game
            request.page_token = page.next_page_token
            if not request.page_token:
                return

    async def statistics(self, table: str, shoe: int | None, *, timeout: float) -> GetStatisticsResponse:
        """What the games of a table and of one of its shoes add up to; of its newest shoe if none is given.

        Raises:
            CallFailed: An error for an answer, or none in time.
        """
        request = pb.GetStatisticsRequest(table=table, shoe_number=shoe)
        with failing():
            return await self._stub.GetStatistics(request, timeout=timeout, metadata=self._metadata)

    async def explain(self, table: str, sequence: int, bet: str, *, timeout: float) -> ExplainPriceResponse:
        """What the price of a bet in an image was made of.

        Raises:
            CallFailed: An error for an answer, such as that nothing was offered then, or none in time.
        """
        request = pb.ExplainPriceRequest(table=table, sequence=sequence, bet=bet)
        with failing():
            return await self._stub.ExplainPrice(request, timeout=timeout, metadata=self._metadata)


def games_of(table: str, shoe: int | None = None, page_size: int = 0) -> pb.ListGamesRequest:
    """Ask for the games of a table, or of one of its shoes."""
    return pb.ListGamesRequest(table=table, shoe_number=shoe, page_size=page_size)


@asynccontextmanager
async def history_connected(access: Access) -> AsyncIterator[HistoryClient]:
    """Open a connection for as long as the block lasts.

    Raises:
        OSError: A certificate or key that cannot be read.
    """
    async with open_channel(access) as channel:
        yield HistoryClient(HistoryServiceStub(channel), access.metadata)
