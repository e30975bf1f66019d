"""Events over streams: in order, many in flight, from several writers, and with callers that go away."""

import asyncio
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pytest
from service.serving import Refused, ServerProcess, refused, server_process
from service.studio import BY_EVENT, GAME, Studio, event_of, whole_games

from pricing.baccarat.v1 import table_service_pb2 as pb
from pricing.baccarat.v1.table_service_pb2_grpc import TableServiceStub
from pricing.store.reader import open_reader


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[ServerProcess]:
    with server_process("--data", str(data), "--write-timeout", "1") as running:
        yield running


@pytest.fixture
def channel(server: ServerProcess) -> Iterator[Any]:
    with server.channel() as channel:
        yield channel


def journalled(data: Path, table: str) -> list[str]:
    """The ids of a table's events, but its first, in their order; the positions have no gap."""
    with open_reader(data) as journal:
        rows = list(journal.read(table))
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    return [row.event_id for row in rows[1:]]


def requests(events: Iterator[pb.TableEvent]) -> Iterator[pb.StreamEventsRequest]:
    return (pb.StreamEventsRequest(event=event) for event in events)


def test_events_of_one_table_are_taken_in_the_order_they_were_sent(channel: Any, data: Path) -> None:
    """Far more of them than the server reads ahead, and all of them in flight as far as the client goes."""
    events = list(islice(whole_games("ordered"), 1500))
    Studio(channel, "ordered").create(shoe=False)
    answers = list(TableServiceStub(channel).StreamEvents(requests(iter(events))))
    assert [answer.event_id for answer in answers] == [event.event_id for event in events]
    assert [answer.receipt.position for answer in answers] == list(range(2, 1502))
    assert not any(answer.receipt.HasField("refusal") for answer in answers)
    assert journalled(data, "ordered") == [event.event_id for event in events]


def test_one_stream_serves_many_tables_and_survives_wrong_events(channel: Any, data: Path) -> None:
    names = [f"many-{number}" for number in range(20)]
    for name in names:
        Studio(channel, name).create(shoe=False)
    events = [event for some in zip(*(islice(whole_games(name), 40) for name in names), strict=True) for event in some]
    wrong = [
        (pb.TableEvent(table="many-0", event_id="w1"), "INVALID_EVENT"),
        (event_of("no-such", "w2", game_opened={}), "UNKNOWN_TABLE"),
        (event_of("many-0", "made", game_opened={}), "EVENT_ID_REUSED"),
        (event_of("many-1", "w3", cut_card_seen={}, expected_card_state=99), "CARD_STATE_CHANGED"),
    ]
    sent = [*events[:400], *(event for event, _ in wrong), *events[400:]]
    answers = list(TableServiceStub(channel).StreamEvents(requests(iter(sent))))
    found = {answer.event_id: answer.error for answer in answers if answer.HasField("error")}
    assert {event_id: error.reason for event_id, error in found.items()} == {
        event.event_id: reason for event, reason in wrong
    }
    assert found["w1"].field_violations[0].field == "event"
    assert found["w3"].code == grpc.StatusCode.ABORTED.value[0]
    assert found["w3"].metadata["expected_card_state"]
    assert len(answers) == len(sent)
    for name in names:
        assert journalled(data, name) == [event.event_id for event in events if event.table == name]


def test_events_that_are_too_large_are_not_kept_waiting(channel: Any) -> None:
    sent = [pb.TableEvent(table="none", event_id="x" * 900_000)] * 3
    answers = list(TableServiceStub(channel).StreamEvents(requests(iter(sent)), timeout=30))
    assert [answer.error.reason for answer in answers] == ["INVALID_EVENT"] * 3
    assert {answer.event_id for answer in answers} == {"x" * 128}
    assert "at most 16384" in answers[0].error.message


