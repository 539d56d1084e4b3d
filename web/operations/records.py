"""What the selectors of operations return: frozen, complete, without secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

State = Literal["ok", "warning", "failing"]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log; `fields` is what the event added beside the fields of every line."""

    at: datetime
    level: str
    logger: str
    message: str
    request_id: str
    process: str
    caller: str
    tool: str
    exception: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogPage:
    """Matching lines, newest first.

    `searched_back_to` is None where the page is full or all was searched; else the search ended at
    its bound, at that instant. `next_cursor` goes on from there.
    """

    entries: tuple[LogEntry, ...]
    searched_back_to: datetime | None
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """The outcome of one check: what it means, what to do about it (empty when ok), how long.

    `details` name what it is about, one line each, the worst first.
    """

    name: str
    state: State
    meaning: str
    action: str = ""
    seconds: float = 0.0
    details: tuple[str, ...] = ()

    @property
    def milliseconds(self) -> float:
        """How long the check took."""
        return self.seconds * 1000


@dataclass(frozen=True, slots=True)
class HealthReport:
    """All checks in their fixed order; `state` is the worst of them."""

    state: State
    checked_at: datetime
    checks: tuple[HealthCheck, ...]


@dataclass(frozen=True, slots=True)
class ToolUsage:
    """One tool over the time of a report.

    Times are of all its calls, failed and cached ones too, or of the newest `timed_count`.
    """

    tool: str
    calls: int
    errors: int
    p50_seconds: float
    p95_seconds: float
    timed_count: int

    @property
    def p50_milliseconds(self) -> float:
        """Half of the calls were at least as fast."""
        return self.p50_seconds * 1000

    @property
    def p95_milliseconds(self) -> float:
        """All but a twentieth of the calls were at least as fast."""
        return self.p95_seconds * 1000


@dataclass(frozen=True, slots=True)
class DayUsage:
    """The calls of one day, UTC."""

    day: date
    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class QueryUsage:
    """A query, without regard to case, and the tool it was given to."""

    query: str
    tool: str
    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class UsageReport:
    """What was called since `since`.

    `tools` by calls, most first. `days` oldest first, without gaps. `top_queries` and
    `empty_queries` (those that found nothing) by count, counted over the newest `searches_read`
    searches; `searches_are_all` says whether that is all of them.
    """

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


@dataclass(frozen=True, slots=True)
class ToolCallEntry:
    """One recorded call. `user` is the name of the account, empty for anonymous callers."""

    at: datetime
    server: str
    endpoint: str
    tool: str
    user: str
    caller: str
    outcome: str
    seconds: float
    cached: bool
    result_size: int
    result_count: int | None
    query: str
    arguments: Mapping[str, Any]
    request_id: str


@dataclass(frozen=True, slots=True)
class ToolCallPage:
    """Recorded calls, newest first; `total_count` of all that match."""

    calls: tuple[ToolCallEntry, ...]
    total_count: int
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class NewToolCall:
    """A call to be recorded; see the model ToolCall. Whoever makes it took the secrets out."""

    at: datetime
    server: str
    endpoint: str
    tool: str
    user_id: int | None
    caller: str
    outcome: str
    seconds: float
    cached: bool
    result_size: int
    result_count: int | None
    query: str
    arguments: Mapping[str, Any]
    request_id: str
