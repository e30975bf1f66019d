"""What broken and hostile peers do on the wire harms nobody else and leaves nothing behind."""

import random
import socket
import time
from collections.abc import Callable, Iterator

import pytest
from service import http2
from service.http2 import ACK, END_HEADERS, END_STREAM, PREFACE, call, connect, frame, header, message, request_headers
from service.serving import ServerProcess, server_process

from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub

REQUEST = pb.PriceRequest(game_type="bet-on-baccarat")
BODY = message(REQUEST.SerializeToString())


def alive(server: ServerProcess) -> bool:
    with server.channel(**{"grpc.use_local_subchannel_pool": 1}) as channel:
        return len(PricingServiceStub(channel).Price(REQUEST, timeout=20).bets) == 9


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with server_process("--handshake-timeout", "1") as running:
        yield running
        assert running.stop() == 0
        assert [record for record in running.rest_of_log() if record["level"] in ("ERROR", "CRITICAL")] == []


@pytest.fixture(autouse=True)
def _nothing_stays(server: ServerProcess) -> Iterator[None]:
    """Others are served all along, and afterwards the server has as many descriptors as before."""
    assert alive(server)
    before = server.descriptors()
    yield
    assert alive(server)
    end = time.monotonic() + 10
    while server.descriptors() > before:
        assert time.monotonic() < end, "descriptors are left over"
        time.sleep(0.05)


