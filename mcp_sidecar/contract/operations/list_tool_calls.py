"""list_tool_calls: recorded calls one by one, for staff."""

import json
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Listing,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import Cursor, OptionalWord, row_limit
from mcp_sidecar.contract.instants import OptionalInstant
from mcp_sidecar.contract.limits import DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT
from mcp_sidecar.contract.rendering.lists import listed
from mcp_sidecar.contract.text import span, word

NAME = "list_tool_calls"
MAX_ARGUMENTS_CHARACTERS = 500
MAX_USER_CHARACTERS = 150


class ListToolCallsArguments(Arguments):
    """What list_tool_calls takes."""

    tool: OptionalWord = Field(
        None, description="Only calls of this tool.", examples=["search_code"]
    )
    user: Annotated[str | None, Field(max_length=MAX_USER_CHARACTERS)] = Field(
        None,
        description="Only calls of this account, by its user name; anonymous: without a token.",
        examples=["ada"],
    )
    outcome: OptionalWord = Field(
        None,
        description="ok, error for all but ok, or one kind: invalid_arguments, not_found, "
        "invalid_input, internal_error, deadline_exceeded and so on.",
        examples=["error"],
    )
    since: OptionalInstant = Field(
        None,
        description="Only calls of this instant or later, ISO 8601; without offset UTC.",
        examples=["2026-11-30"],
    )
    limit: int = row_limit(DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT, noun="Calls", example=20)
    cursor: Cursor = None


def _as_text(arguments: Any) -> Any:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


class ToolCallItem(Result):
    """A recorded call; see the record ToolCallEntry. `arguments` is JSON."""

    at: datetime
    endpoint: str
    tool: str
    user: str
    caller: str
    outcome: str
    seconds: float
    cached: bool
    result_size: int
    result_count: int | None
    arguments: Annotated[str, BeforeValidator(_as_text)]
    request_id: str


class ListToolCallsResult(Listing):
    """One page of calls, newest first."""

    calls: tuple[ToolCallItem, ...]


def render(result: ListToolCallsResult) -> Rendering:
    """Return one line per call."""
    return listed(
        NAME,
        result,
        [_row(call) for call in result.calls],
        title="Recorded calls, newest first.",
        noun="calls",
        when_empty="No call matches. Leave a filter out, or take an earlier since; get_usage names "
        "the tools that were called.",
    )


def _row(call: ToolCallItem) -> str:
    parts = [
        f"- {call.at:%Y-%m-%d %H:%M:%S} UTC {span(call.tool, 100)}: {word(call.outcome)}",
        f"by {span(call.user, 150)} ({span(call.caller)})" if call.user else span(call.caller),
        f"{call.seconds * 1000:.1f} ms{', from the cache' if call.cached else ''}",
    ]
    if call.result_count is not None:
        parts.append(f"found {call.result_count}")
    parts += [
        f"{call.result_size} characters",
        f"arguments {span(call.arguments, MAX_ARGUMENTS_CHARACTERS)}",
        f"endpoint {span(call.endpoint, 150)}",
        f"request_id {span(call.request_id, 64)}",
    ]
    return ", ".join(parts)


CONTRACT = ToolContract(
    name=NAME,
    title="List tool calls",
    description=Description(
        purpose="List single calls of tools, newest first: who called, with which arguments, what "
        "came of it, how long it took, how much it found, and its request id. Use it to follow "
        "what a person or agent did, or which calls failed. Calls are recorded some seconds after "
        "they are answered; secrets are left out.",
        not_for="sums over many calls (get_usage), why one failed (search_logs with its "
        "request id as query).",
        returns='Markdown, one line each, such as "- 2026-11-30 08:23:43 UTC `search_code`: ok, '
        'by `ada` (`user:7`), 8.1 ms, found 3, 1200 characters, arguments `{"query": "csrf"}`, '
        'endpoint `/mcp/`, request_id `4f1c`"; filters_applied; total_count; the cursor of the '
        "next page.",
        errors=f"{FIX} not_found: no such user, find the name with list_users. {RETRY}",
    ),
    arguments=ListToolCallsArguments,
    result=ListToolCallsResult,
    renderer=render,
    cache_seconds=None,
)
