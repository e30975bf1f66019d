"""The journal fails: everything is held and said, nothing is half done, and all goes on by itself."""

import asyncio
import sqlite3
import time
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from service.floors import Hall, eventually, hall, tell
from service.serving import Refused, refused, server_process
from service.studio import GAME, Studio, holds, offers, open_round, whole_games

from pricing.baccarat.v1 import pricing_service_pb2, tables_pb2
from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub
from pricing.service.errors import EventIdReused, Forbidden, TableExists
from pricing.service.floor import records
from pricing.service.floor.joint import JointChange
from pricing.store.journal import JournalDamaged, JournalUnavailable
from pricing.store.reader import open_reader
from pricing.table import events
from pricing.table.decide import CardStateChanged
from pricing.table.state import Report

TABLES = "pricing.baccarat.v1.TableService"
SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING
BURN = events.CardBurned(0)
OPENED = events.GameOpened()


def health(channel: Any, service: str = TABLES) -> int:
    stub: Any = HealthStub(channel)
    status: int = stub.Check(HealthCheckRequest(service=service), timeout=10).status
    return status


def until_serving(channel: Any) -> None:
    give_up = time.monotonic() + 10
    while health(channel) != SERVING:
        assert time.monotonic() < give_up
        time.sleep(0.05)


def ids(folder: Path, table: str) -> list[str]:
    """The ids of a table's events in an intact journal."""
    with open_reader(folder) as journal:
        assert not list(journal.verify())
        return [row.event_id for row in journal.read(table)]


