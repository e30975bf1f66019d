"""HistoryService against what was seen while the games were played."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

import grpc
import pytest
from service.serving import ServerProcess, refused, server_process
from service.studio import GAME, Studio, whole_games

from pricing.baccarat.v1 import history_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.history_service_pb2_grpc import HistoryServiceStub
from pricing.baccarat.v1.types_pb2 import BET_RESULT_UNDECIDED, BET_RESULT_VOID, BET_RESULT_WON, OFFER_STATE_ACTIVE
from pricing.client.calls import Access
from pricing.client.history import games_of, history_connected

GAMES = 30


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


@pytest.fixture(scope="module")
def history(server: ServerProcess) -> Iterator[Any]:
    with server.channel() as channel:
        yield HistoryServiceStub(channel)


@pytest.fixture(scope="module")
def studio(server: ServerProcess) -> Studio:
    return Studio(server.channel(), "played").create(shoe=False)


@pytest.fixture(scope="module")
def images(studio: Studio) -> dict[int, tables_pb2.Table]:
    """The image after each event of many games, by sequence."""
    found = {}
    for event in whole_games("played", seed=5):
        receipt = studio.send(event)
        found[receipt.position] = studio.look()
        if event.HasField("result_announced") and len({each.game.game for each in found.values()}) == GAMES + 1:
            break
    return found


@pytest.fixture(scope="module")
def ended(images: dict[int, tables_pb2.Table]) -> list[tables_pb2.Game]:
    """Each game as it ended, in order."""
    games = {image.game.game: image.game for image in images.values() if image.game.game}
    return list(games.values())


def statistics(history: Any, table: str, **what: Any) -> pb.GetStatisticsResponse:
    found: pb.GetStatisticsResponse = history.GetStatistics(pb.GetStatisticsRequest(table=table, **what))
    return found


def winners(found: pb.GetStatisticsResponse) -> str:
    return "".join(tables_pb2.Winner.Name(bead.winner)[7] for bead in found.roads.bead_plate)


def games(history: Any, **what: Any) -> list[tables_pb2.Game]:
    return [each.game for each in history.ListGames(pb.ListGamesRequest(**what)).games]


def test_a_game_shows_the_odds_that_each_round_had_last(
    history: Any, images: dict[int, tables_pb2.Table], ended: list[tables_pb2.Game]
) -> None:
    last: dict[tuple[str, int, str], str] = {}
    for image in images.values():
        for each in image.game.rounds:
            for bet in each.bets:
                if bet.state == OFFER_STATE_ACTIVE:
                    last[image.game.game, each.round, bet.bet] = bet.odds
    for game in ended:
        found = history.GetGame(pb.GetGameRequest(table="played", game=game.game)).game.game
        assert (found.dealt, found.results, found.outcomes) == (game.dealt, game.results, game.outcomes)
        for each, was in zip(found.rounds, game.rounds, strict=True):
            assert (each.state, each.close_time) == (was.state, was.close_time)
            for bet, final in zip(each.bets, was.bets, strict=True):
                assert bet.odds == last.get((game.game, each.round, bet.bet), "")
                changed = ("odds", "return_to_player")
                assert [entry for entry in bet.ListFields() if entry[0].name not in changed] == final.ListFields()


def test_pages_newest_first(history: Any, ended: list[tables_pb2.Game]) -> None:
    token, seen = "", []
    while True:
        page = history.ListGames(pb.ListGamesRequest(table="played", page_size=7, page_token=token))
        seen += [each.game.game for each in page.games]
        assert len(page.games) == 7 or not page.next_page_token
        if not (token := page.next_page_token):
            break
    assert seen == [game.game for game in reversed(ended)]


def test_games_by_shoe_time_and_state(history: Any, ended: list[tables_pb2.Game]) -> None:
    start, end = ended[3].open_time, ended[9].open_time
    between = games(history, table="played", from_time=start, to_time=end, with_odds=True)
    assert [game.game for game in between] == [game.game for game in reversed(ended[3:9])]
    assert all(len(game.rounds[0].bets) == len(GAME.bets) for game in between)
    assert len(games(history, table="played", shoe_number=1)) == len(ended)
    assert not games(history, table="played", shoe_number=2)
    assert len(games(history, table="played", state="GAME_STATE_CONFIRMED")) == len(ended)


def test_counts_and_roads_are_those_of_the_games(history: Any, ended: list[tables_pb2.Game]) -> None:
    found = statistics(history, "played")
    won = Counter(each.bet for game in ended for each in game.results if each.result == BET_RESULT_WON)
    for bet in GAME.bets:
        assert getattr(found.shoe_counts, bet.id.replace("-", "_")) == won[bet.id]
    assert found.table_counts == found.shoe_counts
    assert found.shoe_counts.games == len(ended)
    totals = Counter(game.banker_total for game in ended)
    assert list(found.shoe_counts.banker_totals) == [totals[total] for total in range(10)]
    text = winners(found)
    runs = ["".join(run) for _, run in groupby(text.replace("T", ""))]
    assert [len(column.ties) for column in found.roads.big_road] == [len(run) for run in runs]
    assert (found.streaks.longest_player, found.streaks.current) == (
        max(len(run) for run in runs if run[0] == "P"),
        len(runs[-1]),
    )


def test_void_games_are_in_nothing_and_corrected_ones_as_they_stand(server: ServerProcess, history: Any) -> None:
    studio = Studio(server.channel(), "corrected").create()
    first, second, third = (studio.play_game() for _ in range(3))
    assert winners(statistics(history, "corrected")) == "BBB"
    studio.say(games_voided={"games": [second], "reason": "VOID_REASON_MISDEAL"})
    studio.say(game_resettled={"game": first, "dealt": ["9D", "6H", "KC", "AS"]})
    found = statistics(history, "corrected")
    assert winners(found) == "PB"
    assert found.shoe_counts.games == found.table_counts.games == 2
    assert found.shoe_counts.player_natural == 1
    void = history.GetGame(pb.GetGameRequest(table="corrected", game=second)).game.game
    assert {each.result for each in void.results} == {BET_RESULT_VOID}
    assert all(bet.result == BET_RESULT_VOID and bet.odds for bet in void.rounds[0].bets)
    assert [game.game for game in games(history, table="corrected", state="GAME_STATE_VOID")] == [second]
    assert [game.game for game in games(history, table="corrected")] == [third, second, first]


def test_a_game_that_goes_on_after_all_counts_once_it_has_ended(server: ServerProcess, history: Any) -> None:
    studio = Studio(server.channel(), "reopened").create()
    reference = studio.say(game_opened={}).game
    studio.deal("2D 6H KC 2C")
    assert winners(statistics(history, "reopened")) == "B"
    studio.say(scan_corrected={"card": "AS"})  # no natural: Player draws
    assert not statistics(history, "reopened").shoe_counts.games
    assert [game.game for game in games(history, table="reopened", state="GAME_STATE_OPEN")] == [reference]
    studio.deal("9D")
    found = statistics(history, "reopened")
    assert (winners(found), found.shoe_counts.big, found.shoe_counts.banker_natural) == ("B", 1, 0)


def test_a_running_game_offers_nothing_in_its_history(server: ServerProcess, history: Any) -> None:
    studio = Studio(server.channel(), "running").create()
    assert not statistics(history, "running").shoe_counts.games
    reference = studio.say(game_opened={}).game
    studio.deal("2D 6H")
    found = history.GetGame(pb.GetGameRequest(table="running", game=reference)).game.game
    assert list(found.dealt) == ["2D", "6H"]
    assert [len(each.bets) for each in found.rounds] == [9, 9, 9]
    states = {bet.state for each in found.rounds for bet in each.bets}
    assert OFFER_STATE_ACTIVE not in states
    assert [game.game for game in games(history, table="running", state="GAME_STATE_OPEN")] == [reference]


def test_every_price_that_was_shown_is_explained(
    history: Any, images: dict[int, tables_pb2.Table], ended: list[tables_pb2.Game]
) -> None:
    explained = 0
    for sequence, image in list(images.items())[: 12 * 10]:
        shown = [(each, bet) for each in image.game.rounds for bet in each.bets if bet.state == OFFER_STATE_ACTIVE]
        for each, bet in shown[::4]:
            asked = pb.ExplainPriceRequest(table="played", sequence=sequence, bet=bet.bet)
            found = history.ExplainPrice(asked)
            explained += 1
            assert (found.game, found.round, found.dealt) == (image.game.game, each.round, image.game.dealt)
            assert found.remaining == image.shoe.remaining
            assert (found.win_ways, found.push_ways, found.odds) == (bet.win_ways, bet.push_ways, bet.odds)
            assert found.total_ways == each.total_ways
            fair = Fraction(found.total_ways - found.push_ways, found.win_ways)
            assert Fraction(found.fair_odds) == fair
            exact, margin, lose = Fraction(found.exact_odds), Fraction(found.margin), fair - 1
            if found.margin_model == "target-return":
                assert 0 <= fair * (1 - margin) - exact < Fraction(1, 10**12)
            else:  # the chances quoted for the bet and for what it is a book with sum to one and the margin
                assert found.margin_model == "odds-ratio"
                other = 1 + 1 / lose / (lose / (exact - 1))
                assert float(1 / exact + 1 / other) == pytest.approx(float(1 + margin), abs=1e-9)
            rounded = (Decimal(exact.numerator) / exact.denominator).quantize(Decimal("0.01"), ROUND_FLOOR)
            assert Decimal(found.odds) == min(rounded, Decimal(found.ladder[-1].to))
            assert (found.state, found.result) == (OFFER_STATE_ACTIVE, BET_RESULT_UNDECIDED)
    assert explained > 50


def test_what_cannot_be_explained(history: Any, images: dict[int, tables_pb2.Table]) -> None:
    offering = next(number for number, image in images.items() if image.game.game)
    wrong: list[tuple[grpc.StatusCode, str, dict[str, Any]]] = [
        (grpc.StatusCode.FAILED_PRECONDITION, "NOTHING_OFFERED", {"sequence": 2, "bet": "tie"}),
        (grpc.StatusCode.NOT_FOUND, "UNKNOWN_SEQUENCE", {"sequence": 10**9, "bet": "tie"}),
        (grpc.StatusCode.NOT_FOUND, "UNKNOWN_SEQUENCE", {"sequence": 0, "bet": "tie"}),
        (grpc.StatusCode.INVALID_ARGUMENT, "UNKNOWN_BET", {"sequence": offering, "bet": "dragon"}),
        (grpc.StatusCode.NOT_FOUND, "UNKNOWN_TABLE", {"table": "nowhere", "sequence": 3, "bet": "tie"}),
    ]
    for code, reason, what in wrong:
        with refused(code, reason):
            history.ExplainPrice(pb.ExplainPriceRequest(**{"table": "played", **what}))


@pytest.mark.parametrize(
    ("code", "reason", "what"),
    [
        ("INVALID_ARGUMENT", "INVALID_PAGE", {"page_size": 101}),
        ("INVALID_ARGUMENT", "INVALID_PAGE", {"page_token": "YWZ0ZXI6eA=="}),
        ("INVALID_ARGUMENT", "INVALID_PAGE", {"page_token": "%"}),
        ("INVALID_ARGUMENT", "INVALID_FILTER", {"state": 99}),
        ("INVALID_ARGUMENT", "INVALID_FILTER", {"shoe_number": 1}),
        ("INVALID_ARGUMENT", "INVALID_FILTER", {"from_time": {"seconds": 10**15}}),
        ("NOT_FOUND", "UNKNOWN_TABLE", {"table": "nowhere"}),
    ],
)
def test_lists_that_cannot_be(history: Any, code: str, reason: str, what: dict[str, Any]) -> None:
    with refused(grpc.StatusCode[code], reason):
        history.ListGames(pb.ListGamesRequest(**what))


def test_games_and_shoes_that_are_not_there(history: Any, ended: list[tables_pb2.Game]) -> None:
    for reference in ("", "played", "played-20260101T000000-000001", ended[0].game + "1", "-" + "9" * 18):
        with refused(grpc.StatusCode.NOT_FOUND, "UNKNOWN_GAME"):
            history.GetGame(pb.GetGameRequest(table="played", game=reference))
    with refused(grpc.StatusCode.NOT_FOUND, "UNKNOWN_SHOE"):
        statistics(history, "played", shoe_number=2)


def test_the_python_client_turns_pages(server: ServerProcess, ended: list[tables_pb2.Game]) -> None:
    async def references() -> list[str]:
        async with history_connected(Access(address=server.address)) as client:
            asked = games_of("played", page_size=4)
            return [each.game.game async for each in client.games(asked, timeout=30)]

    assert asyncio.run(references()) == [game.game for game in reversed(ended)]
