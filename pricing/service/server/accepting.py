"""How calls are taken off the wire.

As it comes, grpc.aio decodes in its main loop, and strictly, the path of a call that no method is registered for: one
request for a path that is not UTF-8, by anybody who can connect, ends the whole server. The same loop also waits anew
for all methods at each call, which costs more the more methods there are. Here each method, and all unknown paths
together, are waited for on their own, and what is unknown is answered without a look at its path.

This leans on what is private in grpcio, whose versions are therefore bounded in pyproject.toml.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, cast

import grpc
from grpc._cython import cygrpc
from grpc.aio import _server

_UNKNOWN = "/unknown/unknown"


class _Core(cygrpc.AioServer):  # type: ignore[misc]
    """The server below grpc.aio's, which takes calls itself instead of handing them to its main loop."""

    def __init__(self, interceptors: Sequence[grpc.aio.ServerInterceptor], options: Sequence[tuple[str, Any]]) -> None:
        self._running_loop = asyncio.get_running_loop()
        super().__init__(self._running_loop, None, (), (), options, None)
        self._chain = tuple(interceptors)
        self._known: dict[str, Any] = {}
        self._calls: set[asyncio.Task[None]] = set()

    def add_registered_method_handlers(self, handlers: Mapping[str, Any]) -> None:
        self._known.update(handlers)
        super().add_registered_method_handlers(dict(handlers))

    async def _request_registered_call(self, path: bytes) -> NoReturn:
        """Take the calls of one method; ends with the error that the server's end is."""
        while True:
            self._begin(path.decode(), await super()._request_registered_call(path))

    async def _request_call(self) -> NoReturn:
        """Take the calls of no method."""
        while True:
            self._begin(_UNKNOWN, await super()._request_call())

    def _begin(self, path: str, state: Any) -> None:
        loop = self._running_loop
        resolver = cygrpc._MethodResolver([], self._known)
        answer = cygrpc._handle_rpc(path, resolver, self._chain, state, loop, False)
        task = loop.create_task(cygrpc._schedule_rpc_coro(answer, state, loop, path))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)


class _Server(_server.Server):
    """grpc.aio's server over the one above."""

    def __init__(self, interceptors: Sequence[grpc.aio.ServerInterceptor], options: Sequence[tuple[str, Any]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._server = _Core(interceptors, options)

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """Ignored: generated code registers each method by its path as well, and that is what is served."""


def accepting_server(
    interceptors: Sequence[grpc.aio.ServerInterceptor], options: Sequence[tuple[str, Any]]
) -> grpc.aio.Server:
    """A server, on the running loop, that no call can end; for handlers as generated code registers them."""
    return cast(grpc.aio.Server, _Server(interceptors, options))


def served_methods(server: grpc.aio.Server) -> set[str]:
    """The names of the methods that such a server knows."""
    known: dict[str, Any] = server._server._known  # type: ignore[attr-defined]
    return {path.rpartition("/")[2] for path in known}
