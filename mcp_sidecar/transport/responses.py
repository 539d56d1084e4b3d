"""Answers of the sidecar as ASGI messages."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from mcp_sidecar.transport.messages import encoded

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
HeaderList = tuple[tuple[bytes, bytes], ...]

JSON: Final = (b"content-type", b"application/json")
TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")


class Refusal(Exception):
    """What HTTP refuses before a message is read: a status and one JSON shape.

    `body` is for the refusal that has another shape.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        headers: HeaderList = (),
        body: bytes | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.body = encoded({"error": code, "message": message}) if body is None else body


def not_found() -> Refusal:
    """Return the refusal of an address where nothing is, or nothing for this caller."""
    return Refusal(404, "not_found", "There is nothing at this address.")


async def respond(send: Send, status: int, body: bytes, headers: HeaderList = (JSON,)) -> None:
    """Send a whole answer."""
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})
