"""Bytes over sockets, for what an HTTP client would not send, and for very many requests."""

import asyncio
import json
from typing import Any


def post(body: Any, path: str = "/mcp", *, length: int | None = None, **headers: str) -> bytes:
    """The bytes of a POST: of bytes as they are, of everything else as JSON.

    `length` is what Content-Length says, whatever the body has.
    """
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {
        "host": "127.0.0.1",
        "content-type": "application/json",
        "content-length": str(len(content) if length is None else length),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return request("POST", path, fields) + content


def request(method: str, path: str, fields: dict[str, str]) -> bytes:
    """The bytes of a request without a body."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in fields.items())]
    return "\r\n".join((*lines, "", "")).encode()


class Link:
    """One connection, opened again whenever the server has closed it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, data: bytes) -> int:
        """Send a request and return the status of its answer, which is read whole."""
        if self._ends is None:
            self._ends = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._ends
        writer.write(data)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length or b"0"))
        if b"connection: close" in head:
            await self.close()
        return int(head[9:12])

    async def leave_after(self, data: bytes) -> None:
        """Send the start of a request and leave."""
        await self.close()
        _reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def close(self) -> None:
        """Close the connection."""
        ends, self._ends = self._ends, None
        if ends is not None:
            ends[1].close()
            await ends[1].wait_closed()


async def send_once(port: int, data: bytes) -> int:
    """Send a request on a connection of its own and return the status of its answer."""
    link = Link(port)
    try:
        return await link.send(data)
    finally:
        await link.close()
