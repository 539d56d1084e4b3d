"""Checks of headers before a body is read: which come once, from where, in what form.

Who the caller is stands in `mcp_sidecar.auth`; which hosts and origins are served in `origins`.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mcp_sidecar.transport import origins
from mcp_sidecar.transport.responses import HeaderList, Refusal

SINGLE_HEADERS: Final = (
    b"authorization",
    b"x-github-token",
    b"host",
    b"origin",
    b"content-type",
    b"mcp-protocol-version",
)
SERVED_MEDIA: Final = frozenset(
    {"application/json", "application/*", "text/event-stream", "text/*", "*/*"}
)
_NO_WEIGHT: Final = re.compile(r"q\s*=\s*0(\.0{0,3})?")


def check_singles(pairs: HeaderList, headers: Mapping[bytes, bytes]) -> None:
    """Raise Refusal 400 where a header came twice of which only one can count.

    `headers` are the same as `pairs`, by name.
    """
    if len(headers) == len(pairs):
        return
    names = [name for name, _ in pairs]
    for name in SINGLE_HEADERS:
        if names.count(name) > 1:
            message = f"The header {name.decode().title()} came twice: send it once."
            raise Refusal(400, "duplicate_header", message)


def check_origin(headers: Mapping[bytes, bytes]) -> None:
    """Raise Refusal 421 for a foreign Host, 403 for the page of a foreign Origin."""
    if not origins.host_is_served(headers.get(b"host", b"")):
        raise Refusal(421, "misdirected_request", "This host name is not served here.")
    origin = headers.get(b"origin")
    if origin is not None and not origins.origin_is_served(origin):
        raise Refusal(403, "forbidden_origin", "Pages of this origin may not ask here.")


def check_media(headers: Mapping[bytes, bytes], pairs: HeaderList) -> None:
    """Raise Refusal 406 where no answer would be accepted, 415 for a body that is no plain JSON.

    `headers` are the same as `pairs`, by name.
    """
    accept = headers.get(b"accept")
    if len(headers) < len(pairs):  # a list may come in parts (RFC 9110 section 5.3)
        accept = b", ".join(value for name, value in pairs if name == b"accept")
    if accept is not None and not _accepts(accept):
        raise Refusal(
            406,
            "not_acceptable",
            "Answers are JSON. Send: Accept: application/json, text/event-stream",
        )
    if headers.get(b"content-encoding", b"identity").strip().lower() not in {b"identity", b""}:
        raise Refusal(
            415,
            "unsupported_media_type",
            "Bodies are not compressed here. Leave Content-Encoding out.",
        )
    content_type = headers.get(b"content-type")
    if content_type is not None and not _is_json(content_type):
        raise Refusal(
            415,
            "unsupported_media_type",
            "Messages are JSON. Send: Content-Type: application/json",
        )


@lru_cache(maxsize=512)
def _accepts(accept: bytes) -> bool:
    """Return whether an Accept header takes JSON, or the stream that MCP clients name beside it."""
    text = accept.decode("latin-1").lower()
    if not text.strip():
        return True
    for part in text.split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        if media in SERVED_MEDIA and not any(map(_NO_WEIGHT.fullmatch, parameters)):
            return True
    return False


@lru_cache(maxsize=512)
def _is_json(content_type: bytes) -> bool:
    return content_type.decode("latin-1").partition(";")[0].strip().lower() == "application/json"
