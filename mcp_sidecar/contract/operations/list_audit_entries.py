"""list_audit_entries: who did what, when and why, for staff."""

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Listing,
    Rendering,
    ToolContract,
)
from mcp_sidecar.contract.fields import Cursor, OptionalWord, row_limit
from mcp_sidecar.contract.instants import OptionalInstant
from mcp_sidecar.contract.limits import MAX_LIST_LIMIT
from mcp_sidecar.contract.operations.audit import AuditItem, audit_line
from mcp_sidecar.contract.rendering.lists import listed

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
    limit: int = row_limit(DEFAULT_ENTRIES, MAX_LIST_LIMIT, noun="Entries", example=20)
    cursor: Cursor = None


class ListAuditEntriesResult(Listing):
    """One page of the audit, newest first."""

    entries: tuple[AuditItem, ...]


def render(result: ListAuditEntriesResult) -> Rendering:
    """Return one line per entry."""
    return listed(
        NAME,
        result,
        [f"- {audit_line(entry)}" for entry in result.entries],
        title="The audit, newest first.",
        noun="entries",
        when_empty="No entry matches. Leave a filter out, or name the first part of the action.",
    )


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
