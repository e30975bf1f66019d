"""A TCP proxy on loopback that does to connections what networks do."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Proxy:
    """Forwards to one address. What is done to it is done to the connections that there are then."""

    def __init__(self, target: str) -> None:
        self.address = ""
        self.delay = 0.0
        """Seconds by which what the server sends is late."""
        self.accepted = 0
        self._target = target.rpartition(":")
        self._pairs: dict[_Pair, None] = {}

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        upstream = await asyncio.open_connection(self._target[0], int(self._target[2]))
        pair = _Pair(self, writer, upstream[1])
        self._pairs[pair] = None
        try:
            await asyncio.gather(pair.up(reader), pair.down(upstream[0]))
        finally:
            self._pairs.pop(pair, None)
            pair.close()

    def cut(self) -> None:
        """End the connections in both directions."""
        for pair in list(self._pairs):
            pair.close()

    def freeze(self) -> None:
        """Forward nothing more, and keep the sockets open."""
        for pair in self._pairs:
            pair.flowing.clear()

    def reset_after(self, count: int) -> None:
        """Reset the connections once so many more bytes have gone to the client."""
        for pair in self._pairs:
            pair.left = count


class _Pair:
    """The two sockets of a connection."""

    def __init__(self, proxy: Proxy, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.left: int | None = None
        """Bytes that still go to the client before it is reset."""
        self._proxy = proxy
        self._client = client
        self._server = server

    def close(self) -> None:
        self._client.close()
        self._server.close()

    async def up(self, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                await self.flowing.wait()
                self._server.write(data)
        self.close()

    async def down(self, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                await asyncio.sleep(self._proxy.delay)
                await self.flowing.wait()
                if self.left is not None and len(data) > self.left:
                    self._client.write(data[: self.left])
                    await self._client.drain()
                    self._reset()
                    break
                self._client.write(data)
                if self.left is not None:
                    self.left -= len(data)
        self.close()

    def _reset(self) -> None:
        """Have the client's socket closed with RST, as that of a process that dies."""
        self._client.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._client.transport.abort()


@asynccontextmanager
async def proxied(target: str) -> AsyncIterator[Proxy]:
    """A proxy before an address, for as long as the block lasts."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    proxy.address = f"{host}:{port}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
