"""The constants of MCP that requests are routed by.

They are the SDK's own, written down here because importing the SDK takes longer than everything
else at the start of a process; a test compares them.
"""

from collections.abc import Mapping
from typing import Final

from mcp_sidecar.errors import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
)

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS: Final = ("2026-07-28",)
KNOWN_VERSIONS: Final = HANDSHAKE_VERSIONS + MODERN_VERSIONS
NEWEST_HANDSHAKE: Final = HANDSHAKE_VERSIONS[-1]
NEWEST_MODERN: Final = MODERN_VERSIONS[-1]
UNSTATED_VERSION: Final = "2025-03-26"
"""What a request without the header MCP-Protocol-Version speaks."""

SERVER_META_KEY: Final = "io.modelcontextprotocol/serverInfo"
"""The key of `_meta` under which results of 2026-07-28 say which server answers."""

VERSION_META_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""The key of `params._meta` that only requests of 2026-07-28 and later carry."""

MODERN_STATUS: Final[Mapping[int, int]] = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_REQUIRED_CLIENT_CAPABILITY: 400,
    UNSUPPORTED_PROTOCOL_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""The HTTP status of an error at 2026-07-28; of the handshake versions every response is 200."""


KNOWN_METHODS: Final = frozenset(
    {
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "tools/call",
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/progress",
        "notifications/roots/list_changed",
    }
)
"""The methods that servers answer to; all others look alike in metrics and traces."""
UNKNOWN_NAME: Final = "(unknown)"
"""How metrics and traces call a method or tool that only its caller knows."""


def is_valid_notification(method: str, params: object, *, version: str) -> bool:
    """Return whether a message is a notification that clients may send at `version`."""
    if params is not None and not isinstance(params, dict):
        return False
    given = params or {}
    if not isinstance(given.get("_meta", {}), dict):
        return False
    if method == "notifications/cancelled":
        return _is_id(given.get("requestId")) and isinstance(given.get("reason", ""), str)
    if version in MODERN_VERSIONS:
        return False
    if method == "notifications/progress":
        return (
            _is_id(given.get("progressToken"))
            and _is_number(given.get("progress"))
            and _is_number(given.get("total", 0))
            and isinstance(given.get("message", ""), str)
        )
    return method in {"notifications/initialized", "notifications/roots/list_changed"}


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
