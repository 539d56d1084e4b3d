"""The web application beside a minimal MCP server that asks who is calling, on one origin.

Run by `test_fastmcp_client` under uvicorn. The MCP server has one tool, `whoami`, behind a guard
that knows nothing but the selectors of accounts; the product's own is the sidecar.
"""

import json
import os
from contextvars import ContextVar
from typing import Any

from mcp_sidecar.bootstrap import boot_django

os.environ["DJANGO_SETTINGS_MODULE"] = "web.config.settings.production"
boot_django()

from asgiref.sync import sync_to_async  # noqa: E402
from fastmcp import FastMCP  # noqa: E402

from web.accounts.principals import ANONYMOUS, Principal  # noqa: E402
from web.accounts.selectors import (  # noqa: E402
    principal_for_token,
    protected_resource_metadata_url,
    resource_url,
)
from web.config.asgi import application as web  # noqa: E402

CALLER: ContextVar[Principal] = ContextVar("caller", default=ANONYMOUS)
PATHS = ("/mcp/lesson", "/mcp/lesson/")

server = FastMCP("whoami", version="1")


@server.tool
async def whoami() -> str:
    """Return who calls and what the token allows."""
    caller = CALLER.get()
    return f"{caller.username} {','.join(sorted(caller.scopes))} {caller.client_name}"


mcp = server.http_app(path="/", json_response=True, stateless_http=True)


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Send MCP to the guarded server, everything else to the web application."""
    if scope["type"] == "lifespan":
        await mcp(scope, receive, send)
    elif scope["path"] in PATHS:
        await _guarded(scope, receive, send)
    else:
        await web(scope, receive, send)


async def _guarded(scope: Any, receive: Any, send: Any) -> None:
    authorization = dict(scope["headers"]).get(b"authorization", b"").decode()
    principal = await sync_to_async(principal_for_token)(
        token=authorization.removeprefix("Bearer "), resource=resource_url(scope["path"])
    )
    if principal is None:
        metadata = protected_resource_metadata_url(scope["path"])
        challenge = f'Bearer resource_metadata="{metadata}"'.encode()
        headers = [(b"www-authenticate", challenge), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        body = json.dumps({"error": "invalid_token"}).encode()
        await send({"type": "http.response.body", "body": body})
        return
    CALLER.set(principal)
    await mcp({**scope, "path": "/", "raw_path": b"/"}, receive, send)
