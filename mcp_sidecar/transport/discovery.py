"""What a client reads after a 401: the metadata of the endpoint that it called (RFC 9728)."""

import json
from typing import Final

from mcp_sidecar.auth import NOBODY
from mcp_sidecar.transport.rate_limits import RateLimits, address_of
from mcp_sidecar.transport.responses import (
    JSON,
    HeaderList,
    Refusal,
    Scope,
    Send,
    not_found,
    respond,
)
from web.accounts.selectors import protected_resource_metadata

PREFIX: Final = "/.well-known/oauth-protected-resource"
# Pages of any origin may read it: the document is the same for everyone.
_HEADERS: Final[HeaderList] = (JSON, (b"access-control-allow-origin", b"*"))
_PREFLIGHT: Final[HeaderList] = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET"),
    (b"access-control-allow-headers", b"*, authorization"),
    (b"access-control-max-age", b"86400"),
)


async def serve_metadata(scope: Scope, send: Send, rate_limits: RateLimits) -> None:
    """Answer an address below `PREFIX`: the endpoint's document, or a 404 in JSON."""
    method, path = scope["method"], scope["path"].removeprefix(PREFIX)
    if method == "OPTIONS":
        await respond(send, 204, b"", _PREFLIGHT)
        return
    try:
        await rate_limits.take(NOBODY, address_of(scope))
    except Refusal as refusal:
        await respond(send, refusal.status, refusal.body, (*_HEADERS, *refusal.headers))
        return
    document = protected_resource_metadata(path)
    if document is None:
        await respond(send, 404, not_found().body, _HEADERS)
    elif method not in {"GET", "HEAD"}:
        body = b'{"error":"method_not_allowed","message":"Read this document with GET."}'
        await respond(send, 405, body, (*_HEADERS, (b"allow", b"GET, HEAD")))
    else:
        await respond(send, 200, json.dumps(document).encode(), _HEADERS)
