"""What every call goes through, with methods made to go wrong."""

import asyncio
import gc
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import pytest
from service.serving import Refused

from pricing.service.calls.call import CURRENT, caller
from pricing.service.calls.tokens import entry
from pricing.service.roles import Role
from pricing.service.server.server import RunningServer, running
from pricing.service.servicers import served
from pricing.service.servicers.served import Service
from pricing.service.settings import Settings

_usual = served.services


class Odd:
    """Methods that take and give bytes as they are."""

    def __init__(self) -> None:
        self.cleaned_up = 0
        self.release = asyncio.Event()

    async def Who(self, request: bytes, context: object) -> bytes:
        return f"{caller().name} {caller().role} {CURRENT.get().request_id}".encode()

    async def Break(self, request: bytes, context: object) -> bytes:
        raise RuntimeError(f"the secret is {request.decode()}")

    async def Wait(self, request: bytes, context: object) -> bytes:
        try:
            await self.release.wait()
            return b"released"
        finally:
            self.cleaned_up += 1

    async def Forever(self, request_iterator: object, context: "grpc.aio.ServicerContext[bytes, bytes]") -> None:
        try:
            await context.write(b"here")
            await asyncio.Event().wait()
        finally:
            self.cleaned_up += 1

    async def Breaks(self, request: bytes, context: object) -> AsyncIterator[bytes]:
        yield b"one"
        raise RuntimeError("the secret is out")

    def add(self, to: Any) -> None:
        make: dict[str, Any] = {
            "Who": grpc.unary_unary_rpc_method_handler,
            "Break": grpc.unary_unary_rpc_method_handler,
            "Wait": grpc.unary_unary_rpc_method_handler,
            "Forever": grpc.stream_stream_rpc_method_handler,
            "Breaks": grpc.unary_stream_rpc_method_handler,
        }
        handlers = {name: kind(getattr(self, name)) for name, kind in make.items()}
        to.add_registered_method_handlers("test.Odd", handlers)


@asynccontextmanager
async def odd(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> AsyncIterator[tuple[Odd, RunningServer, Any]]:
    methods = Odd()
    service = Service("test.Odd", lambda servicer, to: servicer.add(to), methods)
    monkeypatch.setattr(served, "services", lambda *given: [*_usual(*given), service])
    with TemporaryDirectory() as data:
        given = {"listen": "127.0.0.1:0", "http": "off", "grace": 2.0, "data": Path(data), **settings}
        async with running(Settings(**given)) as server, grpc.aio.insecure_channel(server.address) as channel:
            yield methods, server, channel


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 60))


async def failure(call: Any) -> Refused:
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return Refused(error)
    raise AssertionError("the call did not fail")


