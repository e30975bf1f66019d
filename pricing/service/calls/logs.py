"""The log on stderr: a line a record, in JSON or as text, and never what a request or an answer held."""

import json
import logging
import logging.handlers
import queue
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Thread
from typing import Any, Final

import grpc

from pricing.service.calls.call import Call

_logger = logging.getLogger("pricing.calls")

_WAITING: Final = 10_000
"""Records that wait for a slow stderr; further ones are dropped, as prices must not wait for it."""

_LEVELS: Final = {
    grpc.StatusCode.OK: logging.DEBUG,
    grpc.StatusCode.CANCELLED: logging.DEBUG,
    grpc.StatusCode.INTERNAL: logging.ERROR,
    grpc.StatusCode.UNKNOWN: logging.ERROR,
    grpc.StatusCode.UNAUTHENTICATED: logging.WARNING,
    grpc.StatusCode.PERMISSION_DENIED: logging.WARNING,
    grpc.StatusCode.RESOURCE_EXHAUSTED: logging.WARNING,
}
"""How much a call that ended with this code matters; with any other, INFO."""


def will_log_call(code: grpc.StatusCode) -> bool:
    """Whether a call that ended with this code has a line."""
    return _logger.isEnabledFor(_LEVELS.get(code, logging.INFO))


def log_call(call: Call, code: grpc.StatusCode, seconds: float) -> None:
    """Write the line of a call that has ended."""
    if will_log_call(code):
        known = facts(
            method=call.method.path,
            code=code.name,
            reason=call.reason,
            caller=call.caller and call.caller.name,
            role=call.caller and call.caller.role,
            peer=call.peer,
            request_id=call.request_id,
            ms=round(seconds * 1000, 3),
        )
        _logger.log(_LEVELS.get(code, logging.INFO), "call", extra=known)


def facts(**values: Any) -> dict[str, Any]:
    """What is known beside a record's message, as its ``extra``."""
    return {"facts": {key: value for key, value in values.items() if value is not None}}


class _Json(logging.Formatter):
    """One JSON object a record."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True, default=str)


class _Text(logging.Formatter):
    """A line for the eye, its facts behind it."""

    def format(self, record: logging.LogRecord) -> str:
        facts = "".join(f" {key}={value}" for key, value in getattr(record, "facts", {}).items())
        return super().format(record) + facts


class _DroppingQueue(logging.handlers.QueueHandler):
    """Hands records to a thread that writes them; drops them while that is too far behind."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        return record

    def handleError(self, record: logging.LogRecord) -> None:
        """Nobody is told: the one place for it is what is full."""


def _tells_no_metadata(record: logging.LogRecord) -> bool:
    """Leave out what gRPC says of metadata that are no text: it quotes them, and as often as anybody likes."""
    return not (record.name.startswith("grpc.") and str(record.msg).startswith("Invalid encoding"))


@contextmanager
def logging_to_stderr(level: str, form: str) -> Iterator[None]:
    """Send the records of the whole process to stderr for as long as the block lasts."""
    output = logging.StreamHandler(sys.stderr)
    output.setFormatter(_Json() if form == "json" else _Text("%(asctime)s %(levelname)s %(message)s"))
    handler = _DroppingQueue(queue.Queue(_WAITING))
    handler.addFilter(_tells_no_metadata)
    listener = logging.handlers.QueueListener(handler.queue, output)
    root = logging.getLogger()
    before = root.level
    root.setLevel(level.upper())
    root.addHandler(handler)
    listener.start()
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        rest = Thread(target=listener.stop, daemon=True)
        rest.start()
        rest.join(timeout=1)  # a stderr that takes nothing must not keep the process
