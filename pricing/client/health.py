"""Whether a server serves, by gRPC's standard health service."""

from typing import Any

from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from pricing.client.calls import Access, failing, open_channel


async def serves(access: Access, service: str = "", *, timeout: float) -> bool:
    """Whether a service of a server serves, the server as a whole by an empty name.

    Raises:
        CallFailed: An error for an answer, or none in time; NOT_FOUND where there is no such service.
        OSError: A certificate or key that cannot be read.
    """
    async with open_channel(access) as channel:
        with failing():
            request = HealthCheckRequest(service=service)
            stub: Any = HealthStub(channel)  # its types come without its methods
            answer = await stub.Check(request, timeout=timeout, metadata=access.metadata)
    return bool(answer.status == HealthCheckResponse.SERVING)
