"""set_users_active: accounts deactivated or activated, many at once, by staff."""

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
from mcp_sidecar.contract.instants import OptionalInstant
from mcp_sidecar.contract.operations.scopes import (
    REFUSALS,
    REVERSIBLE,
    DryRun,
    Ids,
    Reason,
    ending_line,
    ids_line,
)
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.lists import counted

NAME = "set_users_active"


class SetUsersActiveArguments(Arguments):
    """What set_users_active takes."""

    active: bool = Field(
        description="false: deactivate, the accounts can do nothing from now on; true: let them "
        "in again.",
        examples=[False],
    )
    reason: Reason = Field(examples=["left the company in October"])
    ids: Ids = Field(
        None,
        description="Scope, one of two: ids of the accounts, as list_users shows them.",
        examples=[[7, 9]],
    )
    last_login_before: OptionalInstant = Field(
        None,
        description="Scope, one of two: all accounts but the caller's own whose last sign-in is "
        "older, ISO 8601; who never signed in counts from the day the account was made.",
        examples=["2026-06-01"],
    )
    dry_run: DryRun = False


class SetUsersActiveResult(Result):
    """What was or would be changed; see the record UsersChanged."""

    is_active: bool
    is_dry_run: bool
    changed_count: int
    unchanged_count: int
    sample_ids: tuple[int, ...]
    token_count: int
    connection_count: int


def render(result: SetUsersActiveResult) -> Rendering:
    """Return the summary."""
    done = "activated" if result.is_active else "deactivated"
    verb = f"would be {done}" if result.is_dry_run else done
    head = f"{counted(result.changed_count, 'account')} {verb}."
    if result.is_dry_run:
        head = f"Dry run, nothing was changed. {head}"
    lines = [
        head,
        f"Of the scope, {counted(result.unchanged_count, 'account')} already "
        f"{'active' if result.is_active else 'inactive'}.",
        ids_line(result.sample_ids, result.changed_count, "ids"),
    ]
    closing = [_consequence(result)] if result.changed_count else []
    if result.is_dry_run and result.changed_count:
        closing.append("To do it, call again with the same arguments and dry_run=false.")
    return Rendering(Answer(lines).text(closing))


def _consequence(result: SetUsersActiveResult) -> str:
    access = ending_line(result.token_count, result.connection_count)
    if result.is_active:
        return f"{access} of them work again: revoke_tokens ends them for good."
    return (
        f"{access} of them stop working, and so do their sessions; all would work again with "
        "active=true. revoke_tokens ends them for good."
    )


CONTRACT = ToolContract(
    name=NAME,
    title="Set users active",
    description=Description(
        purpose="Deactivate accounts, or let them in again, all of the scope or none, and return "
        "how many. Use it when people leave or come back, or to close accounts that nobody uses. "
        "It takes effect within a second and can be undone with the opposite. Give exactly one "
        "scope: ids or last_login_before.",
        not_for="ending only tokens and applications, or ending them for good (revoke_tokens); "
        "finding accounts (list_users).",
        returns='text such as "2 accounts deactivated." with how many were so already, the '
        "first ids, and what stops working; never the accounts themselves.",
        errors=f"{FIX} {REFUSALS}conflict: no active staff would be left, leave one out. {RETRY}",
    ),
    arguments=SetUsersActiveArguments,
    result=SetUsersActiveResult,
    renderer=render,
    hints=REVERSIBLE,
    cache_seconds=None,
)