def test_a_database_locked_from_outside(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with server_process("--data", str(data)) as server, server.channel() as channel:
        studio = Studio(channel, "t").create()
        studio.say(game_opened={})
        event = studio.event(betting_closed={})
        stub: Any = HealthStub(channel)
        watching = stub.Watch(HealthCheckRequest(service=TABLES), timeout=60)
        assert next(watching).status == SERVING
        with closing(sqlite3.connect(data / "journal.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with refused(grpc.StatusCode.UNAVAILABLE, "JOURNAL_UNAVAILABLE") as found:
                studio.send(event)
            assert found[0].retry.retry_delay == Duration(seconds=1)
            assert "locked" in server.next_record("journal unavailable")["why"]
            assert next(watching).status == NOT_SERVING
            image = studio.look()
            assert (image.state, holds(image)) == (tables_pb2.TABLE_STATE_HELD, ["JOURNAL_UNAVAILABLE"])
            assert image.holds[0].since.seconds > 1_700_000_000
            assert set(offers(image, 1).values()) == {"SUSPENDED"}
            assert open_round(image) == 1
            assert server.metrics()["baccarat_pricing_journal_fault"] == 1
            assert server.metrics()['baccarat_pricing_tables{state="held"}'] == 1
            with refused(grpc.StatusCode.UNAVAILABLE, "JOURNAL_UNAVAILABLE"):
                Studio(channel, "new").create()
            # What needs no journal goes on.
            assert health(channel, "pricing.baccarat.v1.PricingService") == SERVING
            price = pricing_service_pb2.PriceRequest(game_type=GAME.name)
            assert PricingServiceStub(channel).Price(price).total_ways
            time.sleep(1.5)
            assert health(channel) == NOT_SERVING
        assert next(watching).status == SERVING
        server.next_record("journal available")
        assert set(offers(studio.look(), 1).values()) == {"ACTIVE"}
        assert not studio.send(event).duplicate
        assert studio.send(event).duplicate
        Studio(channel, "new").create()
        assert server.metrics()["baccarat_pricing_journal_fault"] == 0
    assert ids(data, "t") == ["made", "e1", "e2", "e3"]


def test_what_waits_behind_an_event_that_failed_fails_with_it(tmp_path: Path) -> None:
    """On a stream: else it would be taken out of its order once the journal is back."""
    data = tmp_path / "data"
    with server_process("--data", str(data)) as server, server.channel() as channel:
        studio = Studio(channel, "t").create(shoe=False)
        sent = [pb.StreamEventsRequest(event=event) for event in islice(whole_games("t"), 30)]
        with closing(sqlite3.connect(data / "journal.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answers = list(studio.stub.StreamEvents(iter(sent)))
        assert {answer.error.reason for answer in answers} == {"JOURNAL_UNAVAILABLE"}
        answers = list(studio.stub.StreamEvents(iter(sent)))
        assert [answer.receipt.position for answer in answers] == list(range(2, 32))
        assert not any(answer.receipt.HasField("refusal") or answer.receipt.duplicate for answer in answers)


def test_a_full_disk(tiny: Path) -> None:
    """Twice in one run of the server: what was acknowledged is there, what was not is taken when it is sent again."""
    data, ballast = tiny / "data", tiny / "ballast"
    with server_process("--data", str(data)) as server, server.channel() as channel:
        studio = Studio(channel, "t").create(shoe=False)
        script = whole_games("t")
        sent = ["made"]
        for _ in range(2):
            _fill(ballast)
            refusals = 0
            while not refusals:
                event = next(script)
                try:
                    studio.send(event)
                except grpc.RpcError as error:
                    refusals += 1
                    assert Refused(error).info.reason == "JOURNAL_UNAVAILABLE"  # noqa: PT017
                sent.append(event.event_id)
            image = studio.look()
            assert "JOURNAL_UNAVAILABLE" in holds(image)
            assert image.position == len(sent) - 1
            assert health(channel) == NOT_SERVING
            ballast.unlink()
            until_serving(channel)
            studio.send(event)
            for _ in range(50):
                event = next(script)
                assert not studio.send(event).HasField("refusal")
                sent.append(event.event_id)
        assert studio.look().state == tables_pb2.TABLE_STATE_OPEN
    assert ids(data, "t") == sent


def _fill(ballast: Path) -> None:
    """Leave next to no space."""
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)) == 4096:
            pass


def test_an_event_whose_answer_was_lost_and_that_is_sent_again(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        report = hall.report(BURN)
        hall.journal.lose_answers()
        with pytest.raises(JournalUnavailable):
            await hall.floor.submit("t", report)
        assert hall.image().position == 2
        hall.journal.work()
        receipt = await hall.floor.submit("t", report)
        assert (receipt.duplicate, receipt.position) == (True, 3)
        assert (hall.image().position, hall.image().shoe.drawn) == (3, 1)
        await hall.say(BURN)
        assert hall.rows() == ["table_created", "shoe_loaded", "card_burned", "card_burned"]

    tell(story, tmp_path)


def test_an_event_whose_answer_was_lost_and_that_is_followed_by_another(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        hall.journal.lose_answers()
        with pytest.raises(JournalUnavailable):
            await hall.floor.submit("t", hall.report(BURN))
        hall.journal.work()
        assert (await hall.say(BURN)).position == 4
        assert hall.image().shoe.drawn == 2
        assert not hall.image().holds or hall.image().holds[0].reason == "JOURNAL_UNAVAILABLE"

    tell(story, tmp_path)


def test_an_event_whose_answer_was_lost_and_that_comes_to_light_late(tmp_path: Path) -> None:
    """Nobody can read it yet when the next event is looked at, but that one cannot take its place."""

    async def story(hall: Hall) -> None:
        hall.journal.lose_answers(hidden=True)
        with pytest.raises(JournalUnavailable):
            await hall.floor.submit("t", hall.report(BURN))
        hall.journal.work()
        assert (await hall.say(BURN)).position == 4
        assert (hall.image().position, hall.image().shoe.drawn) == (4, 2)

    tell(story, tmp_path)


def test_what_waits_behind_a_failed_event_is_not_taken_even_if_it_could_be(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        hall.journal.fail(once=True)
        reports = [hall.report(BURN) for _ in range(3)]
        answers = await asyncio.gather(*(hall.floor.submit("t", report) for report in reports), return_exceptions=True)
        assert [type(answer) for answer in answers] == [JournalUnavailable] * 3
        assert [(await hall.floor.submit("t", report)).position for report in reports] == [3, 4, 5]

    tell(story, tmp_path)


def test_an_event_told_again_beside_new_ones_of_other_tables(tmp_path: Path) -> None:
    """They are handed over together, and then none of them is written; each gets its own answer all the same."""

    async def story(hall: Hall) -> None:
        names = [f"u{number}" for number in range(5)]
        for name in names:
            await hall.create(name)
        again = hall.report(BURN)
        first = await hall.floor.submit("t", again)
        told = [
            hall.floor.submit(name, Report("e", events.Notice(events.NoticeKind.BREAK, ""), "s", True))
            for name in names
        ]
        last = await hall.floor.submit("t", again)
        assert last == first._replace(duplicate=True)
        assert [(await answer).position for answer in told] == [2] * 5

    tell(story, tmp_path)


def test_a_table_is_known_although_its_maker_went_away(tmp_path: Path) -> None:
    async def run() -> None:
        async with hall(tmp_path) as found:
            for number in range(12):
                making = asyncio.create_task(found.create(f"t{number}"))
                for _ in range(number):
                    await asyncio.sleep(0)
                making.cancel()
            await asyncio.sleep(0.1)
            known = [table.name for table in found.floor.tables()]
            assert known == [name for name, _ in found.journal.tables()]
            assert len(known) > 6

    asyncio.run(run())


def test_an_event_whose_answer_was_lost_is_seen_once_the_journal_is_back(tmp_path: Path) -> None:
    """Nothing is offered by a table that does not know of a card."""

    async def story(hall: Hall) -> None:
        await hall.say(OPENED)
        hall.journal.lose_answers()
        with pytest.raises(JournalUnavailable):
            await hall.floor.submit("t", hall.report(BURN))
        assert holds(hall.image()) == ["JOURNAL_UNAVAILABLE"]
        hall.journal.work()
        await hall.recovered()
        assert (hall.image().position, hall.image().shoe.drawn, holds(hall.image())) == (4, 1, [])
        assert hall.outages == ["I/O error", ""]

    tell(story, tmp_path)


def test_a_refused_event_whose_answer_was_lost(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        report = hall.report(events.CardDealt(0, None))
        hall.journal.lose_answers()
        with pytest.raises(JournalUnavailable):
            await hall.floor.submit("t", report)
        hall.journal.work()
        receipt = await hall.floor.submit("t", report)
        assert (receipt.duplicate, receipt.refusal and receipt.refusal.reason) == (True, "NO_GAME")
        assert "REFUSED_EVENT" in holds(hall.image())

    tell(story, tmp_path)


def test_a_table_whose_making_seemed_to_fail(tmp_path: Path) -> None:
    async def run() -> None:
        async with hall(tmp_path) as found:
            found.journal.lose_answers()
            for name in ("a", "b"):
                with pytest.raises(JournalUnavailable):
                    await found.create(name)
            found.journal.work()
            await found.create("a")
            with pytest.raises(TableExists):
                await found.floor.create(_wanted("b"), event_id="another", actor="admin")
            assert [table.name for table in found.floor.tables()] == ["a", "b"]

    asyncio.run(run())


def _wanted(name: str) -> Any:
    from pricing.service.floor.maker import NewTable

    return NewTable(name, GAME.name, False, ())


def test_many_make_one_table_at_once(tmp_path: Path) -> None:
    async def run() -> None:
        async with hall(tmp_path) as found:
            making = [
                found.floor.create(_wanted("a"), event_id=event_id, actor="admin") for event_id in ("one", "two") * 5
            ]
            made = await asyncio.gather(*making, return_exceptions=True)
            assert sum(isinstance(each, TableExists) for each in made) == 5
            assert [row.event_id for row in found.journal.read("a")] == ["one"]

    asyncio.run(run())


def test_a_restart_that_cannot_be_written_down(tmp_path: Path) -> None:
    """The tables are held all the same; what they owe is written down before anything else."""

    async def run() -> None:
        async with hall(tmp_path) as first:
            for name in ("t", "u"):
                await first.create(name)
            await first.say(events.ShoeLoaded("", 0), OPENED)
        second = Hall(type(first.journal)(tmp_path / "data"), first.clock)
        second.journal.fail()
        second.number = 2
        await second.floor.open()
        assert (holds(second.image()), open_round(second.image())) == (["JOURNAL_UNAVAILABLE"], 1)
        second.journal.work()
        await second.say(BURN)  # continues the source's numbers, and comes before the probe
        assert second.rows()[-2:] == ["restarted", "card_burned"]
        await second.recovered()
        assert (holds(second.image()), open_round(second.image())) == ([], 0)
        assert [row.kind for row in second.journal.read("u")] == ["table_created", "restarted"]
        await second.floor.close()

    asyncio.run(run())


def test_a_restart_whose_answer_was_lost(tmp_path: Path) -> None:
    async def run() -> None:
        async with hall(tmp_path) as first:
            await first.create()
        second = Hall(type(first.journal)(tmp_path / "data"), first.clock)
        second.journal.lose_answers()
        await second.floor.open()
        second.journal.work()
        await second.recovered()
        assert (second.rows(), holds(second.image())) == (["table_created", "restarted"], ["RESTART"])
        await second.floor.close()

    asyncio.run(run())


def test_a_journal_that_is_damaged_is_not_tried_again(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        hall.journal.before = JournalDamaged("a page is torn")
        with pytest.raises(JournalDamaged):
            await hall.floor.submit("t", hall.report(BURN))
        hall.journal.work()
        await asyncio.sleep(1.2)
        assert holds(hall.image()) == ["JOURNAL_UNAVAILABLE"]
        assert hall.outages == ["a page is torn"]

    tell(story, tmp_path)


def test_rows_that_went_missing_are_no_endless_search(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        desk = hall.floor._desks["t"]
        desk.table = desk.table._replace(position=9)
        with pytest.raises(JournalDamaged, match="missing"):
            await hall.floor.submit("t", hall.report(BURN))

    tell(story, tmp_path)


def test_a_fault_of_ours_at_a_studio_s_event_holds_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(hall: Hall) -> None:
        apply = records.apply  # type: ignore[attr-defined]  # imported there

        def broken(table: Any, entry: Any, types: Any) -> Any:
            if isinstance(entry.event, events.CardBurned):
                raise LookupError("a bug")
            return apply(table, entry, types)

        with monkeypatch.context() as patched:
            patched.setattr(records, "apply", broken)
            with pytest.raises(LookupError):
                await hall.floor.submit("t", hall.report(BURN))
            await eventually(lambda: hall.image().holds)
        assert holds(hall.image()) == ["INTERNAL_ERROR"]
        await hall.floor.submit("t", hall.report(events.Resumed(), source_number=2))
        assert holds(hall.image()) == []

    tell(story, tmp_path)


def test_a_journal_that_does_not_answer_holds_every_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The studio has closed betting, and nobody can know."""
    monkeypatch.setattr("pricing.service.floor.outage.HANGS", 0.3)

    async def story(hall: Hall) -> None:
        await hall.say(events.GameOpened())
        hall.journal.hang()
        closing = hall.floor.submit("t", hall.report(events.BettingClosed(None)))
        await eventually(lambda: hall.floor.outage.since is not None)
        assert hall.outages == ["the journal has not answered for 0.3 seconds"]
        assert holds(hall.image()) == ["JOURNAL_UNAVAILABLE"]
        assert set(offers(hall.image(), 1).values()) == {"SUSPENDED"}
        hall.journal.go_on()
        assert (await closing).refusal is None
        await hall.recovered()
        assert holds(hall.image()) == []
        assert open_round(hall.image()) == 0
        await asyncio.sleep(0.5)
        assert hall.floor.outage.since is None

    tell(story, tmp_path)


def test_a_trader_s_hold_that_hangs_holds_every_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What several tables wait for is waited for like any event."""
    monkeypatch.setattr("pricing.service.floor.outage.HANGS", 0.3)

    async def story(hall: Hall) -> None:
        await hall.say(events.GameOpened())
        hall.journal.hang()
        hold = Report("panic", events.HoldPlaced(events.HoldOwner.TRADER, "PANIC", everywhere=True), "trader")
        holding = asyncio.create_task(hall.floor.joint.change(JointChange(hold, None, lambda _table: None)))
        closing = hall.floor.submit("t", hall.report(events.BettingClosed(None)))
        await eventually(lambda: hall.floor.outage.since is not None)
        assert hall.floor.append_waits > 0.3
        assert holds(hall.image()) == ["JOURNAL_UNAVAILABLE"]
        hall.journal.go_on()
        assert [receipt.table for receipt in await holding] == ["t"]
        assert (await closing).refusal is None
        await hall.recovered()
        assert holds(hall.image()) == ["PANIC"]

    tell(story, tmp_path)


def test_what_is_in_the_journal_already_is_no_answer_of_it(tmp_path: Path) -> None:
    """Shoes that are loaded elsewhere, of a game type that is known, do not hide that it hangs."""

    async def story(hall: Hall) -> None:
        await hall.create("u")
        hall.journal.hang()
        waiting = [hall.floor.submit("t", hall.report(events.GameOpened()))]
        await asyncio.sleep(0.2)
        waiting.append(hall.floor.submit("u", hall.report(events.ShoeLoaded("", 0), source_number=1)))
        await asyncio.sleep(0.02)
        waits = hall.floor.append_waits
        hall.journal.go_on()
        await asyncio.gather(*waiting)
        assert waits > 0.2
        assert hall.floor.append_waits == 0

    tell(story, tmp_path)


def test_errors_of_the_caller_hold_nothing(tmp_path: Path) -> None:
    async def story(hall: Hall) -> None:
        for report, error in (
            (hall.report(BURN, expected_card_state=99), CardStateChanged),
            (hall.report(BURN, event_id="made"), EventIdReused),
            (hall.report(events.HoldLifted(events.HoldOwner.TRADER, "x"), studio=False), Forbidden),
        ):
            with pytest.raises(error):
                await hall.floor.submit("t", report)
        await asyncio.sleep(0.01)
        assert not hall.image().holds
        assert hall.rows() == ["table_created", "shoe_loaded"]

    tell(story, tmp_path)
