"""revoke_tokens: tokens and applications of accounts ended for good, by staff."""

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
    FOR_GOOD,
    REFUSALS,
    DryRun,
    Ids,
    Reason,
    ending_line,
    ids_line,
)
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.lists import counted

NAME = "revoke_tokens"


class RevokeTokensArguments(Arguments):
    """What revoke_tokens takes."""

    reason: Reason = Field(examples=["laptop lost on the train"])
    user_ids: Ids = Field(
        None,
        description="Scope, one of two: ids of the accounts whose tokens and applications all end.",
        examples=[[7]],
    )
    unused_since: OptionalInstant = Field(
        None,
        description="Scope, one of two: of all accounts but the caller's own, the tokens last used "
        "before this instant and the applications that last renewed their access before it, "
        "ISO 8601; a token never used counts from the day it was made.",
        examples=["2026-06-01"],
    )
    dry_run: DryRun = False


class RevokeTokensResult(Result):
    """What was or would be ended; see the record AccessRevoked."""

    is_dry_run: bool
    user_count: int
    token_count: int
    connection_count: int
    sample_user_ids: tuple[int, ...]
    sample_token_ids: tuple[int, ...]


def render(result: RevokeTokensResult) -> Rendering:
    """Return the summary."""
    ended = ending_line(result.token_count, result.connection_count)
    owners = counted(result.user_count, "account")
    head = f"{ended} of {owners} {'would be ' if result.is_dry_run else ''}revoked."
    if result.is_dry_run:
        head = f"Dry run, nothing was changed. {head}"
    lines = [
        head,
        ids_line(result.sample_user_ids, result.user_count, "accounts"),
        ids_line(result.sample_token_ids, result.token_count, "tokens"),
    ]
    closing = []
    if result.user_count and result.is_dry_run:
        closing = ["To do it, call again with the same arguments and dry_run=false."]
    elif result.user_count:
        closing = ["Members make new tokens on their account page and connect again by signing in."]
    return Rendering(Answer(lines).text(closing))


CONTRACT = ToolContract(
    name=NAME,
    title="Revoke tokens",
    description=Description(
        purpose="End personal access tokens and connected applications for good, all of the scope "
        "or none, and return how many. Use it when a token may have leaked, or to clear what "
        "nobody uses. It takes effect within a second and cannot be undone; people can make new "
        "tokens and connect again. Give exactly one scope: user_ids or unused_since.",
        not_for="keeping an account out altogether, or until later (set_users_active); seeing its "
        "tokens (get_user).",
        returns='text such as "3 tokens and 1 application of 2 accounts revoked." with the first '
        "ids; never the tokens themselves.",
        errors=f"{FIX} {REFUSALS}{RETRY}",
    ),
    arguments=RevokeTokensArguments,
    result=RevokeTokensResult,
    renderer=render,
    hints=FOR_GOOD,
    cache_seconds=None,
)
