"""What is wrong with one game by itself: its cards, its hands, what is told of it."""

from collections.abc import Iterator

from pricing.domain.bets import Result
from pricing.domain.cards import POINTS
from pricing.domain.cells import endings, openings, winner
from pricing.domain.coup import Coup, Side, read_coup
from pricing.domain.errors import InvalidCoup
from pricing.domain.game import GameType
from pricing.replay.findings import Finding, FindingKind
from pricing.replay.readers.played import Played
from pricing.replay.shoes import Precision

_PAIRS = frozenset({"player-pair", "banker-pair", "either-pair", "perfect-pair"})


def check_game(played: Played, cards: bytes, precision: Precision, game: GameType) -> Iterator[Finding]:
    """Everything wrong with a game all of whose cards were read.

    Args:
        played: As its source has it.
        cards: Its cards in dealing order.
        precision: What is known of them.
        game: The game type by whose rules it was played.
    """
    coup = _by_the_rules(played, cards, game)
    if coup is None:
        shown = f"{'-'.join(played.player)} against {'-'.join(played.banker)}"
        yield Finding(played.place, FindingKind.DRAWING, shown, _expected(played, cards, game))
        return
    told = played.told
    totals = {side: coup.total(side) for side in Side}
    won = winner(totals[Side.PLAYER], totals[Side.BANKER])
    if told.winner not in (None, won):
        yield Finding(played.place, FindingKind.WINNER, str(told.winner), won)
    sums = (
        ("Player", told.player_total, totals[Side.PLAYER]),
        ("Banker", told.banker_total, totals[Side.BANKER]),
        ("the winner", told.winning_total, max(totals.values())),
    )
    for name, said, is_total in sums:
        if said not in (None, is_total):
            yield Finding(played.place, FindingKind.TOTAL, f"{said} for {name}", str(is_total))
    if told.bets is not None:
        yield from _bets(played, coup, precision, game)


def _by_the_rules(played: Played, cards: bytes, game: GameType) -> Coup | None:
    """The coup, if the rules deal these cards into these hands and no more."""
    try:
        coup = read_coup(cards, game.drawing)
    except InvalidCoup:
        return None
    hands = [len(coup.hand(side)) for side in (Side.PLAYER, Side.BANKER)]
    return coup if coup.complete and hands == [len(played.player), len(played.banker)] else None


def _expected(played: Played, cards: bytes, game: GameType) -> str:
    """What the rules ask for after the first four cards."""
    if len(played.player) < 2 or len(played.banker) < 2:
        return "two or three cards a hand"
    side = read_coup(cards[:4], game.drawing).next_side
    if side is None:
        return "four cards, as nobody draws"
    if side is Side.BANKER or len(played.player) < 3:
        return f"a third card for {side.name.title()}"
    third = POINTS[cards[4]]
    total = sum(POINTS[card] for card in cards[1:4:2]) % 10
    draws = game.drawing.banker_draws(total, third)
    return f"Banker {'draws' if draws else 'stands'} with {total} after a third card worth {third}"


def _bets(played: Played, coup: Coup, precision: Precision, game: GameType) -> Iterator[Finding]:
    """Compare the side bets that won: all of them, or only the pairs where the source's code has no others."""
    told = played.told.bets or frozenset()
    cells = endings(coup, game.drawing) | openings(coup)
    results = {bet.id: bet.result(cells) for bet in game.bets}
    if played.told.winning_total is not None:
        results = {name: results[name] for name in ("player-pair", "banker-pair") if name in results}
    unknown = {Precision.CARDS: set(), Precision.RANKS: {"perfect-pair"}, Precision.POINTS: _PAIRS}[precision]
    compared = results.keys() - unknown
    won = {name for name in compared if results[name] is Result.WON}
    if (said := told & compared) != won:
        yield Finding(played.place, FindingKind.BETS, _listed(said), _listed(won))


def _listed(bets: "frozenset[str] | set[str]") -> str:
    return ", ".join(sorted(bets)) or "none"
