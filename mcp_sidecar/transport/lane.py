"""The short way for what clients ask all the time: shake hands or discover, list, call, ping.

It answers byte for byte what the SDK and FastMCP answer (tests send the same traffic both ways), at
a fraction of the time and without importing them. Params that it does not know by heart it leaves
to them.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from django.conf import settings

from mcp_sidecar.contract.descriptor import descriptors
from mcp_sidecar.errors import ProtocolError, unavailable, unforeseen, unknown_method
from mcp_sidecar.servers.definition import LIST_SCOPE, LIST_SECONDS, TOOLS_ONLY, ServerDefinition
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.servers.notes import note_message
from mcp_sidecar.servers.pipeline import Outcome, call_tool
from mcp_sidecar.transport.messages import Request, encoded
from mcp_sidecar.transport.plain import (
    Headers,
    Params,
    is_bare,
    is_bare_beside_meta,
    is_call_beside_meta,
    is_plain_call,
    is_plain_envelope,
    is_plain_handshake,
)
from mcp_sidecar.transport.protocol import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSIONS,
    NEWEST_HANDSHAKE,
    SERVER_META_KEY,
)
from mcp_sidecar.version import VERSION
from web.core.errors import PortolanError

Order = Mapping[str, tuple[str, ...]]
MAX_LISTS: Final = 256
_NOTHING: Final = b"{}"
# What the SDK writes first of the members of each schema; the others follow as they come.
_FIRST: Final = ("$schema", "properties", "required", "type")
_ORDER: Final[Order] = {"inputSchema": _FIRST, "outputSchema": _FIRST}
_MODERN_ORDER: Final[Order] = {"inputSchema": ("$schema", "type"), "outputSchema": ("$schema",)}

Way = Callable[[Exchange, Params], Awaitable[bytes]]
Ways = Mapping[str, tuple[Callable[[Params], bool], Way]]


class Lane:
    """The short way to one server that has tools only."""

    def __init__(self, definition: ServerDefinition) -> None:
        identity = {
            "name": definition.name,
            "title": definition.title,
            "version": VERSION,
            "description": definition.description,
            "websiteUrl": settings.PUBLIC_URL,
        }
        self._identity = identity
        self._stamp = encoded({SERVER_META_KEY: identity})
        self._lists: dict[tuple[Any, ...], bytes] = {}
        self._ways: Ways = {
            "tools/call": (is_plain_call, self._call),
            "tools/list": (is_bare, self._list),
            "ping": (is_bare, self._pong),
            "initialize": (is_plain_handshake, self._handshake),
        }
        self._modern_ways: Ways = {
            "tools/call": (is_call_beside_meta, self._modern_call),
            "tools/list": (is_bare_beside_meta, self._modern_list),
            "server/discover": (is_bare_beside_meta, self._discovery),
        }

    async def result(
        self, exchange: Exchange, request: Request, *, version: str, headers: Headers | None
    ) -> bytes | None:
        """Return the result of a request as JSON; None leaves it to the SDK.

        Raises ProtocolError.
        """
        is_modern = version in MODERN_VERSIONS
        if is_modern and not is_plain_envelope(request, headers):
            return None
        known = (self._modern_ways if is_modern else self._ways).get(request.method)
        params = request.params or {}
        if is_modern and known is None:
            return None
        if known is not None and not known[0](params):
            return None
        started, code = time.monotonic(), None
        try:
            if known is None:
                raise unknown_method(request.method)
            return await known[1](exchange, params)
        except Exception as error:
            failure = _as_protocol_error(error, exchange, request.method)
            code = failure.code
            raise failure from None
        finally:
            note_message(exchange, request.method, started=started, error=code)

    async def _pong(self, _exchange: Exchange, _params: Params) -> bytes:
        return _NOTHING

    async def _handshake(self, exchange: Exchange, params: Params) -> bytes:
        offered = params["protocolVersion"]
        return encoded(
            {
                "protocolVersion": offered if offered in HANDSHAKE_VERSIONS else NEWEST_HANDSHAKE,
                "capabilities": TOOLS_ONLY,
                "serverInfo": self._identity,
                "instructions": _instructions(exchange),
            }
        )

    async def _discovery(self, exchange: Exchange, _params: Params) -> bytes:
        return encoded(
            {
                "_meta": {SERVER_META_KEY: self._identity},
                "ttlMs": LIST_SECONDS * 1000,
                "cacheScope": LIST_SCOPE,
                "supportedVersions": MODERN_VERSIONS,
                "capabilities": TOOLS_ONLY,
                "instructions": _instructions(exchange),
                "resultType": "complete",
            }
        )

    async def _call(self, exchange: Exchange, params: Params) -> bytes:
        outcome = await call_tool(exchange, params["name"], params.get("arguments") or {})
        return _content(outcome) + _structured(outcome) + b"}"

    async def _modern_call(self, exchange: Exchange, params: Params) -> bytes:
        outcome = await call_tool(exchange, params["name"], params.get("arguments") or {})
        complete = b',"resultType":"complete"' + _structured(outcome)
        return _content(outcome) + complete + b',"_meta":' + self._stamp + b"}"

    async def _list(self, exchange: Exchange, _params: Params) -> bytes:
        def made(names: tuple[str, ...] | None) -> bytes:
            return encoded({"tools": _tools(exchange, names, _ORDER)})

        return await self._listed(exchange, made, is_modern=False)

    async def _modern_list(self, exchange: Exchange, _params: Params) -> bytes:
        def made(names: tuple[str, ...] | None) -> bytes:
            return encoded(
                {
                    "cacheScope": LIST_SCOPE,
                    "resultType": "complete",
                    "tools": _tools(exchange, names, _MODERN_ORDER),
                    "ttlMs": LIST_SECONDS * 1000,
                    "_meta": {SERVER_META_KEY: self._identity},
                }
            )

        return await self._listed(exchange, made, is_modern=True)

    async def _listed(
        self,
        exchange: Exchange,
        made: Callable[[tuple[str, ...] | None], bytes],
        *,
        is_modern: bool,
    ) -> bytes:
        """Return a list of tools, from memory where it was made for the same repositories."""
        names = (await exchange.scope()).offered
        key = (is_modern, names, exchange.caller.github_token is not None)
        known = self._lists.get(key)
        if known is None:
            known = made(names)
            while len(self._lists) >= MAX_LISTS:
                del self._lists[next(iter(self._lists))]
            self._lists[key] = known
        return known


def _instructions(exchange: Exchange) -> str:
    return exchange.definition.instructions(repository=exchange.repository, tools=exchange.tools())


def _content(outcome: Outcome) -> bytes:
    """Return the start of a result of a call: its text, and whether it is an error."""
    content = b'{"content":[{"text":' + encoded(outcome.text) + b',"type":"text"}],"isError":'
    return content + (b"true" if outcome.is_error else b"false")


def _structured(outcome: Outcome) -> bytes:
    structured = outcome.structured
    return b"" if structured is None else b',"structuredContent":' + structured


def _as_protocol_error(error: Exception, exchange: Exchange, method: str) -> ProtocolError:
    if isinstance(error, ProtocolError):
        return error
    if isinstance(error, PortolanError):
        return unavailable(error, request_id=exchange.request_id, where=method)
    return unforeseen(error, request_id=exchange.request_id, where=method)


def _tools(exchange: Exchange, names: tuple[str, ...] | None, order: Order) -> list[dict[str, Any]]:
    """Return the descriptors with their members in the order in which the SDK writes them."""
    shown = descriptors([tool.contract for tool in exchange.tools()], names)
    return [_in_order(tool, order) for tool in shown]


def _in_order(tool: Mapping[str, Any], order: Order) -> dict[str, Any]:
    ordered = {name: tool[name] for name in sorted(tool)}
    for name, first in order.items():
        if name in ordered:
            schema = ordered[name]
            ordered[name] = {key: schema[key] for key in first if key in schema} | schema
    ordered["annotations"] = dict(sorted(tool["annotations"].items()))
    return ordered
