"""What the tools that change many accounts at once have in common: scope, reason, dry run."""

from typing import Annotated

from pydantic import Field, StringConstraints

from mcp_sidecar.contract.base import Hints
from mcp_sidecar.contract.limits import MAX_BATCH_ITEMS
from mcp_sidecar.contract.operations.users import MAX_ID
from mcp_sidecar.contract.rendering.lists import counted

MAX_REASON_CHARACTERS = 500

Id = Annotated[int, Field(ge=1, le=MAX_ID)]
Ids = Annotated[list[Id] | None, Field(min_length=1, max_length=MAX_BATCH_ITEMS)]
Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_REASON_CHARACTERS),
    Field(
        description="Why, in the user's words: the audit keeps it with the user's name. Ask when "
        "you do not know it.",
    ),
]
DryRun = Annotated[
    bool,
    Field(
        description="true: change nothing and tell what would change. Call with true first.",
        examples=[True],
    ),
]

REVERSIBLE = Hints(read_only=False, idempotent=True)
FOR_GOOD = Hints(read_only=False, idempotent=True, destructive=True)
REFUSALS = (
    "not_found: an id is no account, ask list_users. not_allowed: an account of the scope is the "
    "caller's own, or the caller is no longer staff; tell the user. "
)


def ids_line(ids: tuple[int, ...], count: int, noun: str) -> str:
    """Return the sample of a summary: the first ids and how many more there are."""
    if not ids:
        return ""
    more = count - len(ids)
    shown = ", ".join(map(str, ids)) + (f" and {more} more" if more > 0 else "")
    return f"{noun}: {shown}"


def ending_line(tokens: int, connections: int) -> str:
    """Return how many tokens and applications a change concerns, as words."""
    return f"{counted(tokens, 'token')} and {counted(connections, 'application')}"
