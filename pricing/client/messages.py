"""The contract's messages from plain values and back."""

from collections.abc import Sequence
from typing import Final

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message

from pricing.baccarat.v1.pricing_service_pb2 import PriceRequest, PriceResponse
from pricing.baccarat.v1.types_pb2 import CardCount, RemainingCards, RemovedCards, Shoe
from pricing.domain.errors import InvalidShoe

_INT32: Final = range(-(2**31), 2**31)


def price_request(  # noqa: PLR0913 - the fields of the message
    game: str,
    *,
    dealt: Sequence[str] = (),
    removed: Sequence[str] | None = None,
    remaining: Sequence[tuple[str, object]] | None = None,
    decks: int | None = None,
    unseen_removed: int = 0,
) -> PriceRequest:
    """Ask for one state of a coup; what may be absent from the message is absent where nothing is given.

    >>> price_request("bet-on-baccarat", dealt=["9S"]).HasField("shoe")
    False
    >>> price_request("bet-on-baccarat", remaining=[("AS", 2**31)])
    Traceback (most recent call last):
    pricing.domain.errors.InvalidShoe: remaining[0].count: got 2147483648; allowed: a whole number of 32 bits

    Raises:
        InvalidShoe: A number that the message cannot hold.
    """
    request = PriceRequest(game_type=game, dealt=dealt)
    if decks is not None:
        request.shoe.decks = _int32(decks, "decks")
    if removed is not None:
        request.shoe.removed.CopyFrom(RemovedCards(cards=removed))
    if remaining is not None:
        cards = [
            CardCount(card=card, count=_int32(count, f"remaining[{place}].count"))
            for place, (card, count) in enumerate(remaining)
        ]
        request.shoe.remaining.CopyFrom(RemainingCards(cards=cards))
    if unseen_removed:
        request.shoe.MergeFrom(Shoe(unseen_removed=_int32(unseen_removed, "unseen_removed")))
    return request


def price_json(response: PriceResponse) -> str:
    """The answer in protobuf's JSON mapping, fields at their defaults included; 64-bit numbers are strings in it."""
    return MessageToJson(response, always_print_fields_with_no_presence=True)


def _int32(value: object, field: str) -> int:
    if not isinstance(value, int) or value not in _INT32:
        raise InvalidShoe(field, value, "a whole number of 32 bits")
    return value


def line_of_json(message: Message) -> str:
    """A message in protobuf's JSON, on one line."""
    return MessageToJson(message, indent=None, always_print_fields_with_no_presence=True)


def word(name: str) -> str:
    """The word of a value of the contract, without the name of its kind.

    >>> word("SHOE_STATE_LAST_GAME")
    'last game'
    """
    return name.split("_", 2)[2].replace("_", " ").lower()
