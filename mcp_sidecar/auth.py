"""Who is calling: from the headers of a request to a caller, or to a refusal.

Nothing is kept of a token but its digest, and that only until the database may have changed, so a
revoked one is refused within a second on every worker. A GitHub token is the caller's own: it is
used for this request and goes nowhere else.
"""

import hashlib
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import SecretStr

from mcp_sidecar import bridge
from mcp_sidecar.remembered import Remembered
from web.accounts.principals import ANONYMOUS, Principal
from web.accounts.selectors import principal_for_token, principal_for_user
from web.core.errors import NotFound

MAX_TOKEN_CHARACTERS: Final = 4096
# Longer and with dots and hyphens too, as the tokens of GitHub's applications may be.
_GITHUB_TOKEN = re.compile(r"(?:gh[pous]_|github_pat_)[A-Za-z0-9_.-]{10,2000}")
_BEARER = re.compile(r"(?i:bearer) +([A-Za-z0-9._~+/-]+=*)")


class Unauthorized(Exception):
    """The request carries a credential that is not one, or is not one for this endpoint.

    Its text says which, for the caller.
    """

    def __init__(
        self, message: str = "The token is not valid here: unknown, expired or revoked."
    ) -> None:
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the principal for services, and what only the sidecar needs to know.

    `label` names the caller in logs: "anonymous" or "user:<id>".
    """

    principal: Principal
    github_token: SecretStr | None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """The caller's name in logs and signals."""
        user_id = self.principal.user_id
        return "anonymous" if user_id is None else f"user:{user_id}"


NOBODY: Final = Caller(ANONYMOUS)


@dataclass(frozen=True, slots=True)
class _Owner:
    principal: Principal | None


_owners: Remembered[tuple[bytes, str], _Owner] = Remembered()
_named: Remembered[str, _Owner] = Remembered()


async def caller_of(
    headers: Mapping[bytes, bytes],
    *,
    resource: str,
    scope: str | None,
    mark: Callable[[], Hashable],
) -> Caller:
    """Return who calls the endpoint whose public address is `resource`, at the mark `mark()`.

    No Authorization is anonymous; a bearer of GitHub's form is anonymous with that token. A token
    without `scope` sees what everyone sees. Raises Unauthorized for any other credential.
    """
    authorization = headers.get(b"authorization")
    beside = headers.get(b"x-github-token")
    if authorization is None and beside is None:
        return NOBODY
    github_token = _github_token(beside)
    if authorization is None:
        return Caller(ANONYMOUS, github_token)
    bearer = _BEARER.fullmatch(authorization.decode("latin-1").strip())
    if bearer is None or len(bearer[1]) > MAX_TOKEN_CHARACTERS:
        raise Unauthorized
    token = bearer[1]
    if _GITHUB_TOKEN.fullmatch(token):
        return Caller(ANONYMOUS, SecretStr(token))
    principal = await _principal(token, resource, mark())
    if principal is None:
        raise Unauthorized
    if scope is not None and not principal.allows(scope):
        principal = replace(principal, is_member=False, is_staff=False)
    return Caller(principal, github_token)


async def caller_now(caller: Caller, *, at: Hashable) -> Caller:
    """Return a caller on this machine with the rights that the account has at the mark `at`.

    One whose account is not active any more sees what everyone sees.
    """
    username = caller.principal.username
    if not username:
        return caller

    async def read() -> _Owner:
        try:
            return _Owner(await bridge.look_up(principal_for_user, username=username))
        except NotFound:
            return _Owner(None)

    owner = await _named.get(username, read, at=at)
    return replace(caller, principal=owner.principal or ANONYMOUS)


def is_in_use(headers: Mapping[bytes, bytes], *, resource: str) -> bool:
    """Return whether the token of a request was found to be right here lately, without asking.

    One of GitHub's form is nothing that could be guessed here, and counts as in use.
    """
    bearer = _BEARER.fullmatch(headers.get(b"authorization", b"").decode("latin-1").strip())
    if bearer is None:
        return False
    if _GITHUB_TOKEN.fullmatch(bearer[1]):
        return True
    owner = _owners.last((_digest(bearer[1]), resource))
    return owner is not None and owner.principal is not None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


async def _principal(token: str, resource: str, at: Hashable) -> Principal | None:
    async def read() -> _Owner:
        return _Owner(await bridge.look_up(principal_for_token, token=token, resource=resource))

    return (await _owners.get((_digest(token), resource), read, at=at)).principal


def _github_token(header: bytes | None) -> SecretStr | None:
    """Return the token of the header, None without one. Raises Unauthorized for anything else."""
    token = "" if header is None else header.decode("latin-1").strip()
    if not token:  # as from a client whose variable is not set
        return None
    if not _GITHUB_TOKEN.fullmatch(token):
        raise Unauthorized("X-GitHub-Token holds no token of GitHub: send it alone, as it is.")
    return SecretStr(token)
