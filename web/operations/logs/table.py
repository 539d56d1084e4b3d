"""The log's table: one log of all machines, where the database is PostgreSQL."""

import json
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import and_
from typing import NamedTuple

from django.apps import apps
from django.db import InterfaceError
from django.db.models import F, Q, TextField, Value
from django.db.models.functions import Concat

from web.core.text import storable
from web.operations.logs.filters import LogFilter
from web.operations.logs.lines import entry_of, level_number
from web.operations.models import WARNING_LEVEL, LogLine
from web.operations.records import LogEntry

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TEXTS = ("logger", "message", "request_id", "process", "caller", "tool", "exception", "fields")


class Row(NamedTuple):
    """A place between two rows: behind this one."""

    microseconds: int
    key: int


def lines_written(lines: Sequence[tuple[str, bytes]]) -> None:
    """Write lines as log files have them, each with the name of its machine, into the table.

    Raises InterfaceError before Django is ready.
    """
    if not apps.models_ready:
        raise InterfaceError("Django is not ready yet")
    rows = [_row(host, entry) for host, line in lines if (entry := entry_of(line)) is not None]
    LogLine.objects.bulk_create(rows)


def _row(host: str, entry: LogEntry) -> LogLine:
    return LogLine(
        at=entry.at,
        level=level_number(entry.level),
        logger=storable(entry.logger)[:200],
        message=storable(entry.message),
        request_id=storable(entry.request_id)[:64],
        host=storable(host)[:100],
        process=storable(entry.process)[:100],
        caller=storable(entry.caller)[:60],
        tool=storable(entry.tool)[:100],
        fields=storable(json.dumps(entry.fields, ensure_ascii=False, default=str)),
        exception=storable(entry.exception),
    )


def log_table_searched(
    wanted: LogFilter, *, limit: int, behind: Row | None, max_lines: int
) -> tuple[tuple[LogEntry, ...], Row | None, bool]:
    """Return at most `limit` matching lines behind a row, newest first; where it ended; if full.

    Looks at no more than `max_lines` rows; where that ends the search, the row is the last one
    looked at. It is None where all was searched.
    """
    considered = _within(wanted)
    if behind is not None:
        considered &= _behind(behind)
    newest_first = LogLine.objects.filter(considered).order_by("-at", "-id")
    last = list(newest_first.values_list("at", "id")[max_lines - 1 : max_lines])
    rows = newest_first.filter(_matching(wanted))
    if last:
        at, key = last[0]
        rows = rows.filter(Q(at__gt=at) | Q(at=at, id__gte=key), at__gte=at)
    if wanted.words:
        parts = [part for name in _TEXTS for part in (F(name), Value("\n"))]
        rows = rows.alias(text=Concat(*parts, output_field=TextField()))
        rows = rows.filter(
            reduce(and_, (Q(text__icontains=storable(word)) for word in wanted.words))
        )
    found = list(rows[: limit + 1])
    entries = tuple(_entry(row) for row in found[:limit])
    if len(found) > limit:
        return entries, _place(found[limit - 1].at, found[limit - 1].pk), True
    return entries, _place(*last[0]) if last else None, False


def processes_logged(*, most_lines: int) -> tuple[str, ...]:
    """Return the kinds of processes that wrote the newest lines, in order."""
    newest = LogLine.objects.order_by("-at", "-id").values_list("process", flat=True)[:most_lines]
    return tuple(sorted({process.partition(":")[0] for process in newest}))


def loggers_logged(*, most_lines: int) -> tuple[str, ...]:
    """Return the loggers of the newest lines, in order."""
    newest = LogLine.objects.order_by("-at", "-id").values_list("logger", flat=True)[:most_lines]
    return tuple(sorted(set(newest)))


def _within(wanted: LogFilter) -> Q:
    """Return what an index answers: the times, and whether it is a warning at least."""
    within = Q()
    if wanted.since is not None:
        within &= Q(at__gte=wanted.since)
    if wanted.until is not None:
        within &= Q(at__lte=wanted.until)
    if wanted.level >= WARNING_LEVEL:
        within &= Q(level__gte=WARNING_LEVEL)
    return within


def _matching(wanted: LogFilter) -> Q:
    matching = Q(level__gte=wanted.level)
    if wanted.logger:
        matching &= Q(logger=wanted.logger) | Q(logger__startswith=f"{wanted.logger}.")
    if wanted.process:
        matching &= Q(process=wanted.process) | Q(process__startswith=f"{wanted.process}:")
    return matching


def _behind(row: Row) -> Q:
    at = instant_of(row)
    return Q(at__lte=at) & (Q(at__lt=at) | Q(at=at, id__lt=row.key))


def _place(at: datetime, key: int) -> Row:
    return Row((at - _EPOCH) // _MICROSECOND, key)


def instant_of(row: Row) -> datetime:
    """Return the instant of a place."""
    return _EPOCH + row.microseconds * _MICROSECOND


def _entry(row: LogLine) -> LogEntry:
    return LogEntry(
        at=row.at,
        level=logging.getLevelName(row.level),
        logger=row.logger,
        message=row.message,
        request_id=row.request_id,
        process=row.process,
        caller=row.caller,
        tool=row.tool,
        exception=row.exception,
        fields={**json.loads(row.fields), "host": row.host},
    )
