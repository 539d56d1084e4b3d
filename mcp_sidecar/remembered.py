"""What every request asks of the database, remembered until the database may have changed.

Who is calling, which repositories they may see, the index generation: one read each would cost
more than the rest of a short request. `mark` says cheaply whether anything was committed since.
"""

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

from django.db import DEFAULT_DB_ALIAS, connections

# A change made by another process, on a database that has no cheap sign of it, is seen after this.
SERVER_SECONDS = 0.5
# Two commits within one tick of the file system's clock look like one; this ends such a mistake,
# and bounds how long a token lives on that expires by the clock.
FILE_SECONDS = 1.0


def mark() -> Hashable:
    """Return a value that differs from an earlier one if the database may have changed since.

    SQLite's write-ahead log changes with every commit, whoever makes it, and so does the file where
    there is no log. A database without such a sign changes its mark twice a second; one in memory
    with every call.
    """
    database = connections.settings[DEFAULT_DB_ALIAS]
    if not database["ENGINE"].endswith("sqlite3"):
        return int(time.monotonic() / SERVER_SECONDS)
    name = str(database["NAME"])
    if name.startswith("file:") or name == ":memory:":
        return object()
    stamp = _stamp(f"{name}-wal") or _stamp(name)
    return int(time.monotonic() / FILE_SECONDS), stamp


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - making a Path costs more than the call
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class Remembered[K: Hashable, V]:
    """Values by key, each kept until the mark changes; at most `most` of them.

    Callers who miss the same key at the same time share one read.
    """

    def __init__(self, *, most: int = 1000) -> None:
        self._most = most
        self._kept: OrderedDict[K, tuple[Hashable, V]] = OrderedDict()
        self._reading: dict[K, asyncio.Task[V]] = {}

    def kept(self, key: K, *, at: Hashable) -> V | None:
        """Return the value of `key` that is known at the mark `at`; None where there is none."""
        entry = self._kept.get(key)
        return entry[1] if entry is not None and entry[0] == at else None

    def last(self, key: K) -> V | None:
        """Return the value of `key` that was read last, however long ago; None for none."""
        entry = self._kept.get(key)
        return None if entry is None else entry[1]

    async def get(self, key: K, read: Callable[[], Awaitable[V]], *, at: Hashable) -> V:
        """Return the value of `key` at the mark `at` or later. Raises what `read` raises."""
        value = self.kept(key, at=at)
        return value if value is not None else await self.fresh(key, read)

    async def fresh(self, key: K, read: Callable[[], Awaitable[V]]) -> V:
        """Return the value of `key`, read now. Raises what `read` raises."""
        task = self._reading.get(key)
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(self._read_marked(key, read))
            self._reading[key] = task
        return await asyncio.shield(task)

    async def _read_marked(self, key: K, read: Callable[[], Awaitable[V]]) -> V:
        before = mark()
        try:
            value = await read()
        finally:
            self._reading.pop(key, None)
        self._kept[key] = (before, value)
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value
