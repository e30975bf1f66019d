"""What the games of a shoe or a table add up to, and the roads of a shoe, as messages."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from pricing.baccarat.v1 import history_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.domain.cells import CELLS, ENDINGS, OPENING_CELLS, Ending, Opening
from pricing.domain.roads import Roads, Streak, roads

_WINNERS: Final = {
    "player": tables_pb2.WINNER_PLAYER,
    "banker": tables_pb2.WINNER_BANKER,
    "tie": tables_pb2.WINNER_TIE,
}
_OPENINGS: Final = dict(zip(sorted(OPENING_CELLS), (cell for cell in CELLS if isinstance(cell, Opening)), strict=True))


class Counted(NamedTuple):
    """Games that ended alike, and how many there were."""

    ending: Ending
    opening: Opening
    games: int = 1


def counted(ending: int, opening: int, games: int = 1) -> Counted:
    """So many games that ended in these cells, by number."""
    return Counted(ENDINGS[ending], _OPENINGS[opening], games)


def counts_message(found: Iterable[Counted]) -> pb.GameCounts:
    """Games counted by how they ended."""
    totals = pb.GameCounts(player_totals=[0] * 10, banker_totals=[0] * 10)
    for ending, opening, games in found:
        totals.games += games
        for name in _properties(ending, opening):
            setattr(totals, name, getattr(totals, name) + games)
        totals.player_totals[ending.player_total] += games
        totals.banker_totals[ending.banker_total] += games
    return totals


def _properties(ending: Ending, opening: Opening) -> Iterable[str]:
    """The counts that a game is part of."""
    yield ending.winner
    yield "small" if ending.cards == 4 else "big"
    told = {
        "player_pair": opening.player_pair,
        "banker_pair": opening.banker_pair,
        "either_pair": opening.player_pair or opening.banker_pair,
        "perfect_pair": opening.player_perfect or opening.banker_perfect,
        "player_natural": ending.cards == 4 and ending.player_total >= 8,
        "banker_natural": ending.cards == 4 and ending.banker_total >= 8,
    }
    yield from (name for name, so in told.items() if so)


def shoe_messages(games: Sequence[Counted]) -> tuple[pb.Streaks, pb.Roads]:
    """The streaks and the roads of a shoe's games, in order."""
    found = roads(game.ending.winner for game in games)
    return _streaks_message(found.big), _roads_message(found, games)


def _streaks_message(big: Sequence[Streak]) -> pb.Streaks:
    longest = {side: max((len(each.ties) for each in big if each.winner == side), default=0) for side in _WINNERS}
    last = big[-1] if big else None
    return pb.Streaks(
        longest_player=longest["player"],
        longest_banker=longest["banker"],
        current_winner=_WINNERS[last.winner] if last else tables_pb2.WINNER_UNSPECIFIED,
        current=len(last.ties) if last else 0,
    )


def _roads_message(found: Roads, games: Sequence[Counted]) -> pb.Roads:
    return pb.Roads(
        bead_plate=[
            pb.Bead(winner=_WINNERS[ending.winner], player_pair=opening.player_pair, banker_pair=opening.banker_pair)
            for ending, opening, _ in games
        ],
        big_road=[pb.BigRoadColumn(winner=_WINNERS[each.winner], ties=each.ties) for each in found.big],
        leading_ties=found.leading_ties,
        big_eye_boy=found.big_eye,  # type: ignore[arg-type]  # the domain's numbers are the contract's
        small_road=found.small,  # type: ignore[arg-type]
        cockroach_road=found.cockroach,  # type: ignore[arg-type]
    )
