"""The body of a request: whole, bounded in size and in time."""

import asyncio
from collections.abc import Mapping
from typing import Final

from mcp_sidecar.transport.responses import Receive, Refusal
from web.core.limits import LIMITS

# A client that is still sending may not read an answer: what is too large is read to its end and
# thrown away, up to this many times the limit, before it is refused.
DRAINED_TIMES: Final = 8


class ClientLeftError(Exception):
    """The client closed the connection before its request was complete."""


async def read_body(receive: Receive, headers: Mapping[bytes, bytes]) -> bytes:
    """Return the whole body.

    Raises Refusal 413 for one over the limit, also one of unknown length, Refusal 408 for one that
    does not arrive in time, ClientLeftError when the client leaves.
    """
    if _declared(headers) > LIMITS.max_body_bytes * DRAINED_TIMES:
        raise _too_large()
    event = await receive()
    if event["type"] == "http.disconnect":
        raise ClientLeftError
    body: bytes = event.get("body", b"")
    if event.get("more_body", False):
        try:
            async with asyncio.timeout(LIMITS.body_timeout_seconds):
                return await _whole(receive, body)
        except TimeoutError:
            raise Refusal(
                408,
                "request_timeout",
                f"The body did not arrive within {LIMITS.body_timeout_seconds:g} seconds.",
                headers=((b"connection", b"close"),),
            ) from None
    if len(body) > LIMITS.max_body_bytes:
        raise _too_large()
    return body


async def _whole(receive: Receive, first: bytes) -> bytes:
    parts, size, more = [first], len(first), True
    while more and size <= LIMITS.max_body_bytes * DRAINED_TIMES:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ClientLeftError
        part = event.get("body", b"")
        size += len(part)
        more = event.get("more_body", False)
        if size <= LIMITS.max_body_bytes:
            parts.append(part)
    if size > LIMITS.max_body_bytes:
        raise _too_large()
    return b"".join(parts)


def _too_large() -> Refusal:
    return Refusal(
        413,
        "too_large",
        f"The body may have at most {LIMITS.max_body_bytes} bytes.",
        headers=((b"connection", b"close"),),
    )


def _declared(headers: Mapping[bytes, bytes]) -> int:
    try:
        return int(headers.get(b"content-length", b"0"))
    except ValueError:
        return 0
