"""Searching the log: in the table where there is PostgreSQL, else in this machine's files."""

from datetime import datetime

from django.conf import settings
from django.db import connection

from web.accounts.principals import Principal
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.core.paging import cursor_behind, foreign_cursor, place_of
from web.operations.access import require_staff
from web.operations.logs import files, table
from web.operations.logs.filters import LogFilter, level_of, words_of
from web.operations.logs.lines import shown
from web.operations.records import LogEntry, LogPage


def log_entries_found(
    *,
    principal: Principal,
    query: str | None = None,
    level: str | None = None,
    logger: str | None = None,
    process: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = LIMITS.default_log_limit,
    cursor: str | None = None,
) -> LogPage:
    """Return matching lines of all processes, newest first.

    `query` are words and "quoted phrases" that all occur in a line, in any case: a request id, a
    caller as "user:7", a part of a message or of a traceback. `level` is the least; `logger` and
    `process` are whole names or first parts ("web.library", "sidecar"); the instants are aware.
    One page reads at most MAX_LOG_SEARCH_BYTES of files, or MAX_LOG_SEARCH_LINES of the table.

    Raises NotAllowed for callers who are not staff, InvalidInput that names the argument.
    """
    require_staff(principal)
    if not 1 <= limit <= LIMITS.max_log_limit:
        raise InvalidInput(
            f"The limit must be from 1 to {LIMITS.max_log_limit}.",
            hint="Take a smaller limit and page with the cursor.",
            fields={"limit": f"from 1 to {LIMITS.max_log_limit}"},
        )
    wanted = LogFilter(words_of(query), level_of(level), logger or "", process or "", since, until)
    filters = {
        "query": query,
        "level": level,
        "logger": logger,
        "process": process,
        "since": since,
        "until": until,
    }
    behind = _numbers(place_of(cursor, filters=filters))
    search = _from_table if connection.vendor == "postgresql" else _from_files
    entries, place, searched_back_to = search(wanted, limit, behind)
    return LogPage(
        entries=tuple(shown(entry) for entry in sorted(entries, key=_at, reverse=True)),
        searched_back_to=searched_back_to,
        next_cursor=place and cursor_behind(place, filters=filters),
    )


_Ended = tuple[tuple[LogEntry, ...], str | None, datetime | None]


def _from_files(wanted: LogFilter, limit: int, behind: tuple[int, int] | None) -> _Ended:
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


def _from_table(wanted: LogFilter, limit: int, behind: tuple[int, int] | None) -> _Ended:
    entries, end, is_full = table.log_table_searched(
        wanted,
        limit=limit,
        behind=None if behind is None else table.Row(*behind),
        max_lines=LIMITS.max_log_search_lines,
    )
    if end is None:
        return entries, None, None
    return entries, f"{end.microseconds}.{end.key}", None if is_full else table.instant_of(end)


def _numbers(place: str | None) -> tuple[int, int] | None:
    if place is None:
        return None
    first, _, second = place.partition(".")
    if not (place.isascii() and first.isdigit() and second.isdigit()):
        raise foreign_cursor()
    return int(first), int(second)


def _at(entry: LogEntry) -> datetime:
    return entry.at
