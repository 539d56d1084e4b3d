"""get_usage: what was called and searched for, for staff."""

from collections.abc import Iterable
from datetime import date, datetime

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.limits import USAGE_KEEP_DAYS
from mcp_sidecar.contract.rendering.answer import WRITTEN_BY_OTHERS, Answer
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.text import span

NAME = "get_usage"
DEFAULT_DAYS = 7


class GetUsageArguments(Arguments):
    """What get_usage takes."""

    days: int = Field(
        min(DEFAULT_DAYS, USAGE_KEEP_DAYS),
        ge=1,
        le=USAGE_KEEP_DAYS,
        description="How many days back, today (UTC) included.",
        examples=[30],
    )


class ToolUsage(Result):
    """One tool; see the record of the same name."""

    tool: str
    calls: int
    errors: int
    p50_seconds: float
    p95_seconds: float
    timed_count: int


class DayUsage(Result):
    """One day, UTC."""

    day: date
    calls: int
    errors: int


class QueryUsage(Result):
    """One query; see the record of the same name."""

    query: str
    tool: str
    count: int
    last_at: datetime


class GetUsageResult(Result):
    """The report; see the record UsageReport."""

    since: datetime
    until: datetime
    calls: int
    errors: int
    callers: int
    tools: tuple[ToolUsage, ...]
    days: tuple[DayUsage, ...]
    top_queries: tuple[QueryUsage, ...]
    empty_queries: tuple[QueryUsage, ...]
    searches_read: int
    searches_are_all: bool


def render(result: GetUsageResult) -> Rendering:
    """Return the counts by tool and day, and the queries."""
    answer = Answer(
        [
            f"Usage from {instant(result.since)} to {instant(result.until)}",
            f"calls: {result.calls}; errors: {result.errors}; signed-in callers: {result.callers}",
        ],
        notice=WRITTEN_BY_OTHERS,
    )
    left_out = 0
    for title, rows in (
        ("## Queries that found nothing", [_query_row(one) for one in result.empty_queries]),
        ("## Top queries", [_query_row(one) for one in result.top_queries]),
        ("## Tools", [_tool_row(one) for one in result.tools]),
        ("## Days (UTC)", [_day_row(one) for one in result.days]),
    ):
        left_out += _section(answer, title, rows)
    if result.searches_are_all:
        counted = f"Queries are counted over all {result.searches_read} searches, without case."
    else:
        counted = f"Queries are counted over the newest {result.searches_read} searches."
    closing = [counted]
    if left_out:
        closing.append(f"truncated: {left_out} rows did not fit. Call {NAME} with fewer days.")
    if not result.calls:
        closing = ["Nothing was called in this time. Take more days."]
    return Rendering(answer.text(closing), 0, 0)


def _section(answer: Answer, title: str, rows: Iterable[str]) -> int:
    """Add a section; return how many of its rows did not fit."""
    lines = list(rows)
    if not lines:
        return 0
    if not answer.add(title):
        return len(lines)
    return len(lines) - answer.add_rows(lines)


def _tool_row(usage: ToolUsage) -> str:
    row = (
        f"- {span(usage.tool, 100)}: {usage.calls} calls, {usage.errors} errors, "
        f"p50 {_milliseconds(usage.p50_seconds)}, p95 {_milliseconds(usage.p95_seconds)}"
    )
    if usage.timed_count < usage.calls:
        row += f" (times of the newest {usage.timed_count})"
    return row


def _day_row(usage: DayUsage) -> str:
    return f"- {usage.day}: {usage.calls} calls, {usage.errors} errors"


def _query_row(usage: QueryUsage) -> str:
    return (
        f"- {usage.count} times {span(usage.query, 300)} with {span(usage.tool, 100)}, last "
        f"{instant(usage.last_at)}"
    )


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


CONTRACT = ToolContract(
    name=NAME,
    title="Get usage",
    description=Description(
        purpose="Report what agents called and searched for on the last days: calls, errors and "
        "times (p50, p95) of each tool, calls per day, the top queries, and the queries that found "
        "nothing. Use it to learn what people look for and what is missing from documentation, "
        "or which tool is slow or fails.",
        not_for="single calls (list_tool_calls), errors with their tracebacks (search_logs).",
        returns='Markdown: totals, then rows such as "- 12 times `sextant` with `search_docs`, '
        'last 2026-11-30 08:23 UTC" and "- `search_code`: 1200 calls, 3 errors, p50 8.1 ms, p95 '
        '31.0 ms".',
        errors=f"{FIX} {RETRY}",
    ),
    arguments=GetUsageArguments,
    result=GetUsageResult,
    renderer=render,
    cache_seconds=None,
)
