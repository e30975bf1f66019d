"""The clock closes betting rounds: in time, once, whatever becomes of the clock and of the journal."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from service.floors import SECOND, START, Hall, eventually, hall
from service.studio import open_round, rounds

from pricing.table import events

WINDOWS_MS = (15_000, 10_000, 5_000)
OPENED = events.GameOpened()
CLOSED = events.BettingClosed(None)
CARD = events.CardDealt(0, None)


def play(folder: Path, story: Callable[[Hall], Awaitable[None]]) -> None:
    """A table whose first round has just opened."""

    async def run() -> None:
        async with hall(folder) as found:
            await found.create(windows_ms=WINDOWS_MS)
            await found.say(events.ShoeLoaded("", 0), OPENED)
            await story(found)

    asyncio.run(run())


async def nothing_more_happens(hall: Hall) -> None:
    rows = hall.rows()
    await asyncio.sleep(0.02)
    assert hall.rows() == rows


def test_each_round_closes_when_its_window_is_over(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        for number, window_ms in enumerate(WINDOWS_MS, 1):
            image = hall.image().game.rounds[number - 1]
            assert image.close_time.ToMicroseconds() - image.open_time.ToMicroseconds() == window_ms * 1000
            hall.clock.wait(window_ms * 1000 - 1)
            await nothing_more_happens(hall)
            hall.clock.wait(1)
            await eventually(lambda: not open_round(hall.image()))
            assert hall.rows()[-1] == "window_ended"
            await hall.say(CARD)
        assert rounds(hall.image()) == ["CLOSED"] * 3

    play(tmp_path, story)


def test_a_round_that_an_event_closes_is_not_closed_again(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        await hall.say(CLOSED, CARD)
        hall.clock.wait(9 * SECOND)
        await nothing_more_happens(hall)
        assert open_round(hall.image()) == 2
        await hall.say(CLOSED)  # at the same time as the clock, and after it, does no harm
        hall.clock.wait(60 * SECOND)
        await nothing_more_happens(hall)
        await hall.say(CLOSED)

    play(tmp_path, story)


def test_other_events_do_not_make_a_window_longer(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        for _ in range(14):
            hall.clock.wait(SECOND)
            await hall.say(events.CardBurned(1))
        assert open_round(hall.image()) == 1
        hall.clock.wait(SECOND)
        await eventually(lambda: not open_round(hall.image()))

    play(tmp_path, story)


def test_a_clock_that_goes_back_makes_no_window_longer(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        hall.clock.time -= 3600 * SECOND
        hall.clock.wait(10 * SECOND)
        await hall.say(events.CardBurned(1))
        hall.clock.wait(5 * SECOND)
        await eventually(lambda: not open_round(hall.image()))
        await hall.say(CARD)  # the second round opens while the clock is behind
        hall.clock.wait(10 * SECOND)
        await eventually(lambda: not open_round(hall.image()))
        hall.clock.time += 7200 * SECOND
        await hall.say(CARD)
        assert open_round(hall.image()) == 3
        hall.clock.wait(5 * SECOND)
        await eventually(lambda: not open_round(hall.image()))
        times = [row.recorded_time for row in hall.journal.read("t")]
        assert times == sorted(times)
        assert times[0] == START

    play(tmp_path, story)


def test_recorded_times_do_not_fall_over_a_restart(tmp_path: Path) -> None:
    async def story(first: Hall) -> None:
        first.clock.wait(SECOND)
        await first.say(CLOSED)

    play(tmp_path, story)

    async def again() -> None:
        async with hall(tmp_path) as second:  # whose clock begins where the first one's began
            second.number = 3
            await second.say(CARD)
            times = [row.recorded_time for row in second.journal.read("t")]
            assert times == sorted(times)
            assert open_round(second.image()) == 2
            second.clock.wait(10 * SECOND)
            await eventually(lambda: not open_round(second.image()))

    asyncio.run(again())


def test_a_window_that_ends_while_the_journal_takes_nothing(tmp_path: Path) -> None:
    """The table is held at once, and until the round is closed."""

    async def story(hall: Hall) -> None:
        hall.journal.fail()
        hall.clock.wait(15 * SECOND)
        await eventually(lambda: hall.image().holds)
        assert hall.image().holds[0].reason == "JOURNAL_UNAVAILABLE"
        assert hall.outages == ["the disk is full"]
        for _ in range(3):
            hall.clock.wait(SECOND)
            await nothing_more_happens(hall)
        hall.journal.work()
        await hall.recovered()
        assert not open_round(hall.image())
        assert hall.rows().count("window_ended") == 1

    play(tmp_path, story)


def test_a_window_whose_end_is_written_down_unnoticed(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        hall.journal.lose_answers()
        hall.clock.wait(15 * SECOND)
        await eventually(lambda: hall.image().holds)
        hall.journal.work()
        await hall.recovered()
        assert not open_round(hall.image())
        hall.clock.wait(60 * SECOND)
        await nothing_more_happens(hall)
        assert hall.rows().count("window_ended") == 1

    play(tmp_path, story)


def test_a_card_expects_the_same_card_state_after_the_clock_has_closed_the_round(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        seen = hall.image().card_state
        hall.clock.wait(15 * SECOND)
        await eventually(lambda: not open_round(hall.image()))
        receipt = await hall.floor.submit("t", hall.report(CARD, expected_card_state=seen))
        assert receipt.refusal is None

    play(tmp_path, story)
