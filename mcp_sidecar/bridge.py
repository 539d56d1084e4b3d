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
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from threading import Lock
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from mcp_sidecar import tracing
from mcp_sidecar.databases import answered, deadline_exceeded
from web.core.errors import Unavailable
from web.core.limits import LIMITS

RETRY_AFTER_SECONDS = 1
LOOK_UP_THREADS = 2
LOOK_UPS_WAITING = 1000


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
                    outcome, failure = answered(function, kwargs), None
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
