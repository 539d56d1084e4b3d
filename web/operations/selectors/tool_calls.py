"""Recorded tool calls, one by one."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Q, QuerySet

from web.accounts.principals import Principal
from web.core.errors import NotFound
from web.core.limits import LIMITS
from web.core.paging import check_limit, cursor_behind, foreign_cursor, number_of, place_of
from web.operations.models import ToolCall
from web.operations.records import ToolCallEntry, ToolCallPage

ANONYMOUS = "anonymous"
ANY_ERROR = "error"
OK = "ok"


def tool_calls_listed(
    *,
    principal: Principal,
    tool: str | None = None,
    user: str | None = None,
    outcome: str | None = None,
    since: datetime | None = None,
    limit: int = LIMITS.default_list_limit,
    cursor: str | None = None,
) -> ToolCallPage:
    """Return recorded calls, newest first; a page is not moved by calls made meanwhile.

    `user` is the name of an account, or "anonymous"; `outcome` is one word, or "error" for all but
    "ok"; `since` is aware. Raises NotAllowed for callers who are not staff, NotFound for a user who
    does not exist, a tool or outcome that no call has, InvalidInput for a limit or cursor that does
    not fit.
    """
    principal.require_staff()
    check_limit(limit, most=LIMITS.max_list_limit)
    filters = {"tool": tool, "user": user, "outcome": outcome, "since": since}
    matching = _matching(tool, user, outcome, since)
    place = place_of(cursor, filters=filters)
    rows = list(_behind(matching, place).select_related("user")[: limit + 1])
    shown = rows[:limit]
    if not rows and place is None:
        _require_recorded("tool", tool)
        _require_recorded("outcome", None if outcome == ANY_ERROR else outcome)
    return ToolCallPage(
        calls=tuple(_entry(row) for row in shown),
        total_count=matching.count(),
        next_cursor=(
            cursor_behind(_place(shown[-1]), filters=filters) if len(rows) > limit else None
        ),
    )


def _matching(
    tool: str | None, user: str | None, outcome: str | None, since: datetime | None
) -> "QuerySet[ToolCall]":
    rows = ToolCall.objects.all()
    if tool:
        rows = rows.filter(tool=tool)
    if user == ANONYMOUS:
        rows = rows.filter(user=None, caller=ANONYMOUS)
    elif user:
        rows = rows.filter(user_id=_user_id(user))
    if outcome == ANY_ERROR:
        rows = rows.exclude(outcome=OK)
    elif outcome:
        rows = rows.filter(outcome=outcome)
    return rows if since is None else rows.filter(at__gte=since)


def _require_recorded(column: str, value: str | None) -> None:
    """Raise NotFound for a value that no call has, which may be misspelled; the hint has those."""
    if not value:
        return
    known = sorted(ToolCall.objects.order_by().values_list(column, flat=True).distinct())
    if value not in known:
        raise NotFound(
            f"No recorded call has the {column} {value[:100]!r}.",
            hint=f"Recorded of the last {LIMITS.usage_keep_days} days: {', '.join(known)}."
            if known
            else "No call is recorded yet.",
        )


def _user_id(name: str) -> Any:
    found = get_user_model().objects.filter(username=name).values_list("pk", flat=True).first()
    if found is None:
        raise NotFound(
            f"There is no user {name[:150]!r}.",
            hint="list_users shows the names; anonymous stands for callers without a token.",
        )
    return found


def _place(row: ToolCall) -> str:
    return f"{row.at.timestamp():.6f}-{row.pk}"


def _behind(rows: "QuerySet[ToolCall]", place: str | None) -> "QuerySet[ToolCall]":
    if place is None:
        return rows
    seconds, _, key = place.partition("-")
    try:
        at = datetime.fromtimestamp(float(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        raise foreign_cursor() from None
    return rows.filter(Q(at__lt=at) | Q(at=at, pk__lt=number_of(key)))


def _entry(row: ToolCall) -> ToolCallEntry:
    return ToolCallEntry(
        at=row.at,
        server=row.server,
        endpoint=row.endpoint,
        tool=row.tool,
        user=row.user.get_username() if row.user else "",
        caller=row.caller,
        outcome=row.outcome,
        seconds=row.seconds,
        cached=row.cached,
        result_size=row.result_size,
        result_count=row.result_count,
        query=row.query,
        arguments=row.arguments,
        request_id=row.request_id,
    )
