"""Where an authorization code may be sent.

A client that registered itself can write any name on the consent page, so its redirect address is
the only thing that is known of it. Accepted are loopback addresses (the member's own computer), the
published addresses of well-known applications, those that the operator named in
PORTOLAN_OAUTH_REDIRECT_URIS and, for a client with a metadata document, addresses on the
document's own host. Staff may register any https address in the admin. Matching at the time of use
is exact but for the port of a loopback address (RFC 8252 section 7.3, RFC 9700 section 2.1).
"""

import re
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
SCHEMES = ("http", "https", "cursor")

# Published by the makers of these applications; one that ends in "/" covers ids below it.
WELL_KNOWN = {
    "https://claude.ai/api/mcp/auth_callback": "Claude",
    "https://claude.com/api/mcp/auth_callback": "Claude",
    "https://chatgpt.com/connector_platform_oauth_redirect": "ChatGPT",
    "https://chatgpt.com/connector/oauth/": "ChatGPT",
    "https://vscode.dev/redirect": "VS Code",
    "https://insiders.vscode.dev/redirect": "VS Code Insiders",
    "https://www.cursor.com/agents/mcp/oauth/callback": "Cursor",
    "cursor://anysphere.cursor-mcp/oauth/callback": "Cursor",
}
_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,100}")


_NO_ADDRESS = (
    "A redirect address is https://…, http:// on loopback, or a well-known application's, without "
    "user information or fragment."
)
_NO_PORT = "The port of a redirect address is a number from 1 to 65535."


def malformed(uri: str) -> str:
    """Return why a text cannot be a redirect address at all; empty where it can."""
    return "" if _parts(uri) is not None else _NO_ADDRESS if _has_port(uri) else _NO_PORT


def _has_port(uri: str) -> bool:
    """Say whether the port of an address, if it has any, is one."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return True  # something else is wrong
    try:
        return parts.port != 0
    except ValueError:
        return False


def _parts(uri: str) -> SplitResult | None:
    """Return the parts of an address; None for one that cannot be a redirect address at all."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if not _has_port(uri):
        return None
    if parts.scheme not in SCHEMES or not parts.hostname or "@" in parts.netloc or "#" in uri:
        return None
    if any(char <= " " or char in "\\<>\"'`;," or ord(char) > 126 for char in uri):  # noqa: PLR2004
        return None
    return parts


def is_loopback(uri: str) -> bool:
    """Return whether the address is one of the member's own computer."""
    parts = _parts(uri)
    return parts is not None and parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS


def well_known_application(uri: str) -> str:
    """Return the application that published this address as its own; empty for any other."""
    for known, name in WELL_KNOWN.items():
        if known.endswith("/"):
            matches = _IDENTIFIER.fullmatch(uri.removeprefix(known)) is not None
        else:
            matches = uri == known
        if matches:
            return name
    return ""


def refusal_of(uri: str, *, document: str, by_staff: bool) -> str:
    """Return why the address may not be registered; empty when it may.

    `document` is the address of the client's metadata document, empty without one.
    """
    parts = _parts(uri)
    if parts is None:
        return malformed(uri)
    if is_loopback(uri) or well_known_application(uri) or uri in settings.OAUTH_REDIRECT_URIS:
        return ""
    if parts.scheme == "https" and by_staff:
        return ""
    if parts.scheme == "https" and document and parts.netloc == urlsplit(document).netloc:
        return ""
    return (
        "This redirect address is neither on loopback nor one of a well-known application. "
        "Whoever runs this server can allow it or register the client."
    )


def destination_of(uri: str) -> str:
    """Return in words where the address leads, for the consent page."""
    parts = urlsplit(uri)
    if is_loopback(uri):
        return f"this computer ({parts.hostname})"
    if parts.scheme != "https":
        return f"the application {well_known_application(uri) or parts.scheme} on this computer"
    return parts.hostname or uri


def form_action_of(uri: str) -> str:
    """Return the Content-Security-Policy source that lets a form's answer lead to the address."""
    parts = urlsplit(uri)
    if parts.scheme in {"http", "https"} and "[" not in parts.netloc:
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"  # CSP has no form for an IPv6 address or a scheme of an application
