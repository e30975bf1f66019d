"""Reads a thousand gRPC streams for the price of a few: `python many_streams.py ADDRESS METHOD REQUEST STREAMS`.

What is measured must be the server, so this is no gRPC client: it opens the streams over ten connections with windows
that never fill, and looks at nothing of a message but its length. When the first, second, ... message of some size has
come on every stream, it prints when that was, on the monotonic clock.
"""

import selectors
import struct
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final, NoReturn

sys.path.append(str(Path(__file__).parents[1]))  # for the tests' helpers

from service import http2

CONNECTIONS: Final = 10
LEAST: Final = 200
"""Bytes of a message that counts; heartbeats are shorter."""
WIDE: Final = 2**31 - 1
HELLO: Final = (
    http2.PREFACE
    + http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HI", 4, WIDE))  # the window that every stream begins with
    + http2.frame(http2.WINDOW_UPDATE, 0, 0, struct.pack(">I", WIDE - 65_535))
)


class Connection:
    """One connection with its streams."""

    def __init__(self, address: str, path: bytes, request: bytes, streams: int) -> None:
        self.socket = http2.connect(address, HELLO)
        self._rest = b""
        self._seen: Counter[int] = Counter()
        for stream in range(streams):
            self.socket.sendall(http2.call(2 * stream + 1, http2.message(request), path))

    def read(self) -> list[int]:
        """Which messages, by their number on a stream, have come."""
        data = self._rest + self.socket.recv(1 << 20)
        place, found = 0, []
        while len(data) >= place + 9:
            length = int.from_bytes(data[place : place + 3], "big")
            if len(data) < place + 9 + length:
                break
            kind, flags, stream = data[place + 3], data[place + 4], data[place + 5 : place + 9]
            if kind == http2.DATA and length >= LEAST:
                found.append(self._seen[int.from_bytes(stream, "big")])
                self._seen[int.from_bytes(stream, "big")] += 1
            elif kind in (http2.SETTINGS, http2.PING) and not flags & http2.ACK:
                answer = data[place + 9 : place + 17] if kind == http2.PING else b""
                self.socket.sendall(http2.frame(kind, http2.ACK, 0, answer))
            elif kind in (http2.RST_STREAM, http2.GOAWAY) or (kind == http2.HEADERS and flags & http2.END_STREAM):
                sys.exit(f"a stream has ended: {data[place : place + 9 + length]!r}")
            place += 9 + length
        self._rest = data[place:]
        return found


def main(address: str, method: str, request: str, streams: int) -> NoReturn:
    arrived: Counter[int] = Counter()
    selector = selectors.DefaultSelector()
    for _ in range(CONNECTIONS):
        connection = Connection(address, method.encode(), bytes.fromhex(request), streams // CONNECTIONS)
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    while True:
        for key, _ in selector.select():
            for number in key.data.read():
                arrived[number] += 1
                if arrived[number] == streams:
                    print(time.monotonic(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
