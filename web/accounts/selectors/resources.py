"""The MCP endpoints as protected resources (RFC 9728), and resource indicators (RFC 8707).

Both spellings of an endpoint's address, with and without the last slash, are one resource. Every
name that a repository could have is one too, whether there is such a repository or not: so members
find how to sign in for a repository that is theirs only, and nobody learns which ones there are.
What a token for it shows is the endpoint's to say.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from web.accounts.records import ProtectedResource
from web.library.models import NAME_PATTERN

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SERVERS = {
    "/mcp": ("project", "Portolan: code, documentation and posts"),
    "/mcp/operations": ("operations", "Portolan: operations"),
    "/mcp/lesson": ("project", "Portolan: lesson"),
}
_REPOSITORY = "/mcp/repositories/"
_NAME = re.compile(NAME_PATTERN)


def issuer() -> str:
    """Return the issuer of tokens: the address of the authorization server."""
    return f"{settings.PUBLIC_URL}/o"


def served_scopes() -> frozenset[str]:
    """Return the scopes that open a server which there is; a token may hold others, for later."""
    return frozenset(scope for scope, _ in _SERVERS.values())


def resource_url(path: str) -> str:
    """Return the public address of an endpoint's path, as written."""
    return f"{settings.PUBLIC_URL}{path}"


def resource_at(path: str) -> ProtectedResource | None:
    """Return the protected resource at an endpoint's path, in either spelling; None for others."""
    spelling = path.removesuffix("/")
    if spelling in _SERVERS:
        scope, title = _SERVERS[spelling]
        return ProtectedResource(url=resource_url(spelling), scope=scope, title=title)
    name = spelling.removeprefix(_REPOSITORY)
    if not spelling.startswith(_REPOSITORY) or not _NAME.fullmatch(name):
        return None
    return ProtectedResource(
        url=resource_url(spelling),
        scope="project",
        title=f"Portolan: the repository {name}",
        repository=name,
    )


def canonical_resource(url: str) -> str | None:
    """Return the one spelling of an address of ours, without the last slash; None for others.

    Scheme and host compare without case and the scheme's own port may be left out (RFC 3986
    section 6.2); a query, fragment or user information makes it another address.
    """
    path = _path_of_ours(url)
    return None if path is None else resource_url(path.removesuffix("/"))


def resource_named(url: str) -> ProtectedResource | None:
    """Return the protected resource that a resource indicator names; None when it names none."""
    path = _path_of_ours(url)
    return None if path is None else resource_at(path)


def protected_resource_metadata(path: str) -> dict[str, Any] | None:
    """Return the metadata document (RFC 9728) of the endpoint at `path`; None where there is none.

    `path` is the endpoint's, such as /mcp/lesson/: what follows the prefix of RFC 9728 in the
    document's own address. `resource` is exactly that spelling under the public address.
    """
    resource = resource_at(path)
    if resource is None:
        return None
    return {
        "resource": resource_url(path),
        "authorization_servers": [issuer()],
        "scopes_supported": [resource.scope],
        "bearer_methods_supported": ["header"],
        "resource_name": resource.title,
    }


def protected_resource_metadata_url(path: str) -> str:
    """Return the address of that document, for the challenge of a 401 (RFC 9728 section 5.1)."""
    return f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{path}"


def _path_of_ours(url: str) -> str | None:
    try:
        parts, ours = urlsplit(url), urlsplit(settings.PUBLIC_URL)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
        our_port = ours.port or _DEFAULT_PORTS.get(ours.scheme)
    except ValueError:
        return None
    if "@" in parts.netloc or "?" in url or "#" in url:
        return None
    if (parts.scheme, parts.hostname, port) != (ours.scheme, ours.hostname, our_port):
        return None
    return parts.path
