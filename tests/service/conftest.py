"""One server for the tests of a module that need no settings of their own."""

from collections.abc import Iterator

import pytest
from service.serving import ServerProcess, server_process

from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process() as running:
        yield running


@pytest.fixture(scope="module")
def stub(server: ServerProcess) -> Iterator[PricingServiceStub]:
    with server.channel() as channel:
        yield PricingServiceStub(channel)
