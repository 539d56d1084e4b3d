"""Connections to GitHub's API, each step of which ends with the call that it serves.

Reads share them, so that most need no new handshake. The HTTP client is imported when it is first
needed: most sidecars never ask GitHub.
"""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from web.core.limits import LIMITS

if TYPE_CHECKING:
    import httpcore2

KEEP_ALIVE_SECONDS: Final = 30.0
_deadline: ContextVar[float] = ContextVar("github_deadline")
_lock = threading.Lock()
_pool: "httpcore2.ConnectionPool | None" = None


@contextmanager
def connections(*, until: float, is_shared: bool) -> Iterator["httpcore2.ConnectionPool"]:
    """Give connections for one request, over at the monotonic instant `until`.

    `is_shared` ones are kept for later requests; else the request has one of its own.
    """
    entered = _deadline.set(until)
    try:
        if is_shared:
            yield _shared()
        else:
            with _new_pool() as pool:
                yield pool
    finally:
        _deadline.reset(entered)


def close() -> None:
    """Close the connections that are kept; a later request opens new ones."""
    global _pool
    with _lock:
        pool, _pool = _pool, None
    if pool is not None:
        pool.close()


def _shared() -> "httpcore2.ConnectionPool":
    global _pool  # noqa: PLW0603 - one pool per process
    with _lock:
        if _pool is None:
            _pool = _new_pool()
        return _pool


def _new_pool() -> "httpcore2.ConnectionPool":
    import httpcore2

    from web.core.pinned import DeadlineBackend

    # There are as many threads that ask GitHub, so none ever waits for a connection.
    return httpcore2.ConnectionPool(
        ssl_context=ssl.create_default_context(),
        max_connections=LIMITS.max_github_calls,
        keepalive_expiry=KEEP_ALIVE_SECONDS,
        network_backend=DeadlineBackend(_remaining),
    )


def _remaining() -> float:
    from web.core.pinned import seconds_left

    return seconds_left(_deadline.get())