GARBAGE = {
    "nothing": b"",
    "HTTP/1.1": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": bytes.fromhex("16030100050100000100"),
    "half a preface": PREFACE[:10],
    "noise": random.Random(1).randbytes(5000),
    "noise after the preface": PREFACE + random.Random(2).randbytes(5000),
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_no_http2(server: ServerProcess, data: bytes) -> None:
    with connect(server.address, data) as connection:
        http2.read_to_end(connection, 0.1)


MALFORMED = {
    "longer than allowed": b"\xff\xff\xff" + bytes(6) + b"x" * 100,
    "unknown kind": frame(0xFA, 0xFF, 1, b"abc"),
    "data of no stream": frame(http2.DATA, END_STREAM, 0, BODY),
    "data of an unopened stream": frame(http2.DATA, END_STREAM, 7, BODY),
    "headers of an even stream": frame(http2.HEADERS, END_HEADERS, 2, request_headers()),
    "bad HPACK index": frame(http2.HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\x7f"),
    "HPACK cut short": frame(http2.HEADERS, END_HEADERS, 1, request_headers()[:-5]),
    "padding beyond the frame": frame(http2.DATA, 8, 1, b"\xff"),
    "window of 0": frame(http2.WINDOW_UPDATE, 0, 0, bytes(4)),
    "window overflow": frame(http2.WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff") * 2,
    "settings of 5 bytes": frame(http2.SETTINGS, 0, 0, bytes(5)),
    "settings acknowledged with a body": frame(http2.SETTINGS, ACK, 0, bytes(6)),
    "ping of 3 bytes": frame(http2.PING, 0, 0, b"abc"),
    "push from a client": frame(http2.PUSH_PROMISE, END_HEADERS, 1, bytes(4) + request_headers()),
    "continuation of nothing": frame(http2.CONTINUATION, END_HEADERS, 1, request_headers()),
    "headers without end": frame(http2.HEADERS, 0, 1, request_headers()) + frame(http2.PING, 0, 0, bytes(8)),
    "no method": frame(http2.HEADERS, END_HEADERS | END_STREAM, 1, header(b"te", b"trailers")),
    "GET": frame(http2.HEADERS, END_HEADERS, 1, request_headers().replace(b"POST", b"HEAD")),
    "goodbye": frame(http2.GOAWAY, 0, 0, bytes(8)),
    "path that is not UTF-8": call(1, BODY, b"/\xff\xfe/\x80"),
    "method that is not UTF-8": call(1, BODY, http2.PRICE + b"\xff"),
    "metadata that are not UTF-8": call(1, BODY, http2.PRICE, (b"x-request-id", b"\xff\xfe")),
    "metadata name with a space": call(1, BODY, http2.PRICE, (b"x y", b"z")),
    "no base64": call(1, BODY, http2.PRICE, (b"x-bin", b"!!!")),
    "huge metadata": call(1, BODY, http2.PRICE, *[(b"x-%d" % number, b"y" * 1000) for number in range(15)]),
    "no time": call(1, BODY, http2.PRICE, (b"grpc-timeout", b"never")),
    "unknown encoding": call(1, BODY, http2.PRICE, (b"grpc-encoding", b"rot13")),
    "compressed with nothing": call(1, b"\1" + BODY[1:]),
    "message of 4 GB": call(1, b"\0\xff\xff\xff\xff"),
    "message cut short": call(1, BODY[:-3]),
    "two messages": call(1, BODY + BODY),
    "no message": call(1, b""),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_frames(server: ServerProcess, data: bytes) -> None:
    with connect(server.address) as connection:
        connection.sendall(data)
        http2.read_to_end(connection, 0.05)


def test_frames_of_noise(server: ServerProcess) -> None:
    noise = random.Random(3)
    for _ in range(100):
        with connect(server.address) as connection:
            frames = (
                frame(
                    noise.randrange(12), noise.randrange(256), noise.randrange(4), noise.randbytes(noise.randrange(60))
                )
                for _ in range(20)
            )
            try:
                connection.sendall(b"".join(frames))
            except ConnectionError:
                continue
            http2.read_to_end(connection, 0.01)


FLOODS: dict[str, Callable[[int], bytes]] = {
    "pings": lambda _: frame(http2.PING, 0, 0, bytes(8)),
    "settings": lambda _: frame(http2.SETTINGS, 0, 0, b"\0\3\0\0\0\x64"),
    "empty data": lambda _: frame(http2.DATA, 0, 1),
    "continuations": lambda _: frame(http2.CONTINUATION, 0, 1, header(b"x", b"y" * 100)),
    "streams that are reset": lambda number: (
        frame(http2.HEADERS, END_HEADERS, 2 * number + 3, request_headers())
        + frame(http2.RST_STREAM, 0, 2 * number + 3, bytes([0, 0, 0, 8]))
    ),
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_flood(server: ServerProcess, flood: Callable[[int], bytes]) -> None:
    before = server.resident()
    flags = 0 if "continuations" in FLOODS and flood is FLOODS["continuations"] else END_HEADERS
    with connect(server.address) as connection:
        connection.settimeout(0.5)
        try:
            connection.sendall(frame(http2.HEADERS, flags, 1, request_headers()))
            for start in range(0, 5000, 100):
                connection.sendall(b"".join(flood(number) for number in range(start, start + 100)))
        except OSError:
            pass  # sent away, or not read any further
        assert alive(server)
    assert server.resident() - before < 64 << 20


def test_half_open_and_reset_connections(server: ServerProcess) -> None:
    halves = [
        frame(http2.HEADERS, END_HEADERS, 1, request_headers()),
        frame(http2.HEADERS, END_HEADERS, 1, request_headers()) + frame(http2.DATA, 0, 1, BODY[:7]),
        call(1, BODY)[:-1],
        call(1, BODY),
        frame(http2.HEADERS, 0, 1, request_headers()[:20]),
    ]
    for turn in range(100):
        connection = connect(server.address)
        connection.sendall(halves[turn % len(halves)])
        if turn % 2:
            http2.reset(connection)
        else:
            connection.close()


def test_silent_connections_are_closed(server: ServerProcess) -> None:
    silent = [connect(server.address, b"") for _ in range(50)]
    start = time.monotonic()
    for connection in silent:
        http2.read_to_end(connection, 8)
        connection.close()
    assert time.monotonic() - start < 5


def test_dead_client_is_found_out() -> None:
    """A client that is there no more, as far as can be seen: it answers no ping."""
    quick = ("--keepalive", "1", "--keepalive-timeout", "1")
    with server_process(*quick) as server, connect(server.address) as dead:
        stream = b"/pricing.baccarat.v1.PricingService/StreamPrices"
        dead.sendall(frame(http2.HEADERS, END_HEADERS, 1, request_headers(stream)))
        name = 'grpc_server_in_flight_calls{grpc_method="StreamPrices",'
        name += 'grpc_service="pricing.baccarat.v1.PricingService",grpc_type="bidi_stream"}'
        while not server.metrics().get(name):
            time.sleep(0.05)
        end = time.monotonic() + 10
        while server.metrics()[name]:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_slow_sender_does_not_hold_up_others(server: ServerProcess) -> None:
    with connect(server.address) as slow:
        for byte in call(1, BODY):
            slow.sendall(bytes([byte]))
            if byte % 40 == 0:
                assert alive(server)
        slow.settimeout(5)
        received = b""
        while b"grpc-status" not in received:
            received += slow.recv(65536)
        slow.shutdown(socket.SHUT_WR)
