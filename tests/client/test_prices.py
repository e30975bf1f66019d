"""The client in Python against a server of its own."""

import asyncio

import pytest
from cli.calling import serving

from pricing.client.calls import Access, CallFailed
from pricing.client.messages import price_request
from pricing.client.prices import connected

GAME = "bet-on-baccarat"


def test_stream_answers_in_order_and_outlives_a_refusal() -> None:
    async def talk(address: str) -> None:
        async with connected(Access(address=address)) as client, client.stream() as stream:
            first = await stream.price(price_request(GAME, dealt=["9S"]), "1")
            with pytest.raises(CallFailed) as refused:
                await stream.price(price_request(GAME, dealt=["9S", "KX"]), "2")
            again = await stream.price(price_request(GAME, dealt=["9S"]), "3")
            alone = await client.price(price_request(GAME, dealt=["9S"]), timeout=10)
            assert first == again == alone
            assert (refused.value.code, refused.value.reason) == ("INVALID_ARGUMENT", "INVALID_CARD")
            ((field, description),) = refused.value.violations
            assert field == "dealt[1]"
            assert str(refused.value) == f"{field}: {description}"

    with serving() as address:
        asyncio.run(talk(address))


def test_refusal_of_a_call_carries_the_same() -> None:
    async def talk(address: str) -> None:
        async with connected(Access(address=address)) as client:
            with pytest.raises(CallFailed) as refused:
                await client.price(price_request(GAME, decks=13), timeout=10)
        assert (refused.value.code, refused.value.reason) == ("INVALID_ARGUMENT", "INVALID_SHOE")
        assert [field for field, _ in refused.value.violations] == ["shoe.decks"]

    with serving() as address:
        asyncio.run(talk(address))


def test_stream_of_a_server_that_is_not_there_fails() -> None:
    async def talk() -> None:
        async with connected(Access(address="127.0.0.1:1")) as client, client.stream() as stream:
            with pytest.raises(CallFailed) as failed:
                await stream.price(price_request(GAME), "1")
            assert failed.value.code == "UNAVAILABLE"

    asyncio.run(talk())
