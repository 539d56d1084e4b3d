"""search_logs: what the processes of this server logged, for staff."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Page,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import Cursor, OptionalWord, row_limit
from mcp_sidecar.contract.instants import OptionalInstant
from mcp_sidecar.contract.limits import DEFAULT_LOG_LIMIT, MAX_LOG_LIMIT, MAX_QUERY_CHARACTERS
from mcp_sidecar.contract.rendering.answer import WRITTEN_BY_OTHERS, Answer
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.rendering.lists import filters_line, more_line
from mcp_sidecar.contract.text import fence, span, word

NAME = "search_logs"
MAX_MESSAGE_CHARACTERS = 1_000
MAX_FIELDS_CHARACTERS = 800
MAX_EXCEPTION_LINES = 30
MAX_EXCEPTION_CHARACTERS = 4_000

Level = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


class SearchLogsArguments(Arguments):
    """What search_logs takes."""

    query: Annotated[str | None, Field(max_length=MAX_QUERY_CHARACTERS)] = Field(
        None,
        description='Words and "quoted phrases" that must all occur in a line, in any case: part '
        'of a message or traceback, a request id, a caller as "user:7".',
        examples=['"Internal error"'],
    )
    level: Level | None = Field(
        None, description="The least level; left out: all levels.", examples=["ERROR"]
    )
    logger: OptionalWord = Field(
        None,
        description="Only this logger and those below it; portolan.calls has a line per call.",
        examples=["web.library"],
    )
    process: OptionalWord = Field(
        None,
        description="Only this kind of process (sidecar, web, worker, or a management command; "
        "nginx where the log is in files, not PostgreSQL), or one process by its id.",
        examples=["sidecar"],
    )
    since: OptionalInstant = Field(
        None,
        description="Only lines of this instant or later, ISO 8601; without offset UTC.",
        examples=["2026-11-30T08:00"],
    )
    until: OptionalInstant = Field(
        None,
        description="Only lines of this instant or earlier, ISO 8601; without offset UTC.",
        examples=["2026-11-30T09:00"],
    )
    limit: int = row_limit(DEFAULT_LOG_LIMIT, MAX_LOG_LIMIT, noun="Lines", example=20)
    cursor: Cursor = None


def _as_texts(fields: Any) -> Any:
    """Return the fields of an event with their values as text: JSON, but for what is text."""
    if not isinstance(fields, Mapping):
        return fields
    return {
        str(name): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in fields.items()
    }


class LogEntry(Result):
    """A line of the log; see the record of the same name."""

    at: datetime
    level: str
    logger: str
    message: str
    request_id: str
    process: str
    caller: str
    tool: str
    exception: str
    fields: Annotated[dict[str, str], BeforeValidator(_as_texts)]


class SearchLogsResult(Page):
    """One page of lines, newest first."""

    entries: tuple[LogEntry, ...]
    searched_back_to: datetime | None


def render(result: SearchLogsResult) -> Rendering:
    """Return a line per entry, with its traceback below it."""
    answer = Answer(
        ["Log of this server, newest first.", filters_line(result.filters_applied)],
        notice=WRITTEN_BY_OTHERS,
    )
    shown = answer.add_all(_block(entry) for entry in result.entries)
    left_out = len(result.entries) - shown
    closing = [f"lines shown: {shown}"]
    if result.searched_back_to is not None:
        closing.append(
            f"The search ended at its bound: lines before {instant(result.searched_back_to)} were "
            "not looked at yet. Go on with the cursor, or take since and a narrower filter."
        )
    closing.append(more_line(NAME, cursor=result.next_cursor, shown=shown, left_out=left_out))
    if not result.entries and not result.next_cursor:
        closing = ["No line matches. Leave a filter out, take a lower level or fewer words."]
    return Rendering(answer.text(closing), shown, left_out)


def _block(entry: LogEntry) -> str:
    at = entry.at.astimezone(UTC)
    parts = [
        f"- {at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03} UTC {word(entry.level)} "
        f"{span(entry.logger, 100)}: {span(entry.message, MAX_MESSAGE_CHARACTERS)}"
    ]
    for name in ("request_id", "caller", "tool", "process"):
        if value := getattr(entry, name):
            parts.append(f"{name} {span(value, 100)}")
    if entry.fields:
        more = " ".join(f"{name}={value}" for name, value in entry.fields.items())
        parts.append(f"fields {span(more, MAX_FIELDS_CHARACTERS)}")
    line = ", ".join(parts)
    return f"{line}\n\n{fence(_ending(entry.exception))}" if entry.exception else line


def _ending(exception: str) -> str:
    """Return the last lines of a traceback, where the failure itself stands."""
    lines = exception.rstrip("\n").split("\n")
    text = "\n".join(lines[-MAX_EXCEPTION_LINES:])
    cut = len(lines) > MAX_EXCEPTION_LINES or len(text) > MAX_EXCEPTION_CHARACTERS
    return ("… (its end)\n" if cut else "") + text[-MAX_EXCEPTION_CHARACTERS:]


CONTRACT = ToolContract(
    name=NAME,
    title="Search logs",
    description=Description(
        purpose="Search what the processes of this server logged: time, level, logger, message, "
        "request id, caller, tool and traceback of each matching line, newest first. Use it to "
        "find why something failed; then search for the request id to see everything that the "
        "request did, in all processes.",
        not_for="whether all is well (get_health), calls of tools with their outcome "
        "(list_tool_calls), who changed what (list_audit_entries).",
        returns='Markdown, one line each, such as "- 2026-11-30 08:23:43.123 UTC ERROR '
        "`mcp_sidecar.errors`: `read_file failed`, request_id `4f1c`, caller `user:7`, tool "
        '`read_file`, process `sidecar:12`" with the end of its traceback; filters_applied; how '
        "far a bounded search got; the cursor of the next page.",
        errors=f"{FIX} {RETRY}",
    ),
    arguments=SearchLogsArguments,
    result=SearchLogsResult,
    renderer=render,
    cache_seconds=None,
)
