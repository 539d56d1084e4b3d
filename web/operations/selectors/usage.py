"""What was called how often, how long it took, and what was searched for.

A report over a million calls reads indexes, not rows: counts and times stand in them. Where a
database has no percentiles (SQLite), they come from the newest calls of each tool.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast

from django.db import connection
from django.db.models import Aggregate, Count, FloatField, Max, Q
from django.db.models.functions import Lower

from web.accounts.principals import Principal
from web.core import clock
from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.operations.models import ToolCall
from web.operations.records import DayUsage, QueryUsage, ToolUsage, UsageReport

DEFAULT_DAYS = 7
_IS_ERROR = ~Q(outcome="ok")
_IS_SEARCH = ~Q(query="")


class _Percentile(Aggregate):
    """PostgreSQL's percentile_cont: between two values, the mean in proportion."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(%(fraction)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def usage_report(*, principal: Principal, days: int = DEFAULT_DAYS) -> UsageReport:
    """Return what was called on the last `days` days (UTC), today included.

    Raises NotAllowed for callers who are not staff, InvalidInput for more days than calls are kept.
    """
    principal.require_staff()
    if not 1 <= days <= LIMITS.usage_keep_days:
        raise InvalidInput(
            f"days must be from 1 to {LIMITS.usage_keep_days}: calls are kept that long.",
            hint="Take fewer days.",
            fields={"days": f"from 1 to {LIMITS.usage_keep_days}"},
        )
    until = clock.now()
    first = until.astimezone(UTC).date() - timedelta(days=days - 1)
    since = _midnight(first)
    by_day = tuple(_day(first + timedelta(days=number)) for number in range(days))
    read_since, are_all = _searches_read_since(since)
    searches = _IS_SEARCH & Q(at__gte=read_since)
    return UsageReport(
        since=since,
        until=until,
        calls=sum(day.calls for day in by_day),
        errors=sum(day.errors for day in by_day),
        callers=_signed_in_callers(since),
        tools=_tools(since),
        days=by_day,
        top_queries=_queries(searches),
        empty_queries=_queries(searches & Q(result_count=0)),
        searches_read=ToolCall.objects.filter(searches).count(),
        searches_are_all=are_all,
    )


def percentile(ascending: Sequence[float], fraction: float) -> float:
    """Return the value at `fraction` (0 to 1) of sorted values, as percentile_cont does.

    Between two values it is their mean in proportion. There must be at least one value.
    """
    place = fraction * (len(ascending) - 1)
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (ascending[above] - ascending[below]) * (place - below)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def _day(day: date) -> DayUsage:
    start = _midnight(day)
    rows = ToolCall.objects.filter(at__gte=start, at__lt=start + timedelta(days=1))
    counts = rows.aggregate(calls=Count("*"), errors=Count("outcome", filter=_IS_ERROR))
    return DayUsage(day, counts["calls"], counts["errors"])


def _signed_in_callers(since: datetime) -> int:
    rows = ToolCall.objects.filter(at__gte=since, user__isnull=False)
    return rows.order_by().values("user_id").distinct().count()


def _tools(since: datetime) -> tuple[ToolUsage, ...]:
    measures: dict[str, Aggregate] = {
        "calls": Count("*"),
        "errors": Count("outcome", filter=_IS_ERROR),
    }
    if connection.vendor == "postgresql":
        measures |= {"p50": _Percentile("seconds", fraction=0.5)}
        measures |= {"p95": _Percentile("seconds", fraction=0.95)}
    by_tool = ToolCall.objects.filter(at__gte=since).order_by().values("tool")
    tools = []
    for row in cast("Iterable[dict[str, Any]]", by_tool.annotate(**measures)):
        name, calls = row["tool"], row["calls"]
        exact = (row["p50"], row["p95"], calls) if "p50" in row else None
        tools.append(ToolUsage(name, calls, row["errors"], *(exact or _newest_times(name, since))))
    return tuple(sorted(tools, key=lambda tool: (-tool.calls, tool.tool)))


def _newest_times(tool: str, since: datetime) -> tuple[float, float, int]:
    newest = ToolCall.objects.filter(tool=tool, at__gte=since).order_by("-at")
    seconds = sorted(newest.values_list("seconds", flat=True)[: LIMITS.max_timed_calls])
    return percentile(seconds, 0.5), percentile(seconds, 0.95), len(seconds)


def _searches_read_since(since: datetime) -> tuple[datetime, bool]:
    """Return from when on searches are counted, and whether that is all of them since `since`."""
    searches = ToolCall.objects.filter(_IS_SEARCH, at__gte=since).order_by("-at")
    last = LIMITS.max_counted_searches
    beyond = searches.values_list("at", flat=True)[last - 1 : last + 1]
    return (beyond[0], False) if len(beyond) > 1 else (since, True)


def _queries(searches: Q) -> tuple[QueryUsage, ...]:
    rows = (
        ToolCall.objects.filter(searches)
        .order_by()
        .annotate(folded=Lower("query"))
        .values("folded", "tool")
        .annotate(count=Count("*"), last_at=Max("at"))
        .order_by("-count", "-last_at")[: LIMITS.max_usage_queries]
    )
    return tuple(
        QueryUsage(row["folded"], row["tool"], row["count"], row["last_at"]) for row in rows
    )
