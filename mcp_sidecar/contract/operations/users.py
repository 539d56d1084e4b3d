"""Accounts as the tools of staff show them."""

from datetime import datetime

from mcp_sidecar.contract.base import Result
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.rendering.lists import counted
from mcp_sidecar.contract.text import span

MAX_ID = 2**31 - 1


class UserItem(Result):
    """An account in a list; see the record UserSummary."""

    user_id: int
    username: str
    full_name: str
    email: str
    is_active: bool
    is_staff: bool
    joined_at: datetime
    last_login_at: datetime | None
    token_count: int
    connection_count: int


def user_line(user: UserItem) -> str:
    """Return an account on one line."""
    parts = [f"id {user.user_id}: {span(user.username, 150)}"]
    if user.full_name.strip():
        parts.append(span(user.full_name, 200))
    if user.email:
        parts.append(span(user.email, 254))
    parts.append("active" if user.is_active else "NOT ACTIVE")
    if user.is_staff:
        parts.append("staff")
    seen = instant(user.last_login_at) if user.last_login_at else "never"
    parts += [f"last sign-in {seen}", f"since {instant(user.joined_at)}"]
    if user.token_count:
        parts.append(counted(user.token_count, "token"))
    if user.connection_count:
        parts.append(counted(user.connection_count, "application"))
    return ", ".join(parts)
