"""The only way from the event loop to Django: a service or selector, on a thread of our own.

`call` is for tools; `call_outside` for those that wait for another service, so that a slow one
holds none of the threads that the others need; `look_up` for the short reads that the sidecar
itself needs (who is calling, which repositories), so that they stay quick while all threads of the
tools are busy.

asgiref's `sync_to_async(thread_sensitive=False, executor=...)` carries the context and takes a
pool, but bounds nothing that waits, closes no connection, and holds the caller until a thread has
ended that a deadline gave up on. This adds those, names a database that is away, and costs about
two thirds of it per call, because services never take asgiref's way back into the event loop.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from threading import Lock
from typing import Any

from django.db import InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from mcp_sidecar import tracing
from web.core.errors import DeadlineExceeded, Unavailable
from web.core.limits import LIMITS

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 1
LOOK_UP_THREADS = 2
LOOK_UPS_WAITING = 1000

# SQLite says with one exception that it is busy and that a statement is wrong; only these mean
# that the same call may work later.
_SQLITE_AWAY = frozenset(
    {"BUSY", "LOCKED", "IOERR", "FULL", "CANTOPEN", "READONLY", "NOTADB", "PROTOCOL", "NOMEM"}
)
_POSTGRES_TIMEOUT = "57014"


class Busy(Unavailable):
    """As many calls wait as may wait; nothing was started."""


class Bridge:
    """A bounded pool of threads, each with its own database connections."""

    def __init__(self, name: str, *, threads: int, waiting: int, deadline_seconds: float) -> None:
        self.name = name
        self.threads = threads
        self.deadline_seconds = deadline_seconds
        # One place per call that runs or waits; taking and giving back is atomic without a lock.
        self.capacity = threads + waiting
        self._places = deque(range(self.capacity))
        self._pool: ThreadPoolExecutor | None = None
        self._connections: list[BaseDatabaseWrapper] = []
        self._lock = Lock()

    async def run[R](self, function: Callable[..., R], kwargs: dict[str, Any]) -> R:
        """Return `function(**kwargs)`, run on a thread with the caller's context variables.

        Raises Busy when too many wait, Unavailable when the database is away, DeadlineExceeded when
        the deadline passes first (the thread then goes on, and keeps its place), and whatever
        `function` raises. A selector whose connection turns out to be dead is run once more.
        """
        try:
            place = self._places.pop()
        except IndexError:
            raise Busy(
                "The server is busy: too many calls are waiting.",
                hint=f"Repeat the call in {RETRY_AFTER_SECONDS} s.",
            ) from None
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[R] = loop.create_future()
        try:
            job = self._started().submit(
                copy_context().run, self._work, place, loop, answer, function, kwargs
            )
        except BaseException:
            self._places.append(place)
            raise
        timer = loop.call_later(self.deadline_seconds, _give_up, answer, self.deadline_seconds)
        try:
            return await answer
        finally:
            timer.cancel()
            if job.cancel():  # given up while it waited: it never starts
                self._places.append(place)

    @property
    def taken(self) -> int:
        """How many calls run or wait."""
        return self.capacity - len(self._places)

    @property
    def is_full(self) -> bool:
        """Whether the next call would be refused."""
        return not self._places

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs or waits."""
        return len(self._places) == self.capacity

    def close(self) -> None:
        """End the threads after what they run now, and close their connections."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    def _started(self) -> ThreadPoolExecutor:
        pool = self._pool
        if pool is not None:
            return pool
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(
                    self.threads, thread_name_prefix=self.name, initializer=self._own_connections
                )
            return self._pool

    def _own_connections(self) -> None:
        """Note this thread's connections (none is opened), so that `close` may end them."""
        for alias in connections:
            connection = connections[alias]
            connection.inc_thread_sharing()
            tracing.watch(connection)
            self._connections.append(connection)

    def _work[R](
        self,
        place: int,
        loop: asyncio.AbstractEventLoop,
        answer: asyncio.Future[R],
        function: Callable[..., R],
        kwargs: dict[str, Any],
    ) -> None:
        """Run on a thread: give the outcome to the loop, and the place back at the very end."""
        try:
            try:
                with tracing.work_span(function, pool=self.name):
                    outcome, failure = _answered(function, kwargs), None
            except BaseException as error:
                outcome, failure = None, error
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(_settle, answer, outcome, failure)
        finally:
            self._places.append(place)