async def until(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not check():
            await asyncio.sleep(0.01)


def sample(server: RunningServer, name: str, **labels: str) -> float:
    return server.metrics.registry.get_sample_value(name, labels) or 0.0


def odd_sample(server: RunningServer, name: str, method: str, shape: str = "unary", **labels: str) -> float:
    return sample(server, name, grpc_type=shape, grpc_service="test.Odd", grpc_method=method, **labels)


def handled(server: RunningServer, method: str, code: str) -> float:
    return odd_sample(server, "grpc_server_handled_total", method, grpc_code=code)


def test_callers_and_request_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with odd(monkeypatch) as (_, _, channel):
            who = channel.unary_unary("/test.Odd/Who")
            name, role, first = (await who(b"")).decode().split()
            assert (name, role, len(first)) == ("anonymous", "admin", 32)
            assert (await who(b"")).decode().split()[2] != first
            given = (await who(b"", metadata=[("x-request-id", "order-66")])).decode().split()
            assert given[2] == "order-66"
            forged = (await who(b"", metadata=[("x-request-id", "a b")])).decode().split()
            assert len(forged[2]) == 32

    run(main())


def test_role_too_low(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "callers.toml"
    file.write_text("\n".join(entry(role, role, f"token of {role}") for role in Role))

    async def main() -> None:
        async with odd(monkeypatch, tokens=file) as (_, server, channel):
            for path, stream in (("Who", False), ("Forever", True)):
                method = channel.stream_stream if stream else channel.unary_unary
                for role in set(Role) - {Role.ADMIN}:
                    metadata = [("authorization", f"Bearer token of {role}")]
                    given: Any = iter(()) if stream else b""
                    call: Any = method(f"/test.Odd/{path}")(given, metadata=metadata)
                    found = await failure(call.read() if stream else call)
                    assert (found.code, found.info.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_TOO_LOW")
            answer = await channel.unary_unary("/test.Odd/Who")(
                b"", metadata=[("authorization", "Bearer token of admin")]
            )
            assert answer.startswith(b"admin admin")
            assert (
                sample(
                    server,
                    "baccarat_pricing_errors_total",
                    grpc_service="test.Odd",
                    grpc_method="Who",
                    reason="ROLE_TOO_LOW",
                )
                == 3
            )

    run(main())


def test_unforeseen_errors_are_logged_and_not_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with odd(monkeypatch) as (_, server, channel):
            found = await failure(channel.unary_unary("/test.Odd/Break")(b"42", metadata=[("x-request-id", "abc")]))
            assert (found.code, found.info.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
            assert found.message == "internal error, logged as abc"
            assert found.request.request_id == "abc"
            call = channel.unary_stream("/test.Odd/Breaks")(b"")
            assert await call.read() == b"one"
            assert (await failure(call.read())).code is grpc.StatusCode.INTERNAL
            assert handled(server, "Break", "Internal") == 1

    run(main())
    records = [record for record in caplog.records if record.getMessage() == "internal error"]
    assert next(record.facts["request_id"] for record in records) == "abc"  # type: ignore[attr-defined]
    assert all(record.exc_info and record.exc_info[0] is RuntimeError for record in records)
    assert len(records) == 2


def test_overload(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        limits = (("Wait", 3), ("Forever", 2), ("*", 1000))
        async with odd(monkeypatch, admission=limits) as (methods, server, channel):
            waiting = [channel.unary_unary("/test.Odd/Wait")(b"") for _ in range(10)]
            await until(lambda: handled(server, "Wait", "ResourceExhausted") == 7)
            assert odd_sample(server, "grpc_server_in_flight_calls", "Wait") == 3
            methods.release.set()
            answers = await asyncio.gather(*waiting, return_exceptions=True)
            refused = [Refused(answer) for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
            assert answers.count(b"released") == 3
            for found in refused:
                assert (found.code, found.info.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
                assert 0 < found.retry.retry_delay.ToTimedelta().total_seconds() <= 1
            assert await channel.unary_unary("/test.Odd/Wait")(b"") == b"released"
            streams = [channel.stream_stream("/test.Odd/Forever")() for _ in range(3)]
            assert [await call.read() for call in streams[:2]] == [b"here", b"here"]
            assert (await failure(streams[2].read())).info.reason == "OVERLOADED"
            streams[0].cancel()
            await until(lambda: odd_sample(server, "grpc_server_in_flight_calls", "Forever", "bidi_stream") == 1)
            again = channel.stream_stream("/test.Odd/Forever")()
            assert await again.read() == b"here"

    run(main())


def test_deadlines_and_cancelled_calls_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with odd(monkeypatch) as (methods, server, channel):
            late = await failure(channel.unary_unary("/test.Odd/Wait")(b"", timeout=0.2))
            assert late.code is grpc.StatusCode.DEADLINE_EXCEEDED
            await until(lambda: methods.cleaned_up == 1)
            await until(lambda: handled(server, "Wait", "DeadlineExceeded") == 1)

            async def cancelled(count: int) -> None:
                done = methods.cleaned_up
                unary = [channel.unary_unary("/test.Odd/Wait")(b"") for _ in range(count)]
                streams = [channel.stream_stream("/test.Odd/Forever")() for _ in range(count)]
                for call in streams:
                    await call.read()
                await until(lambda: odd_sample(server, "grpc_server_in_flight_calls", "Wait") == count)
                for call in [*unary, *streams]:
                    call.cancel()
                await until(lambda: methods.cleaned_up == done + 2 * count)

            await cancelled(20)
            await asyncio.sleep(0.1)
            gc.collect()
            tasks, objects = len(asyncio.all_tasks()), len(gc.get_objects())
            for _ in range(10):
                await cancelled(50)
            await asyncio.sleep(0.3)
            gc.collect()
            assert len(asyncio.all_tasks()) <= tasks
            assert len(gc.get_objects()) - objects < 500
            assert odd_sample(server, "grpc_server_in_flight_calls", "Wait") == 0
            assert odd_sample(server, "grpc_server_in_flight_calls", "Forever", "bidi_stream") == 0

    run(main())


def test_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with odd(monkeypatch) as (methods, server, channel):
            unary = channel.unary_unary("/test.Odd/Wait")(b"")
            stream = channel.stream_stream("/test.Odd/Forever")()
            assert await stream.read() == b"here"
            await until(lambda: odd_sample(server, "grpc_server_in_flight_calls", "Wait") == 1)
            draining = asyncio.create_task(server.drain(5))
            ended = await failure(stream.read())
            assert (ended.code, ended.info.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
            assert not draining.done()
            methods.release.set()
            assert await unary == b"released"
            await asyncio.wait_for(draining, 2)
            assert methods.cleaned_up == 2

    run(main())


def test_drain_cuts_off_what_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with odd(monkeypatch) as (methods, server, channel):
            unary = channel.unary_unary("/test.Odd/Wait")(b"")
            await until(lambda: odd_sample(server, "grpc_server_in_flight_calls", "Wait") == 1)
            await asyncio.wait_for(server.drain(0.3), 2)
            assert (await failure(unary)).code is grpc.StatusCode.UNAVAILABLE
            assert methods.cleaned_up == 1

    run(main())


def test_log_of_calls_is_json_without_payloads(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with odd(monkeypatch) as (_, _, channel):
            await channel.unary_unary("/test.Odd/Who")(b"the payload")
            await failure(channel.unary_unary("/test.Odd/Break")(b"the payload"))

    with caplog.at_level(logging.DEBUG, "pricing.calls"):
        run(main())
    who, broken = (record.facts for record in caplog.records if record.name == "pricing.calls")  # type: ignore[attr-defined]
    assert set(who) == {"method", "code", "caller", "role", "peer", "request_id", "ms"}
    assert (who["method"], who["code"], who["caller"]) == ("/test.Odd/Who", "OK", "anonymous")
    assert who["peer"].startswith("ipv4:127.0.0.1:")
    assert (broken["code"], broken["reason"]) == ("INTERNAL", "INTERNAL")
    assert "payload" not in json.dumps([who, broken])