def test_two_writers_racing_on_one_table(server: ServerProcess, data: Path) -> None:
    """Both say every event of the same games, at once: each is taken once, and each writer is told so."""
    events = list(islice(whole_games("raced"), 400))
    with server.channel() as channel:
        Studio(channel, "raced").create(shoe=False)
    told: dict[int, list[pb.EventReceipt]] = {}

    def write(writer: int) -> None:
        with server.channel(**{"grpc.use_local_subchannel_pool": 1}) as channel:
            stub: Any = TableServiceStub(channel)
            told[writer] = [stub.RecordEvent(pb.RecordEventRequest(event=event)).receipt for event in events]

    writers = [threading.Thread(target=write, args=[writer]) for writer in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert journalled(data, "raced") == [event.event_id for event in events]
    for first, second in zip(told[0], told[1], strict=True):
        assert first.duplicate != second.duplicate
        first.duplicate = second.duplicate = False
        assert first == second


def test_two_writers_of_different_events_by_the_card_state(server: ServerProcess, data: Path) -> None:
    """Each looks, says what it sees, and says it again when the other was faster: nothing is lost or taken twice."""
    with server.channel() as channel:
        Studio(channel, "both").create()

    def burn(writer: int) -> None:
        with server.channel(**{"grpc.use_local_subchannel_pool": 1}) as channel:
            stub: Any = TableServiceStub(channel)
            state = 1
            for number in range(40):
                while True:
                    event = event_of(
                        "both", f"{writer}-{number}", expected_card_state=state, card_burned={"card": "AS"}
                    )
                    try:
                        state = stub.RecordEvent(pb.RecordEventRequest(event=event)).receipt.card_state
                        break
                    except grpc.RpcError as error:
                        state = int(Refused(error).info.metadata["expected_card_state"])

    writers = [threading.Thread(target=burn, args=[writer]) for writer in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    ids = journalled(data, "both")[1:]
    assert sorted(ids) == sorted(f"{writer}-{number}" for writer in range(2) for number in range(40))
    with server.channel() as channel:
        assert Studio(channel, "both").look().card_state == 81


def test_a_caller_that_goes_away_leaves_its_events_taken(server: ServerProcess, data: Path) -> None:
    """Calls are cancelled at all moments. What is in the journal is a beginning of what was sent, and can go on."""
    events = list(islice(whole_games("left"), 2000))

    async def send_and_leave() -> None:
        done = 0
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub: Any = TableServiceStub(channel)
            for number in range(60):
                call = stub.StreamEvents()
                for event in events[done : done + 30]:
                    await call.write(pb.StreamEventsRequest(event=event))
                await asyncio.sleep(number * 0.0004)
                call.cancel()
                image = (await stub.GetTable(pb.GetTableRequest(table="left"))).table
                done = max(0, image.position - 1)
            calls = [stub.RecordEvent(pb.RecordEventRequest(event=events[done]), timeout=0.0001) for _ in range(3)]
            await asyncio.gather(*calls, return_exceptions=True)

    with server.channel() as channel:
        studio = Studio(channel, "left").create(shoe=False)
        asyncio.run(send_and_leave())
        time.sleep(0.1)
        taken = journalled(data, "left")
        assert taken == [event.event_id for event in events[: len(taken)]]
        assert len(taken) > 60
        for event in events[: len(taken) + 20]:
            receipt = studio.send(event)
            assert not receipt.HasField("refusal")
        assert server.metrics()[_in_flight("StreamEvents")] == 0


def _in_flight(method: str) -> str:
    service = "pricing.baccarat.v1.TableService"
    kind = "bidi_stream" if method == "StreamEvents" else "unary"
    return f'grpc_server_in_flight_calls{{grpc_method="{method}",grpc_service="{service}",grpc_type="{kind}"}}'


def test_a_table_is_made_although_its_caller_goes_away(server: ServerProcess) -> None:
    async def leave() -> None:
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub: Any = TableServiceStub(channel)
            for number in range(20):
                call = stub.CreateTable(
                    pb.CreateTableRequest(
                        table=f"orphan-{number}", game_type=GAME.name, event_id="made", round_windows_ms=BY_EVENT
                    )
                )
                await asyncio.sleep(number * 0.0002)
                call.cancel()

    asyncio.run(leave())
    with server.channel() as channel:
        for number in range(20):
            studio = Studio(channel, f"orphan-{number}").create()
            assert studio.look().position == 2


def test_a_reader_that_takes_nothing_is_sent_away(server: ServerProcess, data: Path) -> None:
    """Its stream ends; what was read of it is taken; no other writer waits for it."""
    with server.channel() as channel:
        Studio(channel, "slow").create(shoe=False)
        other = Studio(channel, "quick").create()
        events = list(islice(whole_games("slow"), 4000))
        with server.channel(**{"grpc.http2.bdp_probe": 0, "grpc.http2.lookahead_bytes": 4096}) as slow:
            stream = TableServiceStub(slow).StreamEvents(requests(iter(events)))
            next(stream)
            give_up = time.monotonic() + 10
            while server.metrics()[_in_flight("StreamEvents")] and time.monotonic() < give_up:
                start = time.monotonic()
                other.say(notice={"kind": "NOTICE_KIND_BREAK"})
                assert time.monotonic() - start < 0.5
                time.sleep(0.05)
            with refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "SLOW_READER"):
                list(stream)
        taken = journalled(data, "slow")
        assert 100 < len(taken) < 4000
        assert taken == [event.event_id for event in events[: len(taken)]]


def test_a_stream_without_a_pause_is_ended_by_a_drain() -> None:
    """What was taken is in the journal, each once and in order; the caller is told to come again."""
    with server_process() as server, server.channel() as channel:
        studio = Studio(channel, "drained").create(shoe=False)
        events = list(islice(whole_games("drained"), 20_000))
        answers = []
        with refused(grpc.StatusCode.UNAVAILABLE) as found:
            for answer in studio.stub.StreamEvents(requests(iter(events))):
                answers.append(answer.event_id)
                if len(answers) == 200:
                    threading.Thread(target=server.stop).start()
        server.process.wait(10)
        # A client that is busy just then may hear it from gRPC's core, or lose the connection, instead of hearing us.
        assert found[0].info.reason in ("DRAINING", "")
        assert answers == [event.event_id for event in events[: len(answers)]]
        with open_reader(server.data) as journal:
            taken = [row.event_id for row in journal.read("drained", after=1)]
            assert not list(journal.verify())
        assert answers == taken[: len(answers)]
        assert taken == [event.event_id for event in events[: len(taken)]]
