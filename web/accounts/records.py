"""What the services and selectors of accounts take and return: frozen records, never models."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from web.accounts.principals import Principal


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and from where. `user_id` is None for the command line and for strangers.

    `credential` names the token that the call came with, as in `Principal`.
    """

    user_id: int | None
    username: str
    address: str = ""
    credential: str = ""

    @classmethod
    def of(cls, user: Any, *, address: str = "") -> Self:
        """Return the signed-in user as an actor."""
        return cls(user_id=user.pk, username=user.get_username(), address=address)

    @classmethod
    def calling(cls, principal: Principal) -> Self:
        """Return the caller of a tool as an actor."""
        return cls(
            user_id=principal.user_id,
            username=principal.username,
            credential=principal.credential,
        )


COMMAND_LINE = Actor(user_id=None, username="command line")


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A personal access token without its secret; `hint` is its first characters."""

    token_id: int
    name: str
    hint: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    is_expired: bool


@dataclass(frozen=True, slots=True)
class TokenMade:
    """A new token; `secret` exists here and nowhere else."""

    token: TokenRecord
    secret: str


@dataclass(frozen=True, slots=True)
class InvitationMade:
    """A new invitation; `link` signs up once and is not stored.

    `is_mailed` says that a mail server took the mail with it.
    """

    invitation_id: int
    email: str
    link: str
    expires_at: datetime
    is_mailed: bool


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """An application that a member gave access to.

    `identity` says what is known of it beyond the name it gave itself; `resources` the addresses
    of the servers that it may call.
    """

    connection_id: int
    name: str
    identity: str
    scopes: tuple[str, ...]
    resources: tuple[str, ...]
    connected_at: datetime
    renewed_at: datetime


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """An MCP endpoint as OAuth sees it: `url` without the last slash, and the scope it asks for.

    `repository` is the name in the address of a repository's endpoint, empty for the others.
    """

    url: str
    scope: str
    title: str
    repository: str = ""


@dataclass(frozen=True, slots=True)
class UserSummary:
    """An account in a list, for staff.

    `token_count` counts its personal access tokens that work, `connection_count` the applications
    that can act as it. `last_login_at` is the last sign-in with the password; None for none yet.
    """

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


@dataclass(frozen=True, slots=True)
class UserListing:
    """One page of accounts, by name."""

    users: tuple[UserSummary, ...]
    total_count: int
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Something that was done: by whom, to what, from where, why. Instants in UTC."""

    entry_id: int
    at: datetime
    actor: str
    action: str
    target: str
    address: str
    reason: str


@dataclass(frozen=True, slots=True)
class AuditListing:
    """One page of the audit, newest first."""

    entries: tuple[AuditEntry, ...]
    total_count: int
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class UserDetail:
    """An account with what can act as it, and the newest entries of the audit by or about it."""

    summary: UserSummary
    time_zone: str
    tokens: tuple[TokenRecord, ...]
    connections: tuple[ConnectionRecord, ...]
    entries: tuple[AuditEntry, ...]


@dataclass(frozen=True, slots=True)
class UsersChanged:
    """What a change of accounts did, or with `is_dry_run` would do.

    `changed_count` accounts get the state `is_active`, `unchanged_count` of the scope have it
    already; `sample_ids` are the first of the changed ones. `token_count` personal access tokens
    and `connection_count` applications of the changed accounts stop working with them, or work
    again.
    """

    is_active: bool
    is_dry_run: bool
    changed_count: int
    unchanged_count: int
    sample_ids: tuple[int, ...]
    token_count: int
    connection_count: int


@dataclass(frozen=True, slots=True)
class AccessRevoked:
    """What a revocation ended, or with `is_dry_run` would end, for good.

    `token_count` personal access tokens and `connection_count` applications of `user_count`
    accounts; `sample_user_ids` and `sample_token_ids` are the first of them.
    """

    is_dry_run: bool
    user_count: int
    token_count: int
    connection_count: int
    sample_user_ids: tuple[int, ...]
    sample_token_ids: tuple[int, ...]
