"""What the tests of the command line say about a call."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias


class Outcome(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Cli: TypeAlias = Callable[..., Outcome]


@contextmanager
def serving(*flags: str) -> Iterator[str]:
    """A server in a process of its own, as one process is to have one event loop."""
    command = [sys.executable, "-m", "pricing.cli", "serve", "--listen", "127.0.0.1:0", "--http", "off", *flags]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = (json.loads(line) for line in process.stderr)
        try:
            yield next(line["listen"] for line in lines if line["message"] == "serving")
        finally:
            process.terminate()
            process.communicate()
    assert process.returncode == 0
