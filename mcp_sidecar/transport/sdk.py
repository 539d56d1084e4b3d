"""The MCP SDK and FastMCP as the way to answer a request: every method, every version.

Each request stands alone, also those of the handshake versions: nothing is kept between two of
them. Importing this module imports FastMCP, which takes longer than all the rest: it is loaded in
the background, or by the first request that needs it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
from pydantic import ValidationError

from mcp_sidecar.errors import HEADER_MISMATCH, INVALID_PARAMS, ProtocolError, repeated
from mcp_sidecar.transport.messages import Request
from mcp_sidecar.transport.protocol import MODERN_VERSIONS

Headers = Sequence[tuple[str, str]]


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


class SDK:
    """Answers the requests of one FastMCP server."""

    def __init__(self, server: FastMCP) -> None:
        self._protocol = server._mcp_server

    async def result(
        self, request: Request, *, version: str, headers: Headers | None
    ) -> dict[str, Any]:
        """Return the result of a request. Raises ProtocolError, or what nobody foresaw."""
        client_info = client_capabilities = None
        if version in MODERN_VERSIONS:
            route = self.route(request, headers)
            client_info, client_capabilities = route.client_info, route.client_capabilities
        try:
            return await serve_one(
                self._protocol,
                _OneWay(request.id, TransportContext(kind="portolan", can_send_request=False)),
                request.method,
                request.params,
                connection=Connection.from_envelope(version, client_info, client_capabilities),
                lifespan_state={},
            )
        except MCPError as error:
            raise repeated(error.error.code, error.error.message, error.error.data) from None
        except ValidationError:
            raise ProtocolError(INVALID_PARAMS, "Invalid request parameters") from None

    def route(self, request: Request, headers: Headers | None) -> InboundModernRoute:
        """Check a request of 2026-07-28 against its own envelope and headers.

        Raises ProtocolError where they differ or something is missing.
        """
        if headers is not None and (twice := find_duplicated_routing_header(headers)):
            raise ProtocolError(HEADER_MISMATCH, f"{twice} header appears more than once")
        by_name = None if headers is None else dict(headers)
        route = classify_inbound_request(
            {"method": request.method, "params": request.params}, headers=by_name
        )
        if isinstance(route, InboundModernRoute) and by_name is not None:
            route = self._mirrored(request, by_name) or route
        if isinstance(route, InboundLadderRejection):
            raise repeated(route.code, route.message, route.data)
        return route

    def takes(self, request: Request, *, version: str) -> bool:
        """Return whether the protocol's schema takes the params of a request."""
        try:
            methods.validate_client_request(request.method, version, request.params)
        except (KeyError, ValidationError):
            return False
        return True

    @property
    def identity(self) -> dict[str, Any]:
        """What results of 2026-07-28 say of the server."""
        return self._protocol.server_info_stamp

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
