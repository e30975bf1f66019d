"""What runs around every method of a server: who calls is checked, and errors become statuses."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import grpc

from pricing.service.calls.auth import Authenticator
from pricing.service.calls.call import CURRENT, Call, failed
from pricing.service.calls.logs import will_log_call
from pricing.service.calls.methods import Method
from pricing.service.errors import Draining, RoleTooLow
from pricing.service.roles import ANYONE

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

_PATIENCE: Final = 1.0
"""Seconds in which a status should be on its way; the call is over for us in any case."""


class Handlers:
    """Makes handlers of the ones that servicers register."""

    def __init__(self, authenticator: Authenticator) -> None:
        """Ask this one who calls."""
        self._authenticator = authenticator
        self._streams: set[Call] = set()

    def end_streams(self) -> None:
        """End all streams, as the server is about to stop."""
        now = asyncio.get_running_loop().time()
        for call in self._streams:
            if call.limit is not None and not call.limit.expired():
                call.limit.reschedule(now)

    def handler(self, method: Method, given: Any) -> Handler:
        """The handler that the server is to run for a method, made of the given one."""
        return self._stream(method, given) if method.streams else self._unary(method, given)

    def _unary(self, method: Method, given: Any) -> Handler:
        parse, answer, metrics = given.request_deserializer or bytes, given.unary_unary, method.metrics

        async def call_unary(data: bytes, context: Context) -> Any:
            call = CURRENT.get()
            try:
                self._check(call, context)
                metrics.received.inc()
                response = await answer(parse(data), context)
                call.code = grpc.StatusCode.OK
                metrics.sent.inc()
                _note_peer(call, context)
                return response
            except asyncio.CancelledError:
                _cancelled(call, context)
                raise
            except Exception as error:
                await _fail(call, context, error)

        # Bytes come in as they are: what they cannot be parsed for is then an error like any other.
        return grpc.unary_unary_rpc_method_handler(call_unary, bytes, given.response_serializer)

    def _stream(self, method: Method, given: Any) -> Handler:
        parse = _counted(given.request_deserializer or bytes, method.metrics.received.inc)
        serialize = _counted(given.response_serializer or bytes, method.metrics.sent.inc)
        run = _runner(given, parse)

        async def call_stream(request: Any, context: Context) -> None:
            call = CURRENT.get()
            self._streams.add(call)
            try:
                self._check(call, context)
                async with asyncio.timeout(None) as call.limit:
                    await run(request, context)
                call.code = grpc.StatusCode.OK
                _note_peer(call, context)
            except asyncio.CancelledError:
                _cancelled(call, context)
                raise
            except grpc.aio.InternalError as error:  # nothing can be written any more: the caller has gone
                _cancelled(call, context)
                raise asyncio.CancelledError from error
            except Exception as error:
                ended = call.limit is not None and call.limit.expired()
                await _fail(call, context, Draining("the server is about to stop") if ended else error)
            finally:
                self._streams.discard(call)

        if given.request_streaming:
            return grpc.stream_stream_rpc_method_handler(call_stream, parse, serialize)
        return grpc.unary_stream_rpc_method_handler(call_stream, bytes, serialize)

    def _check(self, call: Call, context: Context) -> None:
        """Refuse a call that is not to be answered."""
        if call.refusal is not None:
            raise call.refusal
        needed = call.method.allowed
        if needed is ANYONE:
            return
        if call.caller is None:
            call.caller = self._authenticator.by_certificate(context)
        if not call.caller.is_one_of(needed):
            raise RoleTooLow(f"{call.method.name} is for {', '.join(sorted(needed))}; got {call.caller.role}")


async def _fail(call: Call, context: Context, error: Exception) -> None:
    """End a call with the status of an error."""
    if isinstance(error, grpc.aio.AbortError):
        call.code = context.code()
        raise error
    found = failed(error)
    call.code, call.reason = found.code, found.reason
    _note_peer(call, context)
    try:
        async with asyncio.timeout(_PATIENCE):
            await context.abort_with_status(found.status())
    except TimeoutError:
        pass  # of a reader that takes nothing more, the status waits behind what was written
    except grpc.aio.InternalError as gone:  # as above
        raise asyncio.CancelledError from gone


def _cancelled(call: Call, context: Context) -> None:
    late = context.time_remaining() == 0
    call.code = grpc.StatusCode.DEADLINE_EXCEEDED if late else grpc.StatusCode.CANCELLED
    _note_peer(call, context)


def _note_peer(call: Call, context: Context) -> None:
    """Keep for the log who is at the other end: later the connection can no more be asked."""
    if call.code is not None and will_log_call(call.code):
        call.peer = context.peer()


def _counted(convert: Callable[[Any], Any], count: Callable[[], None]) -> Callable[[Any], Any]:
    """A converter of messages that counts them."""

    def convert_counted(message: Any) -> Any:
        count()
        return convert(message)

    return convert_counted


def _runner(given: Any, parse: Callable[[bytes], Any]) -> Callable[[Any, Context], Awaitable[None]]:
    """Run a handler that answers with a stream, whether it writes its answers or yields them."""
    behavior = given.stream_stream if given.request_streaming else given.unary_stream

    async def run(request: Any, context: Context) -> None:
        answers = behavior(request if given.request_streaming else parse(request), context)
        if hasattr(answers, "__aiter__"):
            async for answer in answers:
                await context.write(answer)
        else:
            await answers

    return run
