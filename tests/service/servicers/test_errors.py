"""What is wrong with a request is named by code, reason, and path in the message."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from service.serving import Refused, ServerProcess, refused, server_process

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.baccarat.v1.types_pb2 import CardCount, RemainingCards, RemovedCards, Shoe
from pricing.domain.cards import CARDS

INVALID = grpc.StatusCode.INVALID_ARGUMENT
GAME = "bet-on-baccarat"


def removed(*cards: str, **fields: Any) -> Shoe:
    return Shoe(removed=RemovedCards(cards=cards), **fields)


def remaining(*cards: tuple[str, int], **fields: Any) -> Shoe:
    return Shoe(remaining=RemainingCards(cards=[CardCount(card=card, count=count) for card, count in cards]), **fields)


WRONG = [
    # reason, path, what was given, the request
    ("UNKNOWN_GAME_TYPE", "game_type", "''", {"game_type": ""}),
    ("UNKNOWN_GAME_TYPE", "game_type", "'roulette'", {"game_type": "roulette"}),
    ("INVALID_CARD", "dealt[1]", "'1S'", {"dealt": ["9S", "1S"]}),
    ("INVALID_CARD", "dealt[0]", "''", {"dealt": [""]}),
    ("INVALID_CARD", "dealt[0]", "'as'", {"dealt": ["as"]}),
    ("INVALID_CARD", "shoe.removed.cards[3]", "'10S'", {"shoe": removed("AS", "2S", "3S", "10S")}),
    ("INVALID_CARD", "shoe.remaining.cards[1].card", "'ZZ'", {"shoe": remaining(("AS", 1), ("ZZ", 1))}),
    ("INVALID_SHOE", "shoe.removed.cards[2]", "'AS'", {"shoe": removed("AS", "AS", "AS", decks=2)}),
    ("INVALID_SHOE", "dealt[1]", "'AS'", {"shoe": removed("AS", decks=2), "dealt": ["AS", "AS"]}),
    ("INVALID_SHOE", "dealt[1]", "'AS'", {"shoe": remaining(("AS", 1), ("KS", 2), decks=2), "dealt": ["AS", "AS"]}),
    ("INVALID_SHOE", "shoe.remaining.cards[2].count", "-1", {"shoe": remaining(("AS", 1), ("2S", 1), ("3S", -1))}),
    ("INVALID_SHOE", "shoe.remaining.cards[0].count", "7", {"shoe": remaining(("AS", 7))}),
    ("INVALID_SHOE", "shoe.remaining.cards[0].count", "2147483647", {"shoe": remaining(("AS", 2**31 - 1))}),
    ("INVALID_SHOE", "shoe.remaining.cards[2].card", "'AS'", {"shoe": remaining(("AS", 1), ("2S", 1), ("AS", 1))}),
    ("INVALID_SHOE", "shoe.decks", "0", {"shoe": Shoe(decks=0)}),
    ("INVALID_SHOE", "shoe.decks", "13", {"shoe": Shoe(decks=13)}),
    ("INVALID_SHOE", "shoe.decks", "-2147483648", {"shoe": Shoe(decks=-(2**31))}),
    ("INVALID_SHOE", "shoe.unseen_removed", "-1", {"shoe": Shoe(unseen_removed=-1)}),
    ("INVALID_SHOE", "shoe.unseen_removed", "313", {"shoe": Shoe(unseen_removed=313)}),
    ("INVALID_COUP", "dealt[4]", "'3C'", {"dealt": ["9S", "KD", "KH", "2C", "3C"]}),
    ("INVALID_COUP", "dealt[4]", "'KC'", {"dealt": ["7S", "7D", "KH", "KC", "KC"]}),
    ("NOT_ENOUGH_CARDS", "shoe", "'5 cards'", {"shoe": remaining(("AS", 5))}),
    ("NOT_ENOUGH_CARDS", "shoe", "'0 cards'", {"shoe": remaining()}),
    ("NOT_ENOUGH_CARDS", "shoe", "'5 cards'", {"shoe": Shoe(unseen_removed=307)}),
    ("TOO_MANY_ENTRIES", "shoe.removed.cards", "'1001 entries'", {"shoe": removed(*["AS"] * 1001)}),
    ("TOO_MANY_ENTRIES", "shoe.remaining.cards", "'1001 entries'", {"shoe": remaining(*[("AS", 1)] * 1001)}),
    ("TOO_MANY_ENTRIES", "dealt", "'1001 entries'", {"dealt": ["AS"] * 1001}),
]
IDS = [f"{reason} {path} {given}" for reason, path, given, _ in WRONG]


def assert_told(found: Refused, path: str, given: str) -> None:
    """The path, what was given and what is allowed, alone and in the message."""
    ((field, description),) = found.violations
    assert field == path
    assert description.startswith(f"got {given}; allowed: ")
    assert found.message == f"{field}: {description}"
    assert found.message.isprintable()


@pytest.mark.parametrize(("reason", "path", "given", "fields"), WRONG, ids=IDS)
def test_wrong_request(stub: PricingServiceStub, reason: str, path: str, given: str, fields: dict[str, object]) -> None:
    request = pb.PriceRequest(**{"game_type": GAME, **fields})  # type: ignore[arg-type]
    with refused(INVALID, reason) as price:
        stub.Price(request)
    assert_told(price[0], path, given)

    (answer,) = stub.StreamPrices(iter([pb.StreamPricesRequest(correlation_id="x", request=request)]))
    assert answer.correlation_id == "x"
    assert (answer.error.code, answer.error.reason, answer.error.message) == (3, reason, price[0].message)
    assert [(each.field, each.description) for each in answer.error.field_violations] == price[0].violations

    coups = [pb.Coup(dealt=["9S"])] * (0 if request.HasField("shoe") else 3) + [pb.Coup(dealt=request.dealt)]
    shoe = request.shoe if request.HasField("shoe") else None
    with refused(INVALID, reason) as batch:
        stub.BatchPrice(pb.BatchPriceRequest(game_type=request.game_type, shoe=shoe, coups=coups))
    named = batch[0].violations[0][0]
    wrong = len(coups) - 1
    # What is wrong with the shoe however the coup goes on is named alone; the rest by the coup.
    assert named in ({path, f"coups[{wrong}].{path}"} if path != "shoe" else {f"coups[{wrong}]"}) or (
        path == "shoe.unseen_removed" and named == f"coups[{wrong}]"
    )


def test_batch_names_the_coup(stub: PricingServiceStub) -> None:
    coups = [pb.Coup(), pb.Coup(dealt=["9S"]), pb.Coup(dealt=["9S", "KD"]), pb.Coup(dealt=["QQ"])]
    with refused(INVALID, "INVALID_CARD") as found:
        stub.BatchPrice(pb.BatchPriceRequest(game_type=GAME, coups=coups))
    assert_told(found[0], "coups[3].dealt[0]", "'QQ'")


def test_batch_names_the_coup_that_the_shoe_is_too_small_for(stub: PricingServiceStub) -> None:
    whole = [pb.Coup(dealt=["9S", "KD", "KH", "2C"]), pb.Coup(dealt=["9S"])]
    with refused(INVALID, "NOT_ENOUGH_CARDS") as found:
        stub.BatchPrice(pb.BatchPriceRequest(game_type=GAME, shoe=remaining(("AC", 2)), coups=whole))
    ((field, description),) = found[0].violations
    assert (field, description.endswith("(shoe)")) == ("coups[1]", True)


def test_batch_of_too_many_coups(stub: PricingServiceStub) -> None:
    with refused(INVALID, "TOO_MANY_ENTRIES") as found:
        stub.BatchPrice(pb.BatchPriceRequest(game_type=GAME, coups=[pb.Coup()] * 1001))
    assert_told(found[0], "coups", "'1001 entries'")


@pytest.mark.parametrize(
    ("path", "request_"),
    [
        ("page_size", pb.ListGameTypesRequest(page_size=-1)),
        ("page_size", pb.ListGameTypesRequest(page_size=101)),
        ("page_token", pb.ListGameTypesRequest(page_token="x")),
        ("page_token", pb.ListGameTypesRequest(page_token="YWZ0ZXI6cm91bGV0dGU=")),
        ("page_token", pb.ListGameTypesRequest(page_token="é\u2028\x00")),
        ("page_token", pb.ListGameTypesRequest(page_token="gICA")),
    ],
)
def test_wrong_page(stub: PricingServiceStub, path: str, request_: pb.ListGameTypesRequest) -> None:
    with refused(INVALID, "INVALID_PAGE") as found:
        stub.ListGameTypes(request_)
    assert found[0].violations[0][0] == path


PRICE = "/pricing.baccarat.v1.PricingService/Price"
STREAM = "/pricing.baccarat.v1.PricingService/StreamPrices"
MALFORMED = {
    "no message": b"\xff\xff\xff",
    "cut short": pb.PriceRequest(game_type=GAME).SerializeToString()[:-3],
    "bad UTF-8": b"\x0a\x02\xc3\x28",
    "bad UTF-8 in a card": b"\x1a\x02\xff\xfe",
    "bad UTF-8 far below": b"\x12\x08\x12\x06\x0a\x04\xed\xa0\x80\x41",
    "nested without end": b"\x0b" * 120,
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_message(server: ServerProcess, stub: PricingServiceStub, data: bytes) -> None:
    with server.channel() as channel:
        with refused(INVALID, "MALFORMED_MESSAGE"):
            channel.unary_unary(PRICE)(data)
        with refused(INVALID, "MALFORMED_MESSAGE"):
            list(channel.stream_stream(STREAM)(iter([b"\x12" + bytes([len(data)]) + data])))
        with refused(INVALID, "MALFORMED_MESSAGE"):
            list(channel.unary_stream("/grpc.health.v1.Health/Watch")(b"\xff\xff"))
    assert stub.Price(pb.PriceRequest(game_type=GAME)).bets


@pytest.fixture(scope="module")
def small() -> Iterator[ServerProcess]:
    with server_process("--max-message", "4096") as running:
        yield running


def test_oversize_message(small: ServerProcess) -> None:
    large = pb.PriceRequest(game_type=GAME, dealt=["x" * 5000])
    fitting = pb.PriceRequest(game_type=GAME, dealt=["9S"])
    with small.channel() as channel:
        stub = PricingServiceStub(channel)
        with refused(grpc.StatusCode.RESOURCE_EXHAUSTED):
            stub.Price(large)
        answers = stub.StreamPrices(pb.StreamPricesRequest(request=each) for each in (fitting, large, fitting))
        with refused(grpc.StatusCode.RESOURCE_EXHAUSTED):
            assert next(answers).response.bets
            list(answers)
        assert stub.Price(fitting).bets


def test_message_under_the_limit_is_looked_at(stub: PricingServiceStub) -> None:
    text = "x" * (1 << 19)
    with refused(INVALID, "INVALID_CARD") as found:
        stub.Price(pb.PriceRequest(game_type=GAME, dealt=[text]))
    assert len(found[0].message) < 1000


def test_unknown_method(server: ServerProcess) -> None:
    with server.channel() as channel:
        for path in ("/pricing.baccarat.v1.PricingService/Prices", "/x/y", "/"):
            with refused(grpc.StatusCode.UNIMPLEMENTED):
                channel.unary_unary(path)(b"")


def test_every_card_is_known(stub: PricingServiceStub) -> None:
    """The table above would be worth little if all were refused."""
    request = pb.PriceRequest(game_type=GAME, shoe=remaining(*[(card, 6) for card in CARDS]))
    message: Message = stub.Price(request)
    assert message == stub.Price(pb.PriceRequest(game_type=GAME))
