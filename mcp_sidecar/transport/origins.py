"""Which Host and Origin are served: the public address, this machine, and what settings add.

A page of another site must not reach a sidecar on someone's machine or network by rebinding its
own name (DNS rebinding), so the Host is checked too, not only the Origin. Ports do not matter.
"""

import re
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings

_HEADERS = (
    b"authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, "
    b"mcp-name, last-event-id, x-request-id, x-github-token"
)
_HEADER_NAMES = re.compile(rb"[A-Za-z0-9_, -]{1,2000}")
_EXPOSED = b"x-request-id, www-authenticate, retry-after"


def served_hosts() -> frozenset[str]:
    """Return the host names that are served, lowercase, without brackets."""
    names = settings.ENVIRONMENT.public_hosts
    return frozenset(name.lower().strip("[]") for name in names)


@lru_cache(maxsize=512)
def host_is_served(host: bytes) -> bool:
    """Return whether a Host header names a host that is served, with any port."""
    return _host_of(f"//{host.decode('latin-1')}") in served_hosts()


@lru_cache(maxsize=512)
def origin_is_served(origin: bytes) -> bool:
    """Return whether pages of an Origin may call: of a host that is served, or of a setting.

    "null" never is.
    """
    text = origin.decode("latin-1")
    if text.lower() in settings.ENVIRONMENT.browser_origins:
        return True
    return text.startswith(("http://", "https://")) and _host_of(text) in served_hosts()


def cors_headers(origin: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers that let a page of `origin` read the answer."""
    return (
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", _EXPOSED),
        (b"vary", b"Origin"),
    )


def preflight_headers(requested: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers that let a page of a served origin send its request.

    It may have those of MCP and all that are `requested`: 2026-07-28 makes names of headers from
    names of arguments.
    """
    allowed = _HEADERS + (b", " + requested if _HEADER_NAMES.fullmatch(requested) else b"")
    return (
        (b"access-control-allow-methods", b"POST"),
        (b"access-control-allow-headers", allowed),
        (b"access-control-max-age", b"86400"),
        (b"vary", b"Access-Control-Request-Headers"),
    )


def _host_of(address: str) -> str | None:
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises for one that is no number
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        return None
    return parts.hostname
