"""Answers of the sidecar as ASGI messages."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from mcp_sidecar.errors import REFUSED, TOO_MANY_REQUESTS, UNAVAILABLE, ProtocolError
from mcp_sidecar.transport import messages

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
HeaderList = tuple[tuple[bytes, bytes], ...]

JSON: Final = (b"content-type", b"application/json")
TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")
_CODES: Final = {429: TOO_MANY_REQUESTS, 503: UNAVAILABLE}


class Refusal(Exception):
    """What HTTP refuses before a message is answered: a status, a code and what to do.

    `retry_after_seconds` is when to send it again, None where waiting does not help; `id_json` is
    the id of the message that is refused, where it was read.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        headers: HeaderList = (),
        retry_after_seconds: int | None = None,
        id_json: bytes = messages.NULL,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers
        self.data: dict[str, Any] = {"code": code}
        self.id_json = id_json
        if retry_after_seconds is not None:
            self.headers += ((b"retry-after", b"%d" % retry_after_seconds),)
            self.data["retry_after_seconds"] = retry_after_seconds

    @property
    def body(self) -> bytes:
        """The refusal of an address: `{"error": code, "message": what to do}`."""
        return messages.encoded({"error": self.data["code"], "message": self.message})

    @property
    def error_body(self) -> bytes:
        """The refusal of a message: a JSON-RPC error, the one form that all clients show."""
        code = _CODES.get(self.status, REFUSED)
        return messages.error_json(self.id_json, ProtocolError(code, self.message, self.data))


def not_found() -> Refusal:
    """Return the refusal of an address where nothing is, or nothing for this caller."""
    return Refusal(404, "not_found", "There is nothing at this address.")


async def respond(send: Send, status: int, body: bytes, headers: HeaderList = (JSON,)) -> None:
    """Send a whole answer."""
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [length, *headers]})
    await send({"type": "http.response.body", "body": body})
