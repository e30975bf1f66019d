"""A studio's side of a table: it makes one, reports what happens at it, and looks at it."""

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1 import tables_pb2
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceStub
from pricing.baccarat.v1.types_pb2 import OfferState
from pricing.cli.dealing import shoes_of_coups
from pricing.domain.cards import CARDS
from pricing.domain.coup import Side, read_coup
from pricing.games import load_games

GAME = load_games()["bet-on-baccarat"]
BY_EVENT = (0, 0, 0)
"""Windows of rounds that no clock closes."""


def event_of(table: str, event_id: str, **what: Any) -> pb.TableEvent:
    """An event, its kind and fields as plain values."""
    return pb.TableEvent(table=table, event_id=event_id, **what)


class Studio:
    """Reports to one table, one event after the other, with ids and source numbers of its own."""

    def __init__(self, channel: Any, table: str) -> None:
        self.stub: Any = TableServiceStub(channel)
        self.table = table
        self.number = 0

    def create(self, *, windows_ms: tuple[int, ...] = BY_EVENT, shoe: bool = True) -> "Studio":
        """Make the table, with a fresh shoe on it."""
        self.stub.CreateTable(
            pb.CreateTableRequest(table=self.table, game_type=GAME.name, event_id="made", round_windows_ms=windows_ms)
        )
        if shoe:
            self.say(shoe_loaded={})
        return self

    def event(self, **what: Any) -> pb.TableEvent:
        """The next event; what is given goes before what is counted."""
        self.number += 1
        counted = {"table": self.table, "event_id": f"e{self.number}", "source_number": self.number}
        return pb.TableEvent(**{**counted, **what})

    def send(self, event: pb.TableEvent) -> pb.EventReceipt:
        receipt: pb.EventReceipt = self.stub.RecordEvent(pb.RecordEventRequest(event=event), timeout=30).receipt
        return receipt

    def say(self, **what: Any) -> pb.EventReceipt:
        """Report the next event, which must be taken."""
        receipt = self.send(self.event(**what))
        assert not receipt.HasField("refusal"), receipt.refusal.message
        assert not receipt.duplicate
        return receipt

    def deal(self, texts: str) -> None:
        """Deal cards, each once the betting before it is closed."""
        for card in texts.split():
            if open_round(self.look()):
                self.say(betting_closed={})
            self.say(card_dealt={"card": card})

    def play_game(self) -> str:
        """A whole game, which Banker wins with 9 to 2; its reference."""
        self.say(game_opened={})
        self.deal("2D 6H KC 7S TD 6C")
        return self.say(result_announced={"winner": "WINNER_BANKER"}).game

    def look(self) -> tables_pb2.Table:
        image: tables_pb2.Table = self.stub.GetTable(pb.GetTableRequest(table=self.table), timeout=30).table
        return image


def holds(image: tables_pb2.Table) -> list[str]:
    return [hold.reason for hold in image.holds]


def open_round(image: tables_pb2.Table) -> int:
    return sum(each.round for each in image.game.rounds if each.state == tables_pb2.ROUND_STATE_OPEN)


def rounds(image: tables_pb2.Table) -> list[str]:
    return [tables_pb2.RoundState.Name(each.state).removeprefix("ROUND_STATE_") for each in image.game.rounds]


def offers(image: tables_pb2.Table, number: int) -> dict[str, str]:
    """The state of every bet of a round."""
    bets = image.game.rounds[number - 1].bets
    return {bet.bet: OfferState.Name(bet.state).removeprefix("OFFER_STATE_") for bet in bets}


def whole_games(table: str, seed: int = 1) -> Iterator[pb.TableEvent]:
    """Every event of one game after the other, numbered from 1, from shuffled shoes."""
    numbers = count(1)

    def event(**what: Any) -> pb.TableEvent:
        number = next(numbers)
        return pb.TableEvent(table=table, event_id=f"{table}-{number}", source_number=number, **what)

    for shoe in shoes_of_coups(GAME, random.Random(seed)):
        if not shoe.gone:
            yield event(shoe_loaded={})
        yield event(game_opened={})
        dealt = b""
        while not (coup := read_coup(dealt, GAME.drawing)).complete:
            if GAME.betting_round(len(dealt)):
                yield event(betting_closed={})
            card = shoe.draw()
            yield event(card_dealt={"card": card})
            dealt += bytes((CARDS.index(card),))
        player, banker = coup.total(Side.PLAYER), coup.total(Side.BANKER)
        winner = "TIE" if player == banker else "PLAYER" if player > banker else "BANKER"
        yield event(result_announced={"winner": f"WINNER_{winner}", "player_total": player, "banker_total": banker})
