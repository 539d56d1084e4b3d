"""Rows that are written to the database later, many at once, by a thread of their own.

For what must never hold up who makes it: recorded calls and log lines. The queue is bounded; what
it cannot take, and what cannot be written at all, is dropped and counted.
"""

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from django.db import InterfaceError, OperationalError, connections

logger = logging.getLogger(__name__)

MOST_AT_ONCE: Final = 500
SHORTEST_RETRY_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 30.0
EXIT_SECONDS: Final = 3.0


class BatchWriter[Row]:
    """Gives rows to `write` in batches, in their order, at most every `pause_seconds`.

    While the database is busy or away (`write` raises OperationalError or InterfaceError) rows
    wait, and the same batch is tried again after a pause that grows. Any other failure drops the
    batch: it would fail again. What waits when the process ends is written then, if the database
    takes it within EXIT_SECONDS.
    """

    def __init__(
        self,
        name: str,
        write: Callable[[Sequence[Row]], object],
        *,
        most_waiting: int,
        pause_seconds: float = 1.0,
    ) -> None:
        self.name = name
        self.most_waiting = most_waiting
        self.pause_seconds = pause_seconds
        self.dropped = 0  # since the start of the process
        self._write = write
        self._waiting: deque[Row] = deque()
        self._told_dropped = 0
        self._counted = 0
        self._changed = threading.Condition()
        self._is_urgent = False
        self._is_writing = False
        self._thread: threading.Thread | None = None

    @property
    def waiting(self) -> int:
        """How many rows are not written yet."""
        return len(self._waiting)

    def newly_dropped(self) -> int:
        """Return how many rows were dropped since this was asked last."""
        with self._changed:
            dropped, self._counted = self.dropped - self._counted, self.dropped
            return dropped

    def add(self, rows: Iterable[Row]) -> None:
        """Have the rows written soon; returns at once and raises nothing."""
        with self._changed:
            for row in rows:
                if len(self._waiting) >= self.most_waiting:
                    self.dropped += 1
                else:
                    self._waiting.append(row)
            if self._thread is None or not self._thread.is_alive():
                self._start()
            elif len(self._waiting) <= MOST_AT_ONCE:
                self._changed.notify_all()

    def flush(self, *, timeout_seconds: float = 5.0) -> bool:
        """Write what waits now, without a pause; return whether nothing waits any more.

        The thread's connection is closed then. Raises nothing while the database is away: it waits
        `timeout_seconds` for it.
        """
        ends_at = time.monotonic() + timeout_seconds
        with self._changed:
            self._is_urgent = True
            self._changed.notify_all()
            while self._waiting or self._is_writing:
                left = ends_at - time.monotonic()
                if left <= 0 or self._thread is None or not self._thread.is_alive():
                    break
                self._changed.wait(left)
            self._is_urgent = False
            return not self._waiting

    def _start(self) -> None:
        if self._thread is None:
            atexit.register(self._end)
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # the interpreter is ending
            self._thread = None

    def _end(self) -> None:
        if not self.flush(timeout_seconds=EXIT_SECONDS):
            logger.warning("%s: %d rows were lost at the end", self.name, self.waiting)

    def _run(self) -> None:
        pause = self.pause_seconds
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                self._changed.wait_for(lambda: self._is_urgent, pause)
                self._is_writing = True
            pause = self._emptied(pause)
            connections.close_all()
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()

    def _emptied(self, pause: float) -> float:
        """Write all that waits; return how long to pause then, longer where that failed."""
        while batch := self._next_batch():
            if not self._written(batch):
                time.sleep(SHORTEST_RETRY_SECONDS)  # also where somebody flushes
                return min(max(pause, SHORTEST_RETRY_SECONDS) * 2, LONGEST_PAUSE_SECONDS)
        return self.pause_seconds

    def _next_batch(self) -> list[Row]:
        with self._changed:
            return list(islice(self._waiting, MOST_AT_ONCE))

    def _written(self, batch: list[Row]) -> bool:
        """Write a batch and take it out of the queue; return False where it has to wait."""
        try:
            self._write(batch)
        except (OperationalError, InterfaceError):
            return False
        except Exception:
            self.dropped += len(batch)
            logger.exception("%s: %d rows cannot be written", self.name, len(batch))
        if dropped := self.dropped - self._told_dropped:
            self._told_dropped += dropped
            logger.error("%s: %d rows were dropped", self.name, dropped)
        with self._changed:
            for _row in batch:
                self._waiting.popleft()
        return True
