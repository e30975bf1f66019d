"""A server from its settings: what it serves, how it starts, and how it ends."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial

from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from pricing.games import Catalogue, load_games
from pricing.service.calls.auth import Authenticator
from pricing.service.calls.health import Health
from pricing.service.calls.interceptor import Interceptor
from pricing.service.calls.logs import facts
from pricing.service.clock import Clock, SystemClock
from pricing.service.feed.feed import Feed
from pricing.service.floor.floor import Floor
from pricing.service.images.publisher import everybody
from pricing.service.kinds import split_address
from pricing.service.metrics.metrics import ServerMetrics
from pricing.service.metrics.table_metrics import TableCollector
from pricing.service.server.accepting import accepting_server, served_methods
from pricing.service.server.http import http_server
from pricing.service.server.options import server_options
from pricing.service.server.tls import expiry, server_credentials
from pricing.service.servicers import served
from pricing.service.settings import OFF, InvalidSettings, Settings
from pricing.service.telemetry.traces import traced
from pricing.store.journal import JournalError
from pricing.store.sqlite import open_journal

_logger = logging.getLogger(__name__)


class RunningServer:
    """A server that answers calls."""

    def __init__(self, settings: Settings, games: Catalogue, clock: Clock | None = None) -> None:
        """Build it; it listens from ``start`` on.

        Args:
            settings: The settings in force.
            games: Game types to serve.
            clock: What tables go by; the machine's clock by default.

        Raises:
            InvalidSettings: A file or a method that a setting names and that cannot be used.
            OSError: A journal that cannot be opened.
        """
        self._settings = settings
        self.metrics = ServerMetrics()
        """What it counts."""
        self._interceptor = Interceptor(Authenticator(settings), dict(settings.admission), self.metrics)
        self._credentials = server_credentials(settings)
        self._health = Health(served.ALL)
        try:
            journal = open_journal(settings.data)
        except JournalError as error:
            raise OSError(f"data: {error}") from None
        clock = clock or SystemClock()
        self._floor = Floor(journal, games, clock, self.metrics.tables, self._told_of_outage)
        self._feed = Feed(self._floor, clock, self.metrics.feed, settings)
        self._floor.published = everybody(self._feed.told, self.metrics.tally.told)
        self._count()
        services = served.services(settings, games, self._floor, self._feed, journal)
        names = [service.name for service in services]
        self._grpc = accepting_server([self._interceptor], server_options(settings))
        for service in services:
            service.add(service.servicer, self._grpc)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        if settings.reflection:
            known = [*names, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name, reflection.SERVICE_NAME]
            reflection.enable_server_reflection(known, self._grpc)
        self._beside = ExitStack()
        try:
            _check_admission(settings, served_methods(self._grpc))
            self.metrics.tables.traced = self._beside.enter_context(traced(settings.traces))
        except InvalidSettings:
            journal.close()
            raise
        self.address = settings.listen
        """HOST:PORT that calls are answered on, with the port that was taken."""
        self.http_address: str | None = None
        """HOST:PORT of the metrics, None where there are none."""

    def _count(self) -> None:
        """Have the metrics ask for what is not counted as it happens."""
        tables, settings = self.metrics.tables, self._settings
        tables.count_tables(self._floor.states)
        tables.journal_waits.set_function(lambda: self._floor.append_waits)
        self.metrics.registry.register(TableCollector(self._floor.tables, settings.metrics_tables))
        if settings.tls_cert:
            self.metrics.watch_certificate(partial(expiry, settings.tls_cert))

    async def start(self) -> None:
        """Rebuild the tables, and listen.

        Raises:
            OSError: An address that cannot be had, or a journal that cannot be read.
        """
        try:
            self._listen()
            await self._floor.open()
            await self._grpc.start()
        except BaseException as error:
            self._beside.close()
            await self._floor.close()
            if isinstance(error, JournalError):
                raise OSError(f"data: {error}") from None
            raise

    async def ended(self) -> None:
        """Wait until the server has ended, drained or not.

        Raises:
            Exception: What ended it, if nobody did.
        """
        await self._grpc.wait_for_termination()

    async def drain(self, grace: float) -> None:
        """Stop: tell so, let open calls finish, end streams; at once with a grace of 0."""
        self._health.stop_serving()
        await asyncio.sleep(min(0.05, grace))  # for watchers of the health to hear of it, before their streams end
        self._interceptor.drain()
        await self._grpc.stop(grace or None)
        await self._interceptor.finished(timeout=1)
        await self._floor.close()
        self._beside.close()

    def _told_of_outage(self, why: str) -> None:
        """Say of the tables that nothing can be written down, or that it can again."""
        if why:
            _logger.error("journal unavailable", extra=facts(why=why))
        else:
            _logger.info("journal available")
        self.metrics.tables.journal_fault.set(bool(why))
        for service in served.OF_TABLES:
            self._health.fault(service, faulted=bool(why))
        self._feed.told_of_outage()

    def _listen(self) -> None:
        if self._settings.http != OFF:
            host, port = split_address(self._settings.http)
            serving = http_server(host, port, self.metrics.registry, lambda: self._health.serving)
            try:
                self.http_address = _joined(self._settings.http, self._beside.enter_context(serving))
            except OSError as error:
                raise OSError(f"http: cannot listen on {self._settings.http}: {error.strerror or error}") from None
        try:
            self.address = _joined(self._settings.listen, self._bind(self._settings.listen))
        except RuntimeError:
            raise OSError(f"listen: cannot listen on {self._settings.listen}; is it taken by another server?") from None

    def _bind(self, address: str) -> int:
        if self._credentials is None:
            return self._grpc.add_insecure_port(address)
        return self._grpc.add_secure_port(address, self._credentials)


@asynccontextmanager
async def running(
    settings: Settings, games: Catalogue | None = None, clock: Clock | None = None
) -> AsyncIterator[RunningServer]:
    """A server that answers calls for as long as the block lasts, and is then drained.

    Args:
        settings: The settings in force.
        games: Game types to serve; by default those that the settings ask for.
        clock: What tables go by; the machine's clock by default.

    Raises:
        PricingError: A setting, or a file that one names, that cannot be used.
        OSError: An address that cannot be had, or a journal that cannot be used.
    """
    server = RunningServer(settings, load_games(settings.games) if games is None else games, clock)
    await server.start()
    try:
        yield server
    finally:
        await server.drain(settings.grace)


def _check_admission(settings: Settings, known: set[str]) -> None:
    for name, _ in settings.admission:
        if name != "*" and name not in known:
            raise InvalidSettings("admission", name, f"methods of {', '.join(sorted(known))}, or *")


def _joined(address: str, port: int) -> str:
    return f"{address.rpartition(':')[0]}:{port}"
