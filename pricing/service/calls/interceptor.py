"""The one interceptor: it authenticates, admits, times, counts and logs every call and turns errors into statuses."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any

import grpc

from pricing.service.calls.auth import Authenticator
from pricing.service.calls.call import CURRENT, Call
from pricing.service.calls.handlers import Handler, Handlers
from pricing.service.calls.logs import log_call
from pricing.service.calls.methods import Method
from pricing.service.errors import Draining, Overloaded
from pricing.service.metrics.metrics import ServerMetrics
from pricing.service.roles import ANYONE


class Interceptor(grpc.aio.ServerInterceptor):
    """Stands before every method of a server."""

    def __init__(self, authenticator: Authenticator, limits: Mapping[str, int], metrics: ServerMetrics) -> None:
        """Guard one server.

        Args:
            authenticator: Tells who a caller is.
            limits: Most calls of a method at one time, by its name, "*" for any that is not named.
            metrics: Where calls are counted.
        """
        self._authenticator = authenticator
        self._handlers = Handlers(authenticator)
        self._limits = limits
        self._metrics = metrics
        self._unknown = metrics.of_method("unknown", "unknown", "unknown")
        self._methods: dict[str, Method] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._draining = False

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """Open a call; its handler is the same object every time, so that nothing is made anew here."""
        method = self._methods.get(handler_call_details.method)
        if method is None:
            handler = await continuation(handler_call_details)
            if handler is None:
                self._unknown.started.inc()
                self._unknown.handled(grpc.StatusCode.UNIMPLEMENTED).inc()
                return None
            method = self._bind(handler_call_details.method, handler)
        call = Call(method, handler_call_details.invocation_metadata)
        CURRENT.set(call)
        self._open(call)
        # The server runs a call in a task of its own. Its end is the call's end in every case: answered, failed,
        # cancelled, or given up by the caller before its message was read.
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(partial(self._close, call))
        return method.handler

    def drain(self) -> None:
        """End all streams, and those that are still to come at once."""
        self._draining = True
        self._handlers.end_streams()

    async def finished(self, timeout: float) -> None:
        """Wait until no handler runs any more: a stopped server returns before the last have cleaned up."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=timeout)

    def _bind(self, path: str, handler: Any) -> Method:
        method = self._methods[path] = Method(path, handler, self._limits, self._metrics)
        method.handler = self._handlers.handler(method, handler)
        return method

    def _open(self, call: Call) -> None:
        """Decide on all that is known before the message is read, in the order in which calls came."""
        method = call.method
        method.metrics.started.inc()
        method.metrics.in_flight.inc()
        if method.allowed is not ANYONE:
            call.refusal = self._authenticator.by_token(call)
        if call.refusal is None:
            if method.streams and self._draining:
                call.refusal = Draining("the server is about to stop")
            elif method.in_flight >= method.limit:
                call.refusal = Overloaded(f"{method.limit} calls of {method.name} are being answered")
            else:
                method.in_flight += 1
                call.admitted = True

    def _close(self, call: Call, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        method = call.method
        if call.admitted:
            method.in_flight -= 1
        code = call.code or grpc.StatusCode.CANCELLED
        seconds = perf_counter() - call.started
        method.metrics.in_flight.dec()
        method.metrics.seconds.observe(seconds)
        method.metrics.handled(code).inc()
        log_call(call, code, seconds)
