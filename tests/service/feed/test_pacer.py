"""Turns to write: in order, urgent ones first, so many at a time, and nobody waits for who does not read."""

import asyncio
from collections.abc import Awaitable, Callable

from service.floors import eventually

from pricing.service.feed.pacer import Pacer


class Writer:
    """Notes its turns; done with each when it is told to be."""

    def __init__(self, pacer: Pacer, turns: list["Writer"]) -> None:
        self.pacer = pacer
        self.turns = turns

    def go(self) -> None:
        self.turns.append(self)

    def ask(self, *, urgent: bool = False) -> None:
        self.pacer.ask(self, urgent=urgent)

    def done(self) -> None:
        self.pacer.done(self)


def story(tell: Callable[[list[Writer], list[Writer]], Awaitable[None]], batch: int, pause: float = 0) -> None:
    """Eight who want to write, and the turns that they get."""

    async def run() -> None:
        pacer, turns = Pacer(batch, pause), list[Writer]()
        await tell([Writer(pacer, turns) for _ in range(8)], turns)

    asyncio.run(run())


def test_turns_come_in_order_and_urgent_ones_first() -> None:
    async def tell(writers: list[Writer], turns: list[Writer]) -> None:
        for number, writer in enumerate(writers):
            writer.ask(urgent=number in (3, 6))
        await eventually(lambda: len(turns) == 8)
        assert turns == [writers[number] for number in (3, 6, 0, 1, 2, 4, 5, 7)]

    story(tell, batch=8)


def test_no_more_are_under_way_than_may_be() -> None:
    """And the next come as soon as half of them are done."""

    async def tell(writers: list[Writer], turns: list[Writer]) -> None:
        for writer in writers:
            writer.ask()
        await eventually(lambda: turns)
        assert len(turns) == 4
        turns[0].done()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(turns) == 4
        turns[1].done()
        await eventually(lambda: len(turns) > 4)
        assert turns == writers[:6]

    story(tell, batch=4)


def test_those_who_do_not_read_hold_up_nobody_for_long() -> None:
    async def tell(writers: list[Writer], turns: list[Writer]) -> None:
        start = asyncio.get_running_loop().time()
        for writer in writers:
            writer.ask()
        await eventually(lambda: len(turns) == 8)
        assert 0.03 < asyncio.get_running_loop().time() - start < 1

    story(tell, batch=2)


def test_a_pause_goes_by_between_turns() -> None:
    async def tell(writers: list[Writer], turns: list[Writer]) -> None:
        start = asyncio.get_running_loop().time()
        for writer in writers:
            writer.ask()
        while len(turns) < 8:
            for writer in turns:
                writer.done()
            await asyncio.sleep(0)
        assert asyncio.get_running_loop().time() - start > 4 * 0.02

    story(tell, batch=2, pause=0.02)
