"""Servers for tests, each a process of its own, started as a user starts it, and what calls of them fail with."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RequestInfo, RetryInfo
from grpc_status import rpc_status

SERVE = (sys.executable, "-m", "pricing.cli", "serve")


def is_of_fork(line: str) -> bool:
    """Whether a line was written by gRPC in the test's own process, forked, just before it became the server."""
    return re.match(r"[IWE]\d{4} \d\d:\d\d:.*fork", line) is not None


class ServerProcess:
    """A running `baccarat-pricing serve`."""

    def __init__(self, arguments: tuple[str, ...], environment: Mapping[str, str]) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BACCARAT_PRICING_")}
        self._data = TemporaryDirectory()
        self.data = Path(self._data.name)
        """The server's folder, if its arguments name no other."""
        own = ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", self._data.name)
        self.process = subprocess.Popen(
            [*SERVE, *own, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**kept, **environment},
        )
        try:
            self.serving = self.next_record("serving")
        except BaseException:
            self.kill()
            raise
        self.address: str = self.serving["listen"]
        self.http: str = self.serving["http"]

    def next_record(self, message: str, **facts: object) -> dict[str, Any]:
        """The next record of the log with this message and these facts."""
        assert self.process.stderr
        seen = []
        for line in self.process.stderr:
            seen.append(line)
            if is_of_fork(line):
                continue
            assert line.startswith("{"), line
            record: dict[str, Any] = json.loads(line)
            if record["message"] == message and all(record.get(name) == fact for name, fact in facts.items()):
                return record
        raise AssertionError(f"no record {message!r} {facts}: {''.join(seen[-20:])}")

    def rest_of_log(self) -> list[dict[str, Any]]:
        """What is logged until the process ends."""
        assert self.process.stderr
        return [json.loads(line) for line in self.process.stderr if not is_of_fork(line)]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stderr
        self.process.stderr.close()
        self._data.cleanup()

    def stop(self, timeout: float = 30) -> int:
        """Send SIGTERM and wait for the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def channel(self, **options: Any) -> Any:
        """A channel, with the options of the core."""
        return grpc.insecure_channel(self.address, options=[*options.items()])

    def metrics(self) -> dict[str, float]:
        """Every sample of /metrics, by name and labels as they stand there."""
        with urlopen(f"http://{self.http}/metrics", timeout=10) as response:
            lines = [line for line in response.read().decode().splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self) -> int:
        """Memory in use, in bytes."""
        with open(f"/proc/{self.process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def server_process(*arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[ServerProcess]:
    """A server for as long as the block lasts."""
    server = ServerProcess(arguments, environment or {})
    try:
        yield server
    finally:
        server.kill()


class Refused:
    """What a call failed with."""

    def __init__(self, error: Any) -> None:
        self.code: grpc.StatusCode = error.code()
        self.message: str = error.details() or ""
        self.info, self.bad, self.retry, self.request = ErrorInfo(), BadRequest(), RetryInfo(), RequestInfo()
        status = rpc_status.from_call(error)
        for detail in status.details if status else ():
            assert any(detail.Unpack(kind) for kind in (self.info, self.bad, self.retry, self.request))

    @property
    def violations(self) -> list[tuple[str, str]]:
        return [(each.field, each.description) for each in self.bad.field_violations]


@contextmanager
def refused(code: grpc.StatusCode, reason: str | None = None) -> Iterator[list[Refused]]:
    """A block in which a call must fail with this; what it failed with is in the list when the block has ended."""
    found: list[Refused] = []
    try:
        yield found
    except grpc.RpcError as error:
        found.append(Refused(error))
        assert found[0].code is code, found[0].message
        if reason is not None:
            assert (found[0].info.reason, found[0].info.domain) == (reason, "pricing.baccarat")
    else:
        raise AssertionError(f"the call did not fail with {code}")
