"""The log into the table, from every process, where the database is PostgreSQL."""

import logging
import socket
import threading
from collections.abc import Sequence

from web.core.batches import BatchWriter
from web.core.limits import LIMITS

_THREAD = "log table"


class TableHandler(logging.Handler):
    """Hands lines to a thread that writes them in batches; whoever logs never waits for it.

    While the database is away lines wait; what the bounded queue cannot take is dropped, and the
    files, which have all lines, say how many. What that thread itself logs goes to the files only.
    """

    def __init__(self) -> None:
        super().__init__()
        self.host = socket.gethostname()
        self.lines: BatchWriter[tuple[str, bytes]] = BatchWriter(
            _THREAD, _write, most_waiting=LIMITS.max_records_waiting
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Have one line written."""
        if threading.current_thread().name == _THREAD:
            return
        try:
            self.lines.add([(self.host, self.format(record).encode())])
        except Exception:
            self.handleError(record)

    def take(self, lines: Sequence[bytes]) -> bool:
        """Have lines of another program written; return False where too many wait for that."""
        if self.lines.waiting + len(lines) > self.lines.most_waiting // 2:
            return False
        self.lines.add((self.host, line) for line in lines)
        return True

    def flush(self) -> None:
        """Do nothing: the process writes what waits when it ends."""


def _write(lines: Sequence[tuple[str, bytes]]) -> None:
    # The tables can be imported only once Django is ready, which is after logging is set up.
    from web.operations.logs.table import lines_written

    lines_written(lines)
