"""list_users: the accounts, for staff."""

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
from mcp_sidecar.contract.limits import DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT
from mcp_sidecar.contract.operations.users import UserItem, user_line
from mcp_sidecar.contract.rendering.lists import listed

NAME = "list_users"


class ListUsersArguments(Arguments):
    """What list_users takes."""

    active: bool | None = Field(
        None,
        description="true: only accounts that can sign in; false: only deactivated ones; left "
        "out: both.",
        examples=[True],
    )
    staff: bool | None = Field(
        None,
        description="true: only staff; false: only accounts without staff rights; left out: both.",
        examples=[True],
    )
    search: OptionalWord = Field(
        None,
        description="Part of the user name, the full name or the e-mail address, in any case.",
        examples=["ada"],
    )
    last_login_before: OptionalInstant = Field(
        None,
        description="Only accounts whose last sign-in is older, ISO 8601; a time without offset "
        "is UTC. Who never signed in counts from the day the account was made.",
        examples=["2026-06-01"],
    )
    limit: int = row_limit(DEFAULT_LIST_LIMIT, MAX_LIST_LIMIT, noun="Accounts", example=20)
    cursor: Cursor = None


class ListUsersResult(Listing):
    """One page of accounts, by user name."""

    users: tuple[UserItem, ...]


def render(result: ListUsersResult) -> Rendering:
    """Return one line per account."""
    return listed(
        NAME,
        result,
        [f"- {user_line(user)}" for user in result.users],
        title="Accounts by user name.",
        noun="accounts",
        when_empty="No account matches. Leave a filter out, or search for a shorter part.",
    )


CONTRACT = ToolContract(
    name=NAME,
    title="List users",
    description=Description(
        purpose="List the accounts of this server by user name: id, names, e-mail address, "
        "active or not, staff or not, last sign-in, how many tokens and applications can act as "
        "it. Use it to find an account's id, or who has not signed in for long. Without filters "
        "it lists every account.",
        not_for="one account's tokens and history (get_user).",
        returns='Markdown, one line per account, such as "- id 7: `ada`, `Ada Lovelace`, '
        '`ada@example.org`, active, staff, last sign-in 2026-11-02 10:31 UTC"; filters_applied; '
        "total_count; the cursor of the next page.",
        errors=f"{FIX} {RETRY}",
    ),
    arguments=ListUsersArguments,
    result=ListUsersResult,
    renderer=render,
    cache_seconds=None,
)
