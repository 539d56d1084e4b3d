"""Run the web process: `python -m web`."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import django
import uvicorn

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.config.settings.production")

KEEP_ALIVE_SECONDS = 75  # above nginx's, so that nginx never reuses a connection that just ended
GRACE_SECONDS = 20


def main() -> None:
    """Serve the Django application on the web port until SIGTERM; running requests finish."""
    from web.config.environment import load_environment

    environment = load_environment()
    django.setup()
    from web.operations.logs.proxy import follow_proxy_log

    follow_proxy_log()
    # uvicorn raises the signal again once it has ended: the process ends in good order then, and
    # writes the last lines of its log.
    signal.signal(signal.SIGTERM, _end)
    uvicorn.run(
        "web.config.asgi:application",
        host=environment.bind_host,
        port=environment.web_port,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=True,
        forwarded_allow_ips=environment.trusted_proxies,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


if __name__ == "__main__":
    main()
