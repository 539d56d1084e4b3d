"""get_user: one account with what can act as it, for staff."""

from datetime import datetime

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
from mcp_sidecar.contract.operations.audit import AuditItem, audit_line
from mcp_sidecar.contract.operations.users import MAX_ID, UserItem, user_line
from mcp_sidecar.contract.rendering.answer import WRITTEN_BY_OTHERS, Answer
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.text import span, word

NAME = "get_user"


class GetUserArguments(Arguments):
    """What get_user takes."""

    user_id: int = Field(
        ge=1, le=MAX_ID, description="Id of the account, as list_users shows it.", examples=[7]
    )


class TokenItem(Result):
    """A personal access token without anything to use it with; see the record TokenRecord."""

    token_id: int
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    is_expired: bool


class ConnectionItem(Result):
    """An application that can act as the account; see the record ConnectionRecord."""

    name: str
    identity: str
    scopes: tuple[str, ...]
    resources: tuple[str, ...]
    connected_at: datetime
    renewed_at: datetime


class GetUserResult(Result):
    """An account; see the record UserDetail."""

    summary: UserItem
    time_zone: str
    tokens: tuple[TokenItem, ...]
    connections: tuple[ConnectionItem, ...]
    entries: tuple[AuditItem, ...]


def render(result: GetUserResult) -> Rendering:
    """Return the account, then its tokens, applications and newest audit entries."""
    answer = Answer(
        ["One account.", f"Time zone: {span(result.time_zone, 100)}"], notice=WRITTEN_BY_OTHERS
    )
    answer.add(f"- {user_line(result.summary)}")
    shown = left_out = 0
    for title, rows in (
        ("Tokens (personal access tokens that were not revoked)", map(_token, result.tokens)),
        ("Applications (connected by OAuth)", map(_connection, result.connections)),
        ("Audit (newest entries by or about the account)", map(audit_line, result.entries)),
    ):
        lines = list(rows)
        answer.add(f"## {title}: {len(lines)}")
        fitting = answer.add_rows(f"- {line}" for line in lines)
        shown, left_out = shown + fitting, left_out + len(lines) - fitting
    closing = [f"truncated: {left_out} rows did not fit."] if left_out else []
    return Rendering(answer.text(closing), shown, left_out)


def _token(token: TokenItem) -> str:
    used = f"last used {instant(token.last_used_at)}" if token.last_used_at else "never used"
    if token.expires_at is None:
        ends = "no expiry"
    else:
        ends = f"{'EXPIRED' if token.is_expired else 'expires'} {instant(token.expires_at)}"
    return (
        f"token {token.token_id}: {span(token.name, 100)}, scopes {_words(token.scopes)}, "
        f"made {instant(token.created_at)}, {used}, {ends}"
    )


def _connection(connection: ConnectionItem) -> str:
    return (
        f"{span(connection.name, 200)} ({span(connection.identity, 300)}), "
        f"scopes {_words(connection.scopes)}, for {_words(connection.resources)}, "
        f"connected {instant(connection.connected_at)}, renewed {instant(connection.renewed_at)}"
    )


def _words(texts: tuple[str, ...]) -> str:
    return " ".join(word(text) for text in texts[:10]) or "none"


CONTRACT = ToolContract(
    name=NAME,
    title="Get user",
    description=Description(
        purpose="Return one account: names, state, its personal access tokens and connected "
        "applications with scopes and last use, and the newest entries of the audit by or about "
        "it. Use it before you change an account, or to see what can act as it.",
        not_for="finding the id of an account (list_users).",
        returns='Markdown: the account on one line, then lists such as "- token 12: `laptop`, '
        'scopes project work, made 2026-11-02 10:31 UTC, never used, no expiry". Never a secret.',
        errors=f"{FIX} not_found: no account has that id; ask list_users. {RETRY}",
    ),
    arguments=GetUserArguments,
    result=GetUserResult,
    renderer=render,
    cache_seconds=None,
)
