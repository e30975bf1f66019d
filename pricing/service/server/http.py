"""/metrics and /healthz over HTTP, on a thread of their own."""

import json
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from threading import Thread
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, make_wsgi_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = 10  # seconds that a client may take to ask

    def log_message(self, format: str, *args: Any) -> None:
        """Scrapes are no news."""


@contextmanager
def http_server(host: str, port: int, registry: CollectorRegistry, serving: Callable[[], bool]) -> Iterator[int]:
    """Serve for as long as the block lasts.

    Args:
        host: Address to listen on.
        port: Port, 0 for any that is free.
        registry: The metrics.
        serving: Tells whether calls are answered.

    Yields:
        The port.

    Raises:
        OSError: The address cannot be had.
    """
    metrics = make_wsgi_app(registry)

    def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == "/metrics":
            found: Iterable[bytes] = metrics(environ, start_response)
            return found
        status = "404 Not Found"
        if path == "/healthz":
            status = "200 OK" if serving() else "503 Service Unavailable"
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps({"status": status}).encode()]

    kind = _Server6 if ":" in host else _Server
    server = make_server(host, port, application, server_class=kind, handler_class=_Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="http", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
