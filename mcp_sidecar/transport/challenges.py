"""Refusals of callers: what they lack, and where to get it (RFC 6750, RFC 9728)."""

from urllib.parse import quote

from django.conf import settings

from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.transport.responses import Refusal, not_found
from web.accounts.principals import Principal


def resource_of(path: str) -> str:
    """Return the public address of an endpoint, which tokens are bound to."""
    return f"{settings.PUBLIC_URL}{path}"


def no_repository(definition: ServerDefinition, principal: Principal, *, path: str) -> Refusal:
    """Return the refusal of a repository that is absent, or not for this caller: both alike.

    Who has not signed in is told where that could be done (RFC 9110 section 11.6.1).
    """
    refusal = not_found()
    if principal.user_id is None:
        challenge = _challenge("", path=path, token_scope=definition.token_scope, code=None)
        refusal.headers = (challenge,)
    return refusal


def not_admitted(definition: ServerDefinition, principal: Principal, *, path: str) -> Refusal:
    """Return the refusal of a caller who is not of the server's audience.

    Without an account's token it is a 401 that leads to one. A token that may do something
    else is good, and gets a 403 (RFC 6750 section 3.1); one whose right to this was taken back
    does not count any more, and gets a 401.
    """
    audience, token_scope = definition.audience, definition.token_scope
    if principal.user_id is None:
        message = f"This server is for {audience}. Sign in, or send an account token."
        return unauthorized(message, path=path, token_scope=token_scope, code=None)
    if token_scope in principal.withdrawn_scopes:
        message = f"The token no longer counts here: only {audience}."
        return unauthorized(message, path=path, token_scope=token_scope)
    message = f"This server is for {audience}, by a token with the scope {token_scope}."
    code = "insufficient_scope"
    challenge = _challenge(message, path=path, token_scope=token_scope, code=code)
    return Refusal(403, code, message, headers=(challenge,))


def unauthorized(
    message: str, *, path: str, token_scope: str | None, code: str | None = "invalid_token"
) -> Refusal:
    """Return the refusal of a credential; `code` None where there was none to be wrong."""
    challenge = _challenge(message, path=path, token_scope=token_scope, code=code)
    return Refusal(401, code or "token_required", message, headers=(challenge,))


def _challenge(
    message: str, *, path: str, token_scope: str | None, code: str | None
) -> tuple[bytes, bytes]:
    """Return the challenge of RFC 6750 section 3 and RFC 9728 section 5.1, for this very address.

    A request without any credential gets no error code (RFC 6750 section 3.1).
    """
    metadata = f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{quote(path)}"
    parts = ['realm="portolan"']
    if code is not None:
        parts += [f'error="{code}"', f'error_description="{message}"']
    parts.append(f'resource_metadata="{metadata}"')
    if token_scope is not None:
        parts.append(f'scope="{token_scope}"')
    return b"www-authenticate", f"Bearer {', '.join(parts)}".encode()
