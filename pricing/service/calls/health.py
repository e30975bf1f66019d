"""The standard health service. A watcher that does not read holds up nobody: watchers share no lock."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthServicer

OVERALL: Final = ""
"""The name under which the server as a whole is asked for."""


class Health(HealthServicer):
    """Tells of each service, and of the server as a whole, whether it serves."""

    def __init__(self, services: Iterable[str]) -> None:
        """Know these services, all of them serving."""
        self._services = {OVERALL, *services}
        self._faulted: set[str] = set()
        self._stopping = False
        self._changed = asyncio.Event()

    @property
    def serving(self) -> bool:
        """Whether the server as a whole serves."""
        return self._serves(OVERALL)

    def stop_serving(self) -> None:
        """Say NOT_SERVING of everything from now on."""
        self._stopping = True
        self._tell()

    def fault(self, service: str, *, faulted: bool) -> None:
        """Say of one service that it does not serve, or that it does again."""
        (self._faulted.add if faulted else self._faulted.discard)(service)
        self._tell()

    async def Check(self, request: HealthCheckRequest, context: Any) -> HealthCheckResponse:
        """The state of a service; NOT_FOUND for one that there is not."""
        if request.service not in self._services:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service")
        return _response(serving=self._serves(request.service))

    async def Watch(self, request: HealthCheckRequest, context: Any) -> None:
        """The state of a service, and again when it changes; SERVICE_UNKNOWN for one that there is not."""
        if request.service not in self._services:
            await context.write(HealthCheckResponse(status=HealthCheckResponse.SERVICE_UNKNOWN))
            await asyncio.Event().wait()  # nothing more to tell: the watcher ends it, or the server
        told: bool | None = None
        while True:
            changed = self._changed
            serving = self._serves(request.service)
            if serving is not told:
                await context.write(_response(serving=serving))
                told = serving
            if changed is self._changed:
                await changed.wait()

    def _serves(self, service: str) -> bool:
        return not self._stopping and service not in self._faulted

    def _tell(self) -> None:
        """Wake every watcher once; those that come later wait for the next change."""
        self._changed.set()
        self._changed = asyncio.Event()


def _response(*, serving: bool) -> HealthCheckResponse:
    return HealthCheckResponse(status=HealthCheckResponse.SERVING if serving else HealthCheckResponse.NOT_SERVING)
