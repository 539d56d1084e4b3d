"""The checks of what goes on behind the calls: worker, disk, sources, records, errors."""

import shutil
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Q

from web.accounts.principals import Principal
from web.core import clock
from web.core.limits import LIMITS
from web.core.queue import has_queue, tasks_due
from web.core.redaction import redacted
from web.library.selectors.sources import sources_listed
from web.operations.health.findings import Check, Finding
from web.operations.logs.filters import LogFilter, level_of
from web.operations.logs.search import log_searched
from web.operations.models import ToolCall
from web.operations.recorder import RECORDER

SERVER_ERRORS = ("internal_error", "unavailable", "deadline_exceeded")
_OPERATOR = Principal(is_member=True, is_staff=True)
_MOST_DETAILS = 10
_MOST_DETAIL_CHARACTERS = 200
_FEW_CALLS = 20
_MIB = 1024 * 1024
_SPARE = 4  # times the least space: below, somebody should know


def _worker() -> Finding:
    from django_tasks_db.models import DBTaskResult

    if not has_queue():
        return Finding("ok", "Tasks run at once: there is no queue.")
    now = clock.now()
    waiting, first = tasks_due(now)
    running = list(DBTaskResult.objects.running().order_by("started_at")[:_MOST_DETAILS])
    details = _lines(f"runs since {_at(task.started_at)}: {task.task_path}" for task in running)
    longest = now - timedelta(hours=LIMITS.max_task_hours)
    if running and running[0].started_at < longest:
        return Finding(
            "warning",
            f"A task has run for more than {LIMITS.max_task_hours} hours: its worker may have "
            "been killed.",
            "See that the worker runs; restart it. What it was doing is done again at the next "
            "sync, or asked for with sync_repository.",
            details,
        )
    if first is None or now - first < timedelta(minutes=LIMITS.max_task_wait_minutes):
        return Finding("ok", f"{waiting} tasks wait, {len(running)} run.", details=details)
    said = f"{waiting} tasks wait, the first since {_at(first)}"
    if running:
        return Finding(
            "warning",
            f"The worker is busy: {said}.",
            "Wait, or start a further worker: python manage.py db_worker",
            details,
        )
    return Finding(
        "failing", f"No worker takes tasks: {said}.", "Start it: python manage.py db_worker"
    )


def _disk() -> Finding:
    free = shutil.disk_usage(settings.DATA_DIR).free
    least = LIMITS.min_free_disk_bytes
    said = f"{free // _MIB:,} MiB are free in the data folder"
    action = "Make room there, or move the folder (PORTOLAN_DATA_DIR) to a larger disk."
    if free < least:
        return Finding("failing", f"{said}: syncs are refused below {least // _MIB:,}.", action)
    if free < _SPARE * least:
        return Finding("warning", f"{said}: that is little.", action)
    return Finding("ok", f"{said}.")


def _sources() -> Finding:
    listing = sources_listed(
        principal=_OPERATOR, state=None, limit=LIMITS.max_list_limit, cursor=None
    )
    states = dict(listing.states)
    counts = ", ".join(f"{count} {state}" for state, count in listing.states) or "none yet"
    if not states.get("stale") and not states.get("old"):
        return Finding("ok", f"Sources: {counts}.")
    details = _lines(
        f"{source.kind} {source.name}: {source.state}"
        + (f" since {_at(source.stale_since)}, {source.reason}" if source.stale_since else "")
        for source in listing.sources
        if source.state in {"stale", "old"}
    )
    return Finding(
        "warning",
        f"Sources: {counts}. Stale ones cannot be read, old ones nobody read for "
        f"{LIMITS.max_source_age_hours} hours; answers come from what was read before.",
        "list_sources says what to do for each.",
        details,
    )


def _records() -> Finding:
    if not settings.RECORD_CALLS:
        return Finding("ok", "Calls are not recorded: PORTOLAN_RECORD_CALLS is off.")
    said = f"{RECORDER.waiting} calls of this process wait to be recorded"
    if RECORDER.dropped:
        return Finding(
            "warning",
            f"{said}; {RECORDER.dropped} were dropped since it started.",
            "The database was away or busy for too long; search_logs shows when. Usage lacks "
            "these calls, the log files have them.",
        )
    if RECORDER.waiting > LIMITS.max_records_waiting // 2:
        return Finding(
            "warning",
            f"{said}: the database does not take them.",
            "See the check of the database, and whether a sync holds it.",
        )
    return Finding("ok", f"{said}; none was dropped.")


def _errors() -> Finding:
    since = clock.now() - timedelta(minutes=LIMITS.health_minutes)
    counts = ToolCall.objects.filter(at__gte=since).aggregate(
        calls=Count("pk"), errors=Count("pk", filter=Q(outcome__in=SERVER_ERRORS))
    )
    calls, errors = counts["calls"], counts["errors"]
    lines, more, _ = log_searched(
        LogFilter(level=level_of("ERROR"), since=since), limit=LIMITS.max_log_limit
    )
    said = (
        f"In the last {LIMITS.health_minutes} minutes {errors} of {calls} calls failed for a "
        f"reason of the server's, and {len(lines)}{' or more' if more else ''} errors were logged."
    )
    if not errors and not lines:
        return Finding("ok", said)
    details = _lines(dict.fromkeys(redacted(f"{line.logger}: {line.message}") for line in lines))
    is_failing = calls >= _FEW_CALLS and errors * 100 > LIMITS.max_error_percent * calls
    return Finding(
        "failing" if is_failing else "warning",
        said,
        'search_logs with level="ERROR" shows the errors with their requests; list_tool_calls with '
        'outcome="error" the calls.',
        details,
    )


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the first few texts, each shortened to one line."""
    return tuple(
        " ".join(text.split())[:_MOST_DETAIL_CHARACTERS] for text in list(texts)[:_MOST_DETAILS]
    )


def _at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


_DATABASE_FIRST = "See the check of the database first; search_logs shows the error."
WORKER = Check("worker", _worker, Finding("failing", "The queue cannot be read.", _DATABASE_FIRST))
DISK = Check(
    "disk",
    _disk,
    Finding("failing", "The data folder does not answer.", "See that PORTOLAN_DATA_DIR is there."),
)
SOURCES = Check(
    "sources", _sources, Finding("failing", "The sources cannot be read.", _DATABASE_FIRST)
)
RECORDS = Check("records", _records, Finding("failing", "The records cannot be counted."))
ERRORS = Check("errors", _errors, Finding("failing", "Errors cannot be counted.", _DATABASE_FIRST))
