"""GET /metrics, and what keeps its numbers: what Prometheus needs is imported by the first use."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from mcp_sidecar import bridge, signals
from mcp_sidecar.metrics import workers
from mcp_sidecar.transport.responses import TEXT, Scope, Send, respond
from web.core.errors import PortolanError

METRICS_PATH: Final = "/metrics"
PUBLISH_SECONDS: Final = 5.0


async def show_metrics(scope: Scope, send: Send) -> None:
    """Answer with the metrics of this sidecar and of the installation; 503 where too many ask."""
    from mcp_sidecar.metrics.counting import publish_state
    from mcp_sidecar.metrics.exposition import exposition

    accept = dict(scope["headers"]).get(b"accept", b"").decode("latin-1")
    publish_state()
    try:
        body, media_type = await bridge.look_up(exposition, accept=accept)
    except PortolanError as error:
        await respond(send, 503, str(error).encode(), (TEXT,))
    else:
        await respond(send, 200, body, ((b"content-type", media_type.encode()),))


@asynccontextmanager
async def counting() -> AsyncIterator[None]:
    """Count calls from here on, and tell the other workers how this one is."""
    signals.mcpserver_calls.connect(_count_calls, dispatch_uid="portolan.count_calls")
    publishing = asyncio.create_task(_publish()) if workers.are_several() else None
    try:
        yield
    finally:
        if publishing is not None:
            publishing.cancel()


def _count_calls(sender: object, **values: Any) -> None:
    from mcp_sidecar.metrics.counting import count_calls

    count_calls(sender, **values)


async def _publish() -> None:
    from mcp_sidecar.metrics.counting import publish_state

    while True:
        publish_state()
        await asyncio.sleep(PUBLISH_SECONDS)
