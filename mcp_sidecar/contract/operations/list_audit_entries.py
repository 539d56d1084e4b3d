"""list_audit_entries: who did what, when and why, for staff."""

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
from mcp_sidecar.contract.fields import Cursor, OptionalWord
from mcp_sidecar.contract.instants import OptionalInstant
from mcp_sidecar.contract.limits import MAX_LIST_LIMIT
from mcp_sidecar.contract.operations.audit import AuditItem, audit_line
from mcp_sidecar.contract.rendering.answer import WRITTEN_BY_OTHERS, Answer
from mcp_sidecar.contract.rendering.lists import count_line, filters_line, more_line

NAME = "list_audit_entries"
DEFAULT_ENTRIES = 50


class ListAuditEntriesArguments(Arguments):
    """What list_audit_entries takes."""

    actor: OptionalWord = Field(
        None,
        description='User name of who did it, whole; "command line" for management commands.',
        examples=["ada"],
    )
    action: OptionalWord = Field(
        None,
        description="What was done: a whole word such as user.deactivated, or its first part for "
        "all of a kind: user, token, access, connection, invitation, sign_in, source.",
        examples=["user.deactivated"],
    )
    target: OptionalWord = Field(
        None, description="Part of what it was done to, in any case.", examples=["user:8"]
    )
    since: OptionalInstant = Field(
        None,
        description="Only entries of this date or later, ISO 8601; a time without offset is UTC.",
        examples=["2026-11-02"],
    )
    limit: int = Field(
        DEFAULT_ENTRIES, ge=1, le=MAX_LIST_LIMIT, description="Entries at most.", examples=[20]
    )
    cursor: Cursor = None


class ListAuditEntriesResult(Result):
    """One page of the audit, newest first."""

    entries: tuple[AuditItem, ...]
    total_count: int
    next_cursor: str | None
    filters_applied: dict[str, str] = {}


def render(result: ListAuditEntriesResult) -> Rendering:
    """Return one line per entry."""
    answer = Answer(
        ["The audit, newest first.", filters_line(result.filters_applied)],
        notice=WRITTEN_BY_OTHERS,
    )
    shown = answer.add_rows(f"- {audit_line(entry)}" for entry in result.entries)
    left_out = len(result.entries) - shown
    closing = [
        count_line(result.total_count, shown, noun="entries"),
        more_line(NAME, cursor=result.next_cursor, shown=shown, left_out=left_out),
    ]
    if not result.total_count:
        closing = ["No entry matches. Leave a filter out, or name the first part of the action."]
    return Rendering(answer.text(closing), shown, left_out)


CONTRACT = ToolContract(
    name=NAME,
    title="List audit entries",
    description=Description(
        purpose="List what people and applications did to accounts, tokens, invitations and "
        "sources, newest first: when, who, what, to what, from which address, why. Use it to find "
        "out who changed something, or what somebody did. Without filters it lists everything.",
        not_for="what agents asked the tools (that is no change), one account at a glance "
        "(get_user).",
        returns='Markdown, one line per entry, such as "- 2026-11-05 09:12 UTC `ada` '
        '`user.deactivated` `user:8 ben`: `left in October`"; filters_applied; total_count; the '
        "cursor of the next page.",
        errors=f"{FIX} {RETRY}",
    ),
    arguments=ListAuditEntriesArguments,
    result=ListAuditEntriesResult,
    renderer=render,
    cache_seconds=None,
)