def _settle(answer: asyncio.Future[Any], outcome: Any, failure: BaseException | None) -> None:
    if answer.done():
        return
    if failure is not None:
        answer.set_exception(failure)
    else:
        answer.set_result(outcome)


def _give_up(answer: asyncio.Future[Any], seconds: float) -> None:
    _settle(answer, None, deadline_exceeded(seconds))


def deadline_exceeded(seconds: float) -> DeadlineExceeded:
    """Return the error of a call that took longer than `seconds`."""
    return DeadlineExceeded(
        f"The deadline of {seconds:g} s was exceeded (deadline exceeded).",
        hint="Ask for less: a narrower filter, one repository, or a smaller limit. "
        "A change may still complete: read the state before repeating it.",
    )


def _answered[R](function: Callable[..., R], kwargs: dict[str, Any]) -> R:
    _discard_old_connections()
    try:
        return function(**kwargs)
    except (OperationalError, InterfaceError) as error:
        if _lost_a_connection() and ".selectors" in function.__module__:
            return _once_more(function, kwargs)
        raise _named(error) from error
    finally:
        _discard_old_connections()


def _once_more[R](function: Callable[..., R], kwargs: dict[str, Any]) -> R:
    try:
        return function(**kwargs)
    except (OperationalError, InterfaceError) as error:
        raise _named(error) from error


def _discard_old_connections() -> None:
    """Close what Django would close at the ends of a request.

    SQLite's connection stays: there is no server that could drop it, and opening it again with its
    pragmas costs more than most queries.
    """
    for connection in connections.all(initialized_only=True):
        if connection.connection is None:
            continue
        if (
            connection.vendor == "sqlite"
            and not connection.errors_occurred
            and connection.autocommit == connection.settings_dict["AUTOCOMMIT"]
        ):
            continue
        connection.close_if_unusable_or_obsolete()


def _lost_a_connection() -> bool:
    """Return whether a connection of this thread was found dead; it is closed then."""
    lost = False
    for connection in connections.all(initialized_only=True):
        opened = connection.connection is not None
        if opened and connection.errors_occurred and not connection.is_usable():
            connection.close()
            lost = True
    return lost


def _named(error: OperationalError | InterfaceError) -> Exception:
    """Return what a database error means for the caller; the error itself where it is a mistake."""
    cause = error.__cause__
    name = getattr(cause, "sqlite_errorname", None)
    if name is not None and name.removeprefix("SQLITE_").split("_")[0] not in _SQLITE_AWAY:
        return error
    if getattr(cause, "sqlstate", None) == _POSTGRES_TIMEOUT:
        return deadline_exceeded(LIMITS.call_deadline_seconds)
    logger.error("the database did not answer a call", exc_info=error)
    return Unavailable(
        "The database does not answer now.", hint="Nothing is wrong with the call: repeat it later."
    )


TOOLS = Bridge(
    "tool",
    threads=LIMITS.max_concurrent_calls,
    waiting=LIMITS.max_queued_calls,
    deadline_seconds=LIMITS.call_deadline_seconds,
)
OUTSIDE = Bridge(
    "outside",
    threads=LIMITS.max_github_calls,
    waiting=LIMITS.max_queued_github_calls,
    deadline_seconds=LIMITS.call_deadline_seconds,
)
LOOK_UPS = Bridge(
    "look-up",
    threads=LOOK_UP_THREADS,
    waiting=LOOK_UPS_WAITING,
    deadline_seconds=LIMITS.call_deadline_seconds,
)


async def call[R](function: Callable[..., R], /, **kwargs: Any) -> R:
    """Run a service or selector for a tool; see `Bridge.run`."""
    return await TOOLS.run(function, kwargs)


async def call_outside[R](function: Callable[..., R], /, **kwargs: Any) -> R:
    """Run a service or selector that asks another service; see `Bridge.run`."""
    return await OUTSIDE.run(function, kwargs)


async def look_up[R](function: Callable[..., R], /, **kwargs: Any) -> R:
    """Run a short read that the sidecar itself needs; see `Bridge.run`."""
    return await LOOK_UPS.run(function, kwargs)


def is_idle() -> bool:
    """Return whether nothing runs or waits."""
    return all(one.is_idle for one in (TOOLS, OUTSIDE, LOOK_UPS))


def close() -> None:
    """End all threads after what they run now; a later call starts new ones."""
    for one in (TOOLS, OUTSIDE, LOOK_UPS):
        one.close()
