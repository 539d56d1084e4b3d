"""One valid request in, one JSON-RPC response out: the same way for HTTP, batches and stdio.

The MCP SDK does the protocol (`serve_one`, its ladder for 2026-07-28), FastMCP the methods. Each
request stands alone, also those of the handshake versions: nothing is kept between two of them.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import anyio
from fastmcp import FastMCP
from mcp.server.connection import Connection
from mcp.server.runner import serve_one
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import (
    InboundLadderRejection,
    InboundModernRoute,
    classify_inbound_request,
    find_duplicated_routing_header,
    validate_mcp_param_headers,
)
from mcp.shared.message import MessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import methods
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcp_sidecar import signals
from mcp_sidecar.errors import HEADER_MISMATCH, INVALID_PARAMS, ProtocolError, unforeseen
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.servers.exchange import Exchange, enter, leave
from mcp_sidecar.transport import messages
from mcp_sidecar.transport.messages import Notification, Request

Headers = Sequence[tuple[str, str]]
TUTORIAL_HANDSHAKE: Final[dict[str, Any]] = {
    "protocolVersion": "2024-11-05",
    "capabilities": {},
    "clientInfo": {"name": "tutorial", "version": "0"},
}


@dataclass(frozen=True, slots=True)
class Reply:
    """A JSON-RPC response as JSON, with the code of its error where it is one."""

    body: bytes
    error: int | None = None


@dataclass(slots=True)
class _OneWay:
    """The SDK's view of a request whose sender cannot be asked or told anything in between."""

    request_id: str | int
    transport: TransportContext
    message_metadata: MessageMetadata = None
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False

    async def send_raw_request(self, method: str, *_: Any) -> dict[str, Any]:
        """Refuse: there is no way back to the client."""
        raise NoBackChannelError(method)

    async def notify(self, *_: Any) -> None:
        """Drop: an answer in JSON has no room for a notification."""

    async def progress(self, *_: Any) -> None:
        """Drop: as `notify`."""


class Dispatcher:
    """Answers the requests of one FastMCP server, while `running`."""

    def __init__(self, definition: ServerDefinition, server: FastMCP) -> None:
        self.definition = definition
        self._protocol = server._mcp_server
        self._state: Any = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the server's lifespan open."""
        async with self._protocol.lifespan(self._protocol) as state:
            self._state = state
            yield

    async def answer(
        self,
        exchange: Exchange,
        request: Request,
        *,
        version: str,
        headers: Headers | None = None,
    ) -> Reply:
        """Return the response to a request of the protocol `version`.

        `headers` are the HTTP headers that a request of 2026-07-28 must agree with, names in
        lowercase; None where there are none. Raises nothing.
        """
        entered = enter(exchange)
        try:
            result = await self._result(self._completed(request), version, headers)
            return Reply(messages.result_json(request.id_json, messages.encoded(result)))
        except ProtocolError as error:
            failure = error
        except MCPError as error:
            failure = ProtocolError(error.error.code, error.error.message, error.error.data)
        except ValidationError:
            failure = ProtocolError(INVALID_PARAMS, "Invalid request parameters")
        except Exception as error:
            failure = unforeseen(error, request_id=exchange.request_id, where=request.method)
        finally:
            leave(entered)
        return Reply(messages.error_json(request.id_json, failure), failure.code)

    def accept(self, exchange: Exchange, notification: Notification, *, version: str) -> None:
        """Take note of a notification; one that is not valid is dropped. Nothing else happens."""
        params = notification.params
        try:
            methods.validate_client_notification(notification.method, version, params)  # type: ignore[arg-type]
        except (KeyError, ValidationError):
            return
        signals.note(
            signals.MessageCall(
                server=exchange.definition.name,
                endpoint=exchange.endpoint,
                method=notification.method,
                caller=exchange.caller.label,
                seconds=0.0,
                error=None,
                request_id=exchange.request_id,
            )
        )

    async def _result(
        self, request: Request, version: str, headers: Headers | None
    ) -> dict[str, Any]:
        client_info = client_capabilities = None
        if version in MODERN_PROTOCOL_VERSIONS:
            route = self._classified(request, headers)
            client_info, client_capabilities = route.client_info, route.client_capabilities
        return await serve_one(
            self._protocol,
            _OneWay(request.id, TransportContext(kind="portolan", can_send_request=False)),
            request.method,
            request.params,
            connection=Connection.from_envelope(version, client_info, client_capabilities),
            lifespan_state=self._state,
        )

    def _completed(self, request: Request) -> Request:
        """Give a handshake without params those of the tutorial, where the server takes it so."""
        if (
            self.definition.takes_bare_initialize
            and request.method == "initialize"
            and not request.params
        ):
            return replace(request, params=TUTORIAL_HANDSHAKE)
        return request

    def _classified(self, request: Request, headers: Headers | None) -> InboundModernRoute:
        """Check a request of 2026-07-28 against its own envelope and headers."""
        if headers is not None and (twice := find_duplicated_routing_header(headers)):
            raise ProtocolError(HEADER_MISMATCH, f"{twice} header appears more than once")
        by_name = None if headers is None else dict(headers)
        route = classify_inbound_request(
            {"method": request.method, "params": request.params}, headers=by_name
        )
        if isinstance(route, InboundModernRoute) and by_name is not None:
            route = self._mirrored(request, by_name) or route
        if isinstance(route, InboundLadderRejection):
            raise ProtocolError(route.code, route.message, route.data)
        return route

    def _mirrored(
        self, request: Request, headers: Mapping[str, str]
    ) -> InboundLadderRejection | None:
        """Compare the arguments that a tool's schema mirrors into headers (Mcp-Param-*)."""
        params = request.params or {}
        name, arguments = params.get("name"), params.get("arguments")
        schema_of = self._protocol.get_tool_input_schema
        if request.method != "tools/call" or not isinstance(name, str) or schema_of is None:
            return None
        schema = schema_of(name)
        if schema is None or not isinstance(arguments, dict):
            return None
        return validate_mcp_param_headers(schema, arguments, headers)
