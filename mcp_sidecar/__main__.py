"""Run the sidecar: `python -m mcp_sidecar`."""

import argparse
import gc
import signal
import sys
from types import FrameType
from typing import NoReturn

import uvicorn

from mcp_sidecar.bootstrap import boot
from mcp_sidecar.metrics.workers import shared_by_workers

KEEP_ALIVE_SECONDS = 75  # above nginx's, so that nginx never reuses a connection that just ended
GRACE_SECONDS = 20
BACKLOG = 2048


APPLICATION = "mcp_sidecar.transport.asgi:application"


def main(application: str = APPLICATION) -> None:
    """Serve MCP on the sidecar's port until SIGTERM; calls that run are answered, then it ends."""
    gc.disable()  # nothing of the start is garbage; the application enables it
    boot()
    from django.conf import settings

    environment = settings.ENVIRONMENT
    parser = argparse.ArgumentParser(prog="mcp_sidecar", description="Serve MCP over HTTP.")
    parser.add_argument("--host", default=environment.bind_host)
    parser.add_argument("--port", type=int, default=environment.sidecar_port)
    parser.add_argument("--workers", type=int, default=1, help="processes that share the port")
    options = parser.parse_args()
    # uvicorn raises the signal again once it has ended in good order: that is no failure.
    signal.signal(signal.SIGTERM, _end)
    with shared_by_workers(options.workers):
        uvicorn.run(
            application,
            host=options.host,
            port=options.port,
            workers=options.workers,
            loop="uvloop",
            http="httptools",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=True,
            forwarded_allow_ips=environment.trusted_proxies,
            server_header=False,
            date_header=True,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


if __name__ == "__main__":
    main()
