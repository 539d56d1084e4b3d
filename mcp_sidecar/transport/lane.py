"""The short way for what clients ask all the time: initialize, ping, tools/list, tools/call.

It answers byte for byte what the SDK and FastMCP answer (tests send the same traffic both ways), at
a fraction of the time and without importing them. Params that it does not know by heart it leaves
to them.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from django.conf import settings

from mcp_sidecar.contract.descriptor import descriptors
from mcp_sidecar.errors import METHOD_NOT_FOUND, ProtocolError, unavailable, unforeseen
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.servers.notes import note_message
from mcp_sidecar.servers.pipeline import Outcome, call_tool
from mcp_sidecar.transport.messages import Request, encoded
from mcp_sidecar.transport.protocol import HANDSHAKE_VERSIONS, NEWEST_HANDSHAKE
from mcp_sidecar.version import VERSION
from web.core.errors import PortolanError

MAX_LISTS: Final = 256
_NOTHING: Final = b"{}"
_KNOWN_OF_CLIENT: Final = frozenset({"name", "version", "title", "description", "websiteUrl"})
_FIRST_OF_SCHEMA: Final = ("$schema", "properties", "required", "type")

Params = Mapping[str, Any]
Way = Callable[[Exchange, Params], Awaitable[bytes]]


class Lane:
    """The short way to one server that has tools only, for requests of the handshake versions."""

    def __init__(self, definition: ServerDefinition) -> None:
        self._lists: dict[tuple[Any, ...], bytes] = {}
        self._ways: dict[str, tuple[Callable[[Params], bool], Way]] = {
            "tools/call": (_is_plain_call, self._call),
            "tools/list": (_is_bare, self._list),
            "ping": (_is_bare, self._pong),
            "initialize": (_is_plain_handshake, self._handshake),
        }
        self._identity = {
            "name": definition.name,
            "title": definition.title,
            "version": VERSION,
            "description": definition.description,
            "websiteUrl": settings.PUBLIC_URL,
        }

    async def result(self, exchange: Exchange, request: Request) -> bytes | None:
        """Return the result of a request as JSON; None leaves it to the SDK.

        Raises ProtocolError.
        """
        known = self._ways.get(request.method)
        params = request.params or {}
        if known is not None and not known[0](params):
            return None
        started, code = time.monotonic(), None
        try:
            if known is None:
                raise ProtocolError(METHOD_NOT_FOUND, "Method not found", request.method)
            return await known[1](exchange, params)
        except Exception as error:
            failure = _as_protocol_error(error, exchange, request.method)
            code = failure.code
            raise failure from None
        finally:
            note_message(exchange, request.method, started=started, error=code)

    async def _call(self, exchange: Exchange, params: Params) -> bytes:
        outcome = await call_tool(exchange, params["name"], params.get("arguments") or {})
        return result_of_call(outcome) + b"}"

    async def _list(self, exchange: Exchange, _params: Params) -> bytes:
        """Return the tools, from memory where the same were listed for the same repositories."""
        scope = await exchange.scope()
        key = (scope.offered, exchange.caller.github_token is not None)
        known = self._lists.get(key)
        if known is None:
            contracts = [tool.contract for tool in exchange.tools()]
            shown = descriptors(contracts, scope.offered)
            known = encoded({"tools": [_tool_in_order(tool) for tool in shown]})
            while len(self._lists) >= MAX_LISTS:
                del self._lists[next(iter(self._lists))]
            self._lists[key] = known
        return known

    async def _pong(self, _exchange: Exchange, _params: Params) -> bytes:
        return _NOTHING

    async def _handshake(self, exchange: Exchange, params: Params) -> bytes:
        offered = params["protocolVersion"]
        return encoded(
            {
                "protocolVersion": offered if offered in HANDSHAKE_VERSIONS else NEWEST_HANDSHAKE,
                "capabilities": {"tools": {"listChanged": False}},
                "serverInfo": self._identity,
                "instructions": exchange.definition.instructions(
                    repository=exchange.repository, tools=exchange.tools()
                ),
            }
        )


def result_of_call(outcome: Outcome) -> bytes:
    """Return the result of a call as JSON, without the brace that closes it."""
    is_error = b"true" if outcome.is_error else b"false"
    text = encoded(outcome.text)
    result = b'{"content":[{"text":' + text + b',"type":"text"}],"isError":' + is_error
    if outcome.structured is not None:
        result += b',"structuredContent":' + outcome.structured
    return result


def _as_protocol_error(error: Exception, exchange: Exchange, method: str) -> ProtocolError:
    if isinstance(error, ProtocolError):
        return error
    if isinstance(error, PortolanError):
        return unavailable(error, request_id=exchange.request_id)
    return unforeseen(error, request_id=exchange.request_id, where=method)


def _tool_in_order(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a descriptor with its members in the order in which the SDK writes them."""
    ordered = {name: tool[name] for name in sorted(tool)}
    for name in ("inputSchema", "outputSchema"):
        if name in ordered:
            schema = ordered[name]
            first = {key: schema[key] for key in _FIRST_OF_SCHEMA if key in schema}
            ordered[name] = first | schema
    ordered["annotations"] = dict(sorted(tool["annotations"].items()))
    return ordered


def _is_bare(params: Params) -> bool:
    return not params or (params.keys() == {"_meta"} and _is_plain_meta(params["_meta"]))


def _is_plain_call(params: Params) -> bool:
    if not params.keys() <= {"name", "arguments", "_meta"}:
        return False
    arguments = params.get("arguments")
    return (
        isinstance(params.get("name"), str)
        and (arguments is None or isinstance(arguments, dict))
        and _is_plain_meta(params.get("_meta", {}))
    )


def _is_plain_meta(meta: object) -> bool:
    """Return whether `_meta` holds nothing that changes an answer, or that the SDK would refuse."""
    if not isinstance(meta, dict):
        return False
    return all(
        (name == "progressToken" and type(value) in {str, int})
        or (name != "progressToken" and not name.startswith(("fastmcp", "_fastmcp", "io.model")))
        for name, value in meta.items()
    )


def _is_plain_handshake(params: Params) -> bool:
    if params.keys() != {"protocolVersion", "capabilities", "clientInfo"}:
        return False
    client = params["clientInfo"]
    return (
        isinstance(params["protocolVersion"], str)
        and _are_plain_capabilities(params["capabilities"])
        and isinstance(client, dict)
        and {"name", "version"} <= client.keys() <= _KNOWN_OF_CLIENT
        and all(isinstance(value, str) for value in client.values())
    )


def _are_plain_capabilities(capabilities: object) -> bool:
    """Return whether capabilities have the shape that every version knows: objects of objects."""
    return isinstance(capabilities, dict) and all(
        isinstance(capability, dict)
        and all(
            isinstance(value, dict) or (name == "listChanged" and isinstance(value, bool))
            for name, value in capability.items()
        )
        for capability in capabilities.values()
    )
