"""What gRPC itself is told, each with its reason. It takes names that it does not know without a word."""

from typing import Any

from pricing.service.settings import Settings


def server_options(settings: Settings) -> list[tuple[str, Any]]:
    """The options of a server."""
    return [
        # A second server on the port must fail and not take half of the connections.
        ("grpc.so_reuseport", 0),
        # Prices are small. Answers are not limited: the largest batch is under what clients take by default.
        ("grpc.max_receive_message_length", settings.max_message),
        # One connection must not take all there is.
        ("grpc.max_concurrent_streams", settings.max_streams),
        # By default gRPC turns calls away between 1000 and 3000 that wait, with CANCELLED: all clients that come back
        # at once after a restart are more. Who is answered is decided by admission, with a status that says so.
        ("grpc.server.max_pending_requests", settings.pending_soft),
        ("grpc.server.max_pending_requests_hard_limit", settings.pending_hard),
        # A client that is gone without a word is found out, and its calls end.
        ("grpc.keepalive_time_ms", round(settings.keepalive * 1000)),
        ("grpc.keepalive_timeout_ms", round(settings.keepalive_timeout * 1000)),
        ("grpc.http2.ping_timeout_ms", round(settings.keepalive_timeout * 1000)),  # else it has a minute in any case
        # A client may look for a silent server as often, also between calls; by default it would be sent away for it.
        ("grpc.http2.min_ping_interval_without_data_ms", round(settings.min_ping_interval * 1000)),
        ("grpc.keepalive_permit_without_calls", 1),
        # A connection that never speaks is closed.
        ("grpc.server_handshake_timeout_ms", round(settings.handshake_timeout * 1000)),
    ]
