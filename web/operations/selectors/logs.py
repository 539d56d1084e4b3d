"""Searching the log: in the table where there is PostgreSQL, else in this machine's files."""

import logging
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches

from web.accounts.principals import Principal
from web.core.errors import NotFound
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_behind, foreign_cursor, number_of, place_of
from web.operations.logs.filters import LogFilter, is_within, level_of, words_of
from web.operations.logs.lines import shown
from web.operations.logs.search import log_searched, loggers_logged, processes_logged
from web.operations.records import LogEntry, LogPage

_LISTED = 40
_LONGEST_NAME = 100
_MAX_INSTANT_DIGITS = 17  # microseconds that the calendar still holds


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

    Raises NotAllowed for callers who are not staff, InvalidInput that names the argument, NotFound
    for a kind of process or a logger that has no lines at all.
    """
    principal.require_staff()
    check_limit(limit, most=LIMITS.max_log_limit)
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
    entries, place, searched_back_to = log_searched(wanted, limit=limit, behind=behind)
    if process and not entries and behind is None:
        _require_logged(process)
    if logger and not entries and behind is None and place is None:
        _require_logger(logger)
    return LogPage(
        entries=tuple(shown(entry) for entry in sorted(entries, key=_at, reverse=True)),
        searched_back_to=searched_back_to,
        next_cursor=place and cursor_behind(place, filters=filters),
    )


def _require_logged(process: str) -> None:
    """Raise NotFound for a kind of process without lines, which may be misspelled."""
    known = processes_logged()
    if process.partition(":")[0] not in known:
        raise NotFound(
            f"No process {process[:_LONGEST_NAME]!r} has lines in this log.",
            hint=f"Processes are: {', '.join(known)}." if known else "The log has no lines yet.",
        )


def _require_logger(logger: str) -> None:
    """Raise NotFound for a logger without lines that nothing in this process has either."""
    logged = loggers_logged()
    if any(is_within(name, logger, ".") for name in (*logged, *logging.root.manager.loggerDict)):
        return
    near = get_close_matches(logger[:_LONGEST_NAME], _with_parents(logged), n=3)
    more = f" and {len(logged) - _LISTED} more" if len(logged) > _LISTED else ""
    known = f"Loggers are: {', '.join(logged[:_LISTED])}{more}."
    raise NotFound(
        f"No logger {logger[:_LONGEST_NAME]!r} has lines in this log.",
        hint=(f"Did you mean: {', '.join(near)}? " if near else "")
        + (known if logged else "The log has no lines yet."),
    )


def _with_parents(names: Sequence[str]) -> list[str]:
    """Return the names and the loggers above them, which are filters as well."""
    parts = [name.split(".") for name in names]
    return sorted({".".join(each[:count]) for each in parts for count in range(1, len(each) + 1)})


def _numbers(place: str | None) -> tuple[int, int] | None:
    if place is None:
        return None
    first, _, second = place.partition(".")
    if not (first.isascii() and first.isdigit() and len(first) <= _MAX_INSTANT_DIGITS):
        raise foreign_cursor()
    return int(first), number_of(second)


def _at(entry: LogEntry) -> datetime:
    return entry.at
