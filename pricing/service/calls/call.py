"""The call that is being answered: whose it is, under which id, and what became of it."""

import asyncio
import re
import uuid
from collections.abc import Iterable
from contextvars import ContextVar
from time import perf_counter

import grpc

from pricing.service.calls.methods import Method
from pricing.service.errors import Fault
from pricing.service.messages.failures import Failure, failure
from pricing.service.roles import Caller

_ID = re.compile(r"[!-~]{1,128}")
"""What is taken for a request id; anything else could forge a line of the log."""


class Call:
    """One call, from its first bytes to its status."""

    __slots__ = (
        "_request_id",
        "admitted",
        "caller",
        "code",
        "limit",
        "metadata",
        "method",
        "peer",
        "reason",
        "refusal",
        "started",
    )

    def __init__(self, method: Method, metadata: Iterable[tuple[str, str | bytes]]) -> None:
        """Note when it started."""
        self.method = method
        self.metadata = metadata
        self.started = perf_counter()
        self.caller: Caller | None = None
        self.admitted = False
        """Whether it counts as in flight."""
        self.refusal: Fault | None = None
        """Why it will not be answered, if that is known before its message is read."""
        self.code: grpc.StatusCode | None = None
        """None until it has ended in its handler."""
        self.reason: str | None = None
        self.peer: str | None = None
        self.limit: asyncio.Timeout | None = None
        """By which a stream is ended from outside."""
        self._request_id: str | None = None

    def header(self, name: str) -> str | None:
        """The first value that the caller sent under this name."""
        for key, value in self.metadata:
            if key == name:
                return value if isinstance(value, str) else None
        return None

    @property
    def request_id(self) -> str:
        """The caller's own id for it, in the metadata x-request-id, or one that is made up."""
        if self._request_id is None:
            given = self.header("x-request-id")
            self._request_id = given if given and _ID.fullmatch(given) else uuid.uuid4().hex
        return self._request_id


CURRENT: ContextVar[Call] = ContextVar("call")


def caller() -> Caller:
    """Who makes the call that is being answered."""
    found = CURRENT.get().caller
    assert found is not None, "a handler runs for callers that are known"
    return found


def request_id() -> str:
    """The id of the call that is being answered."""
    return CURRENT.get().request_id


def failed(error: Exception) -> Failure:
    """What to tell of an error in the call that is being answered, which is counted."""
    call = CURRENT.get()
    found = failure(error, call.request_id)
    call.method.metrics.errors(found.reason).inc()
    return found
