"""PricingService answers what `pricing.price` does, in every field, by whichever method it is asked."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from service.serving import refused

import pricing
from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.baccarat.v1.types_pb2 import BetPrice, CardCount, RemainingCards, RemovedCards, Shoe
from pricing.domain.cards import CARDS
from pricing.engine.quote import BetQuote, Quote

GAMES = ("bet-on-baccarat", "punto-banco")
COUPS = ((), ("9S",), ("9S", "KD"), ("9S", "KD", "AH"), ("5S", "KD", "AH", "5C"), ("9S", "KD", "KH", "2C"))


def assert_same(message: pb.PriceResponse, quote: Quote) -> None:
    """Every field, present or absent, equal."""
    assert message.engine_version == pricing.__version__
    assert (message.game_type, message.policy_version) == (quote.game, quote.policy_version)
    assert (message.betting_round, message.total_ways) == (quote.betting_round, quote.total_ways)
    assert message.HasField("next_card") == (quote.next_card is not None)
    assert message.next_card == (quote.next_card or 0)
    assert (message.player_total, message.banker_total) == (quote.player_total, quote.banker_total)
    assert message.cards_remaining == quote.cards_remaining
    assert len(message.bets) == len(quote.bets)
    for found, expected in zip(message.bets, quote.bets, strict=True):
        assert bet_quote(found) == expected


def bet_quote(message: BetPrice) -> tuple[object, ...]:
    def present(field: str) -> object:
        return getattr(message, field) if message.HasField(field) else None  # type: ignore[arg-type]

    return (
        message.bet,
        message.state,
        message.result,
        message.win_ways,
        message.push_ways,
        message.win_probability,
        message.push_probability,
        present("fair_odds"),
        present("odds"),
        present("return_to_player"),
        tuple((tier.name, tier.ways, tier.odds) for tier in message.tiers),
    )


def test_comparison_looks_at_every_field() -> None:
    assert tuple(field.name for field in BetPrice.DESCRIPTOR.fields) == BetQuote._fields
    own = {"engine_version"}
    named = {"game_type": "game"}
    fields = [field.name for field in pb.PriceResponse.DESCRIPTOR.fields]
    assert {named.get(name, name) for name in fields} - own == set(Quote._fields)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("dealt", COUPS, ids=" ".join)
def test_price_of_a_fresh_shoe(stub: PricingServiceStub, game: str, dealt: tuple[str, ...]) -> None:
    assert_same(stub.Price(pb.PriceRequest(game_type=game, dealt=dealt)), pricing.price(game, dealt=dealt))


def test_empty_shoe_is_a_fresh_one(stub: PricingServiceStub) -> None:
    for shoe in (Shoe(), Shoe(removed=RemovedCards()), Shoe(decks=6)):
        message = stub.Price(pb.PriceRequest(game_type="bet-on-baccarat", shoe=shoe))
        assert_same(message, pricing.price("bet-on-baccarat"))


def test_remaining_cards_are_those_without_the_dealt_ones(stub: PricingServiceStub) -> None:
    counts = {card: 2 for card in CARDS[:20]}
    listed = RemainingCards(cards=[CardCount(card=card, count=count) for card, count in counts.items()])
    request = pb.PriceRequest(
        game_type="bet-on-baccarat", shoe=Shoe(decks=8, remaining=listed, unseen_removed=7), dealt=["9S", "KD"]
    )
    expected = pricing.price("bet-on-baccarat", dealt="9S KD", remaining=counts, decks=8, unseen_removed=7)
    assert_same(stub.Price(request), expected)


@settings(max_examples=60)
@given(st.data())
def test_every_method_gives_every_price(stub: PricingServiceStub, data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(GAMES))
    decks = data.draw(st.integers(1, 12))
    shoe = data.draw(st.permutations([card for card in CARDS for _ in range(decks)]))
    removed = shoe[4 : 4 + data.draw(st.integers(0, len(shoe) - 20))]
    coups = [shoe[:cards] for cards in range(5)]
    given: dict[str, Any] = {"decks": decks, "unseen_removed": data.draw(st.integers(0, 5))}
    expected = []
    for dealt in coups:
        try:
            expected.append(pricing.price(game, dealt=dealt, removed=removed, **given))
        except pricing.PricingError:  # a natural that goes on
            break
    message = Shoe(removed=RemovedCards(cards=removed), **given)
    requests = [pb.PriceRequest(game_type=game, shoe=message, dealt=dealt) for dealt in coups[: len(expected)]]
    batch = pb.BatchPriceRequest(
        game_type=game, shoe=message, coups=[pb.Coup(dealt=request.dealt) for request in requests]
    )
    stream = stub.StreamPrices(pb.StreamPricesRequest(request=request) for request in requests)
    answers = zip(map(stub.Price, requests), stub.BatchPrice(batch).prices, stream, expected, strict=True)
    for unary, batched, streamed, quote in answers:
        assert_same(unary, quote)
        assert unary == batched == streamed.response


def test_batch_of_the_most_coups(stub: PricingServiceStub) -> None:
    coups = [pb.Coup(dealt=COUPS[place % len(COUPS)]) for place in range(1000)]
    prices = stub.BatchPrice(pb.BatchPriceRequest(game_type="punto-banco", coups=coups)).prices
    assert len(prices) == 1000
    for place, price in enumerate(prices[: len(COUPS)]):
        assert_same(price, pricing.price("punto-banco", dealt=COUPS[place]))


def test_batch_of_no_coups_has_no_prices(stub: PricingServiceStub) -> None:
    assert not stub.BatchPrice(pb.BatchPriceRequest(game_type="punto-banco")).prices
    with refused(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_SHOE"):
        stub.BatchPrice(pb.BatchPriceRequest(game_type="punto-banco", shoe=Shoe(decks=13)))


def test_unknown_fields_do_no_harm(stub: PricingServiceStub) -> None:
    request = pb.PriceRequest(game_type="bet-on-baccarat", dealt=["9S"])
    newer = b"\xfa\x3f\x05hello"  # field 1023, bytes
    message = pb.PriceRequest.FromString(request.SerializeToString() + newer)
    assert newer in message.SerializeToString()
    assert stub.Price(message) == stub.Price(request)


def test_stream_answers_in_order_and_goes_on_after_errors(stub: PricingServiceStub) -> None:
    def requests() -> Iterator[pb.StreamPricesRequest]:
        for number in range(500):
            dealt = ["9S", "XX"] if number % 7 == 3 else list(COUPS[number % len(COUPS)])
            request = pb.PriceRequest(game_type="bet-on-baccarat", dealt=dealt)
            yield pb.StreamPricesRequest(correlation_id=f"call {number}", request=request)

    answers = list(stub.StreamPrices(requests()))
    assert [answer.correlation_id for answer in answers] == [f"call {number}" for number in range(500)]
    for number, answer in enumerate(answers):
        assert answer.WhichOneof("outcome") == ("error" if number % 7 == 3 else "response")
    error = answers[3].error
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT.value[0], "INVALID_CARD")
    assert [violation.field for violation in error.field_violations] == ["dealt[1]"]
    assert error.message == f"dealt[1]: {error.field_violations[0].description}"
    with refused(grpc.StatusCode.INVALID_ARGUMENT) as unary:
        stub.Price(pb.PriceRequest(game_type="bet-on-baccarat", dealt=["9S", "XX"]))
    assert unary[0].message == error.message
    assert unary[0].violations == [(error.field_violations[0].field, error.field_violations[0].description)]


def test_game_types_tell_everything(stub: PricingServiceStub) -> None:
    listed = stub.ListGameTypes(pb.ListGameTypesRequest())
    assert not listed.next_page_token
    known = pricing.load_games()
    assert [game.name for game in listed.game_types] == list(known)
    for message, game in zip(listed.game_types, known.values(), strict=True):
        assert (message.display_name, message.rules_version, message.decks) == (
            game.display_name,
            game.rules_version,
            game.decks,
        )
        assert (message.shoe_change.below, message.shoe_change.games_after) == (
            game.shoe_change.below,
            game.shoe_change.games_after,
        )
        assert list(message.betting_rounds) == [each.cards for each in game.rounds]
        assert [(bet.bet, bet.display_name, bet.rule) for bet in message.bets] == [
            (bet.id, bet.name, bet.rule) for bet in game.bets
        ]
    first, second = listed.game_types
    assert all(not bet.payouts for bet in first.bets)
    assert {bet.bet: [payout.odds for payout in bet.payouts] for bet in second.bets} == {
        "player": ["2.00"],
        "banker": ["1.95"],
        "tie": ["9.00"],
        "player-pair": ["12.00"],
        "banker-pair": ["12.00"],
    }
    (step,) = first.ladder
    assert [getattr(step, name) for name in ("from", "step", "to")] == ["1.01", "0.01", "1000.00"]


def test_game_types_come_in_pages(stub: PricingServiceStub) -> None:
    first = stub.ListGameTypes(pb.ListGameTypesRequest(page_size=1))
    second = stub.ListGameTypes(pb.ListGameTypesRequest(page_size=1, page_token=first.next_page_token))
    assert [game.name for page in (first, second) for game in page.game_types] == list(GAMES)
    assert first.next_page_token
    assert not second.next_page_token
