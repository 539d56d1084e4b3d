"""Which params the lane knows by heart; about all others the SDK decides.

Each check takes less than the SDK does, never more: what passes has one meaning at its version.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mcp_sidecar.transport.messages import Request
from mcp_sidecar.transport.protocol import NEWEST_MODERN

_KNOWN_OF_CLIENT: Final = frozenset({"name", "version", "title", "description", "websiteUrl"})
_ENVELOPE: Final = "io.modelcontextprotocol/"
_VERSION: Final = f"{_ENVELOPE}protocolVersion"
_CLIENT: Final = f"{_ENVELOPE}clientInfo"
_CAPABILITIES: Final = f"{_ENVELOPE}clientCapabilities"

Params = Mapping[str, Any]
Headers = Sequence[tuple[str, str]]


def is_plain_envelope(request: Request, headers: Headers | None) -> bool:
    """Return whether a request of 2026-07-28 carries its envelope, and headers that agree."""
    params = request.params or {}
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(_VERSION) != NEWEST_MODERN:
        return False
    own = {key: value for key, value in meta.items() if not key.startswith(_ENVELOPE)}
    known = len(meta) - len(own) == 2 + (_CLIENT in meta)
    return (
        known
        and are_plain_capabilities(meta.get(_CAPABILITIES))
        and (_CLIENT not in meta or is_plain_client(meta[_CLIENT]))
        and (not own or is_plain_meta(own))
        and (headers is None or _agree(request, params.get("name"), headers))
    )


def _agree(request: Request, name: object, headers: Headers) -> bool:
    mirrors = [header for header in headers if header[0].startswith("mcp-")]
    expected: dict[str, object] = {
        "mcp-protocol-version": NEWEST_MODERN,
        "mcp-method": request.method,
    }
    if name is not None:
        expected["mcp-name"] = name
    return len(mirrors) == len(expected) and dict(mirrors) == expected


def is_bare_beside_meta(params: Params) -> bool:
    """Return whether params hold `_meta` alone, whatever is in it."""
    return params.keys() <= {"_meta"}


def is_call_beside_meta(params: Params) -> bool:
    """Return whether params name a tool and its arguments, whatever `_meta` holds."""
    arguments = params.get("arguments")
    return (
        params.keys() <= {"name", "arguments", "_meta"}
        and isinstance(params.get("name"), str)
        and (arguments is None or isinstance(arguments, dict))
    )


def is_bare(params: Params) -> bool:
    """Return whether params say nothing that a method without params would read."""
    return not params or (params.keys() == {"_meta"} and is_plain_meta(params["_meta"]))


def is_plain_call(params: Params) -> bool:
    """Return whether params name a tool and its arguments, and nothing else."""
    return is_call_beside_meta(params) and is_plain_meta(params.get("_meta", {}))


def is_plain_meta(meta: object) -> bool:
    """Return whether `_meta` holds nothing that changes an answer, or that the SDK would refuse."""
    if not isinstance(meta, dict):
        return False
    return all(
        (name == "progressToken" and type(value) in {str, int})
        or (name != "progressToken" and not name.startswith(("fastmcp", "_fastmcp", _ENVELOPE)))
        for name, value in meta.items()
    )


def is_plain_handshake(params: Params) -> bool:
    """Return whether params are those of an initialize, and nothing else."""
    if params.keys() != {"protocolVersion", "capabilities", "clientInfo"}:
        return False
    return (
        isinstance(params["protocolVersion"], str)
        and are_plain_capabilities(params["capabilities"])
        and is_plain_client(params["clientInfo"])
    )


def is_plain_client(client: object) -> bool:
    """Return whether a client says nothing of itself but texts."""
    return (
        isinstance(client, dict)
        and {"name", "version"} <= client.keys() <= _KNOWN_OF_CLIENT
        and all(isinstance(value, str) for value in client.values())
    )


def are_plain_capabilities(capabilities: object) -> bool:
    """Return whether capabilities have the shape that every version knows: objects of objects."""
    return isinstance(capabilities, dict) and all(
        isinstance(capability, dict)
        and all(
            isinstance(value, dict) or (name == "listChanged" and isinstance(value, bool))
            for name, value in capability.items()
        )
        for capability in capabilities.values()
    )
