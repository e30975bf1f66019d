"""The server that clients which nobody here wrote call."""

from collections.abc import Iterator

import pytest
from service.serving import ServerProcess, server_process


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running
