"""One search over the log, wherever this installation keeps it."""

from datetime import datetime

from django.conf import settings
from django.db import connection

from web.core.limits import LIMITS
from web.operations.logs import files, table
from web.operations.logs.filters import LogFilter
from web.operations.records import LogEntry

Ended = tuple[tuple[LogEntry, ...], str | None, datetime | None]


def log_searched(wanted: LogFilter, *, limit: int, behind: tuple[int, int] | None = None) -> Ended:
    """Return matching lines, newest first, where to go on, and how far the search got.

    The place to go on is the text of two numbers, "a.b", None where all was searched; the instant
    is None where the page is full or all was searched.
    """
    search = _from_table if connection.vendor == "postgresql" else _from_files
    return search(wanted, limit, behind)


def processes_logged() -> tuple[str, ...]:
    """Return the kinds of processes whose lines are kept, in order; of the table the newest."""
    if connection.vendor == "postgresql":
        return table.processes_logged(most_lines=LIMITS.max_log_search_lines)
    return files.processes_logged(settings.DATA_DIR / "log")


def loggers_logged() -> tuple[str, ...]:
    """Return the loggers of the newest lines, as far as one search looks, in order."""
    if connection.vendor == "postgresql":
        return table.loggers_logged(most_lines=LIMITS.max_log_search_lines)
    return files.loggers_logged(settings.DATA_DIR / "log", max_bytes=LIMITS.max_log_search_bytes)


def _from_files(wanted: LogFilter, limit: int, behind: tuple[int, int] | None) -> Ended:
    found = files.log_files_searched(
        settings.DATA_DIR / "log",
        wanted,
        limit=limit,
        behind=None if behind is None else files.Position(*behind),
        max_bytes=LIMITS.max_log_search_bytes,
    )
    end = found.position
    if end is None:
        return found.entries, None, None
    return found.entries, f"{end.ms}.{end.nth}", None if found.is_full else files.instant_of(end)


def _from_table(wanted: LogFilter, limit: int, behind: tuple[int, int] | None) -> Ended:
    entries, end, is_full = table.log_table_searched(
        wanted,
        limit=limit,
        behind=None if behind is None else table.Row(*behind),
        max_lines=LIMITS.max_log_search_lines,
    )
    if end is None:
        return entries, None, None
    return entries, f"{end.microseconds}.{end.key}", None if is_full else table.instant_of(end)
