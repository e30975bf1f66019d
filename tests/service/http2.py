"""HTTP/2 by hand, to say what no client would."""

import socket
import struct
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    0,
    1,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
)
END_STREAM, END_HEADERS, ACK = 1, 4, 1
PRICE: Final = b"/pricing.baccarat.v1.PricingService/Price"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def header(name: bytes, value: bytes) -> bytes:
    """A header as a literal, neither indexed nor compressed."""

    def text(value: bytes) -> bytes:
        if len(value) < 127:
            return bytes([len(value)]) + value
        rest, length = len(value) - 127, b"\x7f"
        while rest >= 128:
            length, rest = length + bytes([rest % 128 | 128]), rest // 128
        return length + bytes([rest]) + value

    return b"\0" + text(name) + text(value)


def request_headers(path: bytes = PRICE, *more: tuple[bytes, bytes]) -> bytes:
    usual = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path),
        (b":authority", b"localhost"),
        (b"content-type", b"application/grpc"),
        (b"te", b"trailers"),
    ]
    return b"".join(header(name, value) for name, value in [*usual, *more])


def message(data: bytes) -> bytes:
    """A message as gRPC frames it."""
    return b"\0" + struct.pack(">I", len(data)) + data


def call(stream: int, data: bytes, path: bytes = PRICE, *more: tuple[bytes, bytes]) -> bytes:
    """A whole unary call."""
    headers = frame(HEADERS, END_HEADERS, stream, request_headers(path, *more))
    return headers + frame(DATA, END_STREAM, stream, data)


def connect(address: str, hello: bytes = PREFACE + frame(SETTINGS, 0, 0), timeout: float = 5) -> socket.socket:
    host, _, port = address.rpartition(":")
    connection = socket.create_connection((host, int(port)), timeout=timeout)
    connection.sendall(hello)
    return connection


def reset(connection: socket.socket) -> None:
    """Close with RST, as a process that dies does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_to_end(connection: socket.socket, timeout: float = 5) -> bytes:
    """All that the peer sends until it closes or says nothing more for a while."""
    connection.settimeout(timeout)
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
    except (TimeoutError, ConnectionError):
        pass
    return received
