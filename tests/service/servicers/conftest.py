"""A channel to the server of a module."""

from collections.abc import Iterator
from typing import Any

import pytest
from service.serving import ServerProcess


@pytest.fixture(scope="module")
def channel(server: ServerProcess) -> Iterator[Any]:
    with server.channel() as channel:
        yield channel
