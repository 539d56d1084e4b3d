"""The sidecar as an ASGI application: which address is which endpoint, and its life."""

import asyncio
import gc
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from django.conf import settings

from mcp_sidecar import bridge, signals, tracing
from mcp_sidecar.errors import unforeseen
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.servers.lesson import LESSON
from mcp_sidecar.servers.operations import OPERATIONS
from mcp_sidecar.servers.project import PROJECT
from mcp_sidecar.transport.discovery import PREFIX, serve_metadata
from mcp_sidecar.transport.dispatch import Dispatcher, ServerOf
from mcp_sidecar.transport.gate import Gate
from mcp_sidecar.transport.messages import encoded
from mcp_sidecar.transport.monitoring import METRICS_PATH, counting, show_metrics
from mcp_sidecar.transport.rate_limits import RateLimits
from mcp_sidecar.transport.readiness import failing_checks
from mcp_sidecar.transport.responses import (
    JSON,
    TEXT,
    Event,
    Receive,
    Refusal,
    Scope,
    Send,
    not_found,
    respond,
)
from web.core.limits import LIMITS, Limits
from web.core.logs import request_id_from
from web.library.models import NAME_PATTERN
from web.operations.recorder import RECORDER

if TYPE_CHECKING:
    from mcp_sidecar.transport.rate_sharing import RedisCount

logger = logging.getLogger(__name__)

SERVERS: Final = (PROJECT, OPERATIONS, LESSON)
HEALTH_PATH: Final = "/health"
READY_PATH: Final = "/ready"
# Above the keep-alive of nginx and of this server, collections of long-lived objects cost more
# than they find: nothing of the start is garbage.
GC_THRESHOLDS: Final = (50_000, 20, 100)
# What a repository may be called; nothing else can stand there, and no answer has to repeat it.
_NAME: Final = re.compile(NAME_PATTERN)


class Application:
    """Answers the addresses of `definitions`, /health, /ready and /metrics; else nothing is found.

    `server_of` makes a FastMCP server of a definition that has more than the definition says;
    `has_lane` off sends everything through FastMCP. `limits` say how much callers may send.
    """

    def __init__(
        self,
        definitions: tuple[ServerDefinition, ...] = SERVERS,
        *,
        server_of: ServerOf | None = None,
        has_lane: bool = True,
        limits: Limits = LIMITS,
    ) -> None:
        redis_url = settings.ENVIRONMENT.redis_url
        self._shared = _shared_count(redis_url) if redis_url else None
        self._rate_limits = RateLimits(limits, shared=self._shared)
        self._gates: dict[str, Gate] = {}
        self._repositories: dict[str, Gate] = {}
        for definition in definitions:
            dispatcher = Dispatcher(definition, server_of=server_of, has_lane=has_lane)
            gate = Gate(dispatcher, self._rate_limits)
            self._gates[definition.path] = gate
            if definition.over_repositories:
                self._repositories[f"{definition.path}/repositories/"] = gate

    @property
    def paths(self) -> tuple[str, ...]:
        """Every address that is served, with the last slash where it may also be left out."""
        return (
            HEALTH_PATH,
            READY_PATH,
            METRICS_PATH,
            *(f"{path}/" for path in self._gates),
            *(f"{prefix}<name>/" for prefix in self._repositories),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or live the application's life."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            try:
                await self._serve(scope, receive, send)
            except Exception as error:
                await self._failed(error, scope, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path.startswith(PREFIX):
            await serve_metadata(scope, send, self._rate_limits)
            return
        gate = self._gates.get(path.removesuffix("/"))
        if gate is not None:
            await gate.serve(None, scope, receive, send)
            return
        for prefix, of_repositories in self._repositories.items():
            name = path.removeprefix(prefix).removesuffix("/")
            if path.startswith(prefix) and _NAME.fullmatch(name):
                await of_repositories.serve(name, scope, receive, send)
                return
        if scope["method"] in {"GET", "HEAD"} and path == HEALTH_PATH:
            await respond(send, 200, b"ok", (TEXT,))
        elif scope["method"] in {"GET", "HEAD"} and path == READY_PATH:
            await self._report(send)
        elif scope["method"] == "GET" and path == METRICS_PATH:
            await show_metrics(scope, send)
        else:
            refusal: Refusal = not_found()
            await respond(send, refusal.status, refusal.body)

    async def _failed(self, error: Exception, scope: Scope, send: Send) -> None:
        """Answer what nobody foresaw outside of an endpoint, which answers for itself."""
        request_id = request_id_from(
            dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
        )
        failure = unforeseen(error, request_id=request_id, where=scope["path"][:100])
        refusal = Refusal(500, "internal_error", failure.message)
        given = (b"x-request-id", request_id.encode())
        await respond(send, refusal.status, refusal.body, (JSON, given))

    async def _report(self, send: Send) -> None:
        checks = await failing_checks(self._answers_itself)
        ready = all(checks.values())
        body = encoded(
            {
                "status": "ready" if ready else "not_ready",
                "checks": {name: "ok" if passed else "failing" for name, passed in checks.items()},
            }
        )
        await respond(send, 200 if ready else 503, body)

    async def _answers_itself(self) -> bool:
        """Return whether a client that comes by the public address is answered here."""
        public = urlsplit(settings.PUBLIC_URL)
        body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        scope: dict[str, Any] = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": public.scheme,
            "path": f"{PROJECT.path}/",
            "query_string": b"",
            "headers": [
                (b"host", public.netloc.encode()),
                (b"origin", settings.PUBLIC_URL.encode()),
                (b"content-type", b"application/json"),
                (b"accept", b"application/json"),
            ],
        }
        events: list[Event] = []

        async def receive() -> Event:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(event: Event) -> None:
            events.append(event)

        await self._serve(scope, receive, send)
        return events[0]["status"] == HTTPStatus.OK and b'"result"' in events[-1]["body"]

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            async with self.running():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as error:
            logger.exception("the sidecar cannot start or stop")
            await send({"type": "lifespan.startup.failed", "message": type(error).__name__})
            raise
        await send({"type": "lifespan.shutdown.complete"})

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve; at the end every thread has ended and all calls are noted."""
        tracing.start("portolan-sidecar")
        loading = asyncio.create_task(self._load())
        try:
            async with counting():
                yield
        finally:
            await loading
            await asyncio.to_thread(bridge.close)
            await asyncio.to_thread(signals.flush)
            await asyncio.to_thread(RECORDER.flush)
            await asyncio.to_thread(tracing.stop)
            if self._shared is not None:
                await self._shared.close()

    async def _load(self) -> None:
        """Load the SDK while the first requests are answered without it."""
        for gate in self._gates.values():
            await gate.dispatcher.load()
        _settle_memory()


def _shared_count(redis_url: str) -> "RedisCount":
    """Return the count that all sidecars share; what it needs is imported only now."""
    from mcp_sidecar.transport.rate_sharing import RedisCount

    return RedisCount(redis_url)


def _settle_memory() -> None:
    """Take what the start has made out of the collector's sight."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()
