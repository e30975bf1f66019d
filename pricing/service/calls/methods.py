"""A method of the server and all that calls of it have in common."""

from collections.abc import Mapping
from typing import Any

import grpc

from pricing.service.metrics.metrics import MethodMetrics, ServerMetrics
from pricing.service.roles import Role, allowed


class Method:
    """One method, bound when it is first called."""

    __slots__ = ("allowed", "handler", "in_flight", "limit", "metrics", "name", "path", "streams")

    def __init__(self, path: str, handler: Any, limits: Mapping[str, int], metrics: ServerMetrics) -> None:
        """Bind what would otherwise be looked up at every call.

        Args:
            path: "/package.Service/Method".
            handler: The handler that was registered for it; only its shape is looked at.
            limits: Most calls at one time, by method name, "*" for any other.
            metrics: Where calls are counted.
        """
        service, _, name = path[1:].partition("/")
        self.path = path
        self.name = name
        self.streams: bool = handler.request_streaming or handler.response_streaming
        self.allowed: frozenset[Role] = allowed(service, name)
        self.limit = limits.get(name, limits["*"])
        self.in_flight = 0
        self.metrics: MethodMetrics = metrics.of_method(_shape(handler), service, name)
        self.handler: grpc.RpcMethodHandler[Any, Any] | None = None
        """What the server is given to run, set once it is made."""


def _shape(handler: Any) -> str:
    if handler.request_streaming:
        return "bidi_stream" if handler.response_streaming else "client_stream"
    return "server_stream" if handler.response_streaming else "unary"
