"""What FastMCP is told of a server: its identity, its tools, and one boundary for failures.

FastMCP lists and calls tools, negotiates versions and speaks to in-memory clients; what a call does
is `pipeline`, and who is offered what is `definition`.
"""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import mcp_types
import msgspec
from django.conf import settings
from fastmcp import FastMCP
from fastmcp.exceptions import DisabledError, FastMCPError, NotFoundError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.providers import Provider
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp.server.context import CallNext as SDKCallNext
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, TextContent, ToolAnnotations
from pydantic import ValidationError

from mcp_sidecar.contract.descriptor import descriptors
from mcp_sidecar.errors import ProtocolError, unavailable, unforeseen, unknown_tool
from mcp_sidecar.servers.definition import LIST_SCOPE, LIST_SECONDS, ServerDefinition
from mcp_sidecar.servers.exchange import Exchange, current_exchange, enter, leave
from mcp_sidecar.servers.notes import note_message, note_unknown_tool
from mcp_sidecar.servers.pipeline import call_tool
from mcp_sidecar.tools.base import BoundTool
from mcp_sidecar.version import VERSION
from web.core.errors import PortolanError
from web.core.logs import REQUEST_ID

# Each capability that has methods of its own, with what is announced of it.
_CAPABILITIES: Final[dict[str, dict[str, bool]]] = {
    "tools": {"listChanged": False},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "logging": {},
    "completion": {},
}


class _Refused(FastMCPError):
    """Carries a protocol error through FastMCP, which would make a result of any other."""

    def __init__(self, error: ProtocolError) -> None:
        super().__init__(error.message, log_level=0)
        self.error = error


class ContractTool(Tool):
    """A tool of a contract; what it does is the pipeline."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the answer of the call that is being made."""
        exchange = current_exchange()
        if exchange is None:
            raise RuntimeError("a tool is called outside of a request")
        try:
            outcome = await call_tool(exchange, self.name, arguments)
        except ProtocolError as error:
            raise _Refused(error) from None
        except Exception as error:
            failure = unforeseen(error, request_id=exchange.request_id, where=self.name)
            raise _Refused(failure) from None
        structured = outcome.structured
        return ToolResult(
            content=[TextContent(type="text", text=outcome.text)],
            structured_content=None if structured is None else msgspec.json.decode(structured),
            is_error=outcome.is_error,
        )

    def get_meta(self) -> dict[str, Any] | None:  # type: ignore[override]
        """Return nothing: FastMCP's own bookkeeping is of no use to a client."""
        return None


@lru_cache(maxsize=256)
def _listed(
    tools: tuple[BoundTool, ...], names: tuple[str, ...] | None
) -> tuple[ContractTool, ...]:
    """Return the tools as FastMCP lists them; the same for the same tools and repositories."""
    contracts = [tool.contract for tool in tools]
    return tuple(
        ContractTool(
            name=shown["name"],
            title=shown["title"],
            description=shown["description"],
            parameters=shown["inputSchema"],
            output_schema=shown.get("outputSchema"),
            annotations=ToolAnnotations.model_validate(shown["annotations"], by_name=False),
        )
        for shown in descriptors(contracts, names)
    )


class ContractProvider(Provider):
    """Offers the tools of the request that is being answered."""

    async def _list_tools(self) -> Sequence[Tool]:
        exchange = current_exchange()
        if exchange is None:
            return ()
        scope = await exchange.scope()
        return _listed(exchange.tools(), scope.offered)

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        exchange = current_exchange()
        tool = None if exchange is None else exchange.tool(name)
        if exchange is None or tool is None or version is not None:
            return None
        return _listed((tool,), () if exchange.repository is None else None)[0]


class Presentation(Middleware):
    """What clients see of a server beyond its tools."""

    async def on_initialize(
        self,
        context: MiddlewareContext[mcp_types.InitializeRequest],
        call_next: CallNext[mcp_types.InitializeRequest, mcp_types.InitializeResult | None],
    ) -> mcp_types.InitializeResult | None:
        """Announce what the server is for, with the instructions of the endpoint."""
        result = await call_next(context)
        return None if result is None else result.model_copy(update=_announced())

    async def on_discover(
        self,
        context: MiddlewareContext[mcp_types.DiscoverRequest],
        call_next: CallNext[mcp_types.DiscoverRequest, mcp_types.DiscoverResult | dict[str, Any]],
    ) -> mcp_types.DiscoverResult | dict[str, Any]:
        """Announce what the server is for, with the instructions of the endpoint."""
        result = await call_next(context)
        if isinstance(result, mcp_types.DiscoverResult):
            return result.model_copy(update=_announced())
        return result | _announced()

    async def on_list_tools(
        self,
        context: MiddlewareContext[mcp_types.ListToolsRequest],
        call_next: CallNext[mcp_types.ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        """Make the list first: FastMCP takes a provider that fails for an empty one."""
        exchange = current_exchange()
        if exchange is not None:
            _listed(exchange.tools(), (await exchange.scope()).offered)
        return await call_next(context)

    async def on_call_tool(
        self,
        context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Make protocol errors of what FastMCP would show as a tool's own failure."""
        try:
            return await call_next(context)
        except (NotFoundError, DisabledError):
            name, arguments = context.message.name, context.message.arguments
            exchange = current_exchange()
            if exchange is None:
                raise unknown_tool(name) from None
            note_unknown_tool(exchange, name, arguments)
            raise exchange.unknown_tool(name) from None
        except _Refused as refused:
            raise refused.error from None


def _announced() -> dict[str, Any]:
    exchange = current_exchange()
    if exchange is None:
        return {}
    announced = exchange.definition.capabilities
    return {
        "capabilities": mcp_types.ServerCapabilities.model_validate(
            {name: empty for name, empty in _CAPABILITIES.items() if name in announced}
        ),
        "instructions": exchange.definition.instructions(
            repository=exchange.repository, tools=exchange.tools()
        ),
    }


class Boundary:
    """The outermost layer of a server: failures become protocol errors, calls are noted.

    Methods of a capability that the server does not announce are unknown here, though FastMCP
    would answer them.

    A message that comes without an exchange (from a client in memory) gets one: an anonymous
    caller at the endpoint over all repositories.
    """

    def __init__(self, definition: ServerDefinition) -> None:
        self.definition = definition

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: SDKCallNext
    ) -> HandlerResult:
        """Answer one message."""
        exchange = current_exchange()
        if exchange is None or exchange.definition is not self.definition:
            exchange = Exchange(self.definition)
            REQUEST_ID.set(exchange.request_id)
        entered = enter(exchange)
        started = time.monotonic()
        failure: MCPError | None = None
        try:
            capability = ctx.method.partition("/")[0]
            if capability in _CAPABILITIES.keys() - self.definition.capabilities:
                raise MCPError(code=METHOD_NOT_FOUND, message="Method not found", data=ctx.method)
            return await call_next(ctx)
        except Exception as error:
            failure = protocol_failure(error, exchange, ctx.method)
            raise failure from None
        finally:
            leave(entered)
            code = None if failure is None else failure.error.code
            note_message(exchange, ctx.method, started=started, error=code)


def protocol_failure(error: Exception, exchange: Exchange, method: str) -> MCPError:
    """Return the JSON-RPC error for whatever ended a message; the unforeseen is logged."""
    if isinstance(error, PortolanError):
        error = unavailable(error, request_id=exchange.request_id, where=method)
    elif isinstance(error, ValidationError):
        # Only the SDK's check of a method's params gets here: the pipeline ends a tool's own.
        return MCPError(code=INVALID_PARAMS, message="Invalid request parameters")
    elif isinstance(error, MCPError) and error.error.code != INTERNAL_ERROR:
        return error
    elif not isinstance(error, ProtocolError):
        error = unforeseen(error, request_id=exchange.request_id, where=method)
    return MCPError(code=error.code, message=error.message, data=error.data)


def fastmcp_server(definition: ServerDefinition) -> FastMCP:
    """Return the FastMCP server of a definition."""
    server = FastMCP(
        definition.name,
        version=VERSION,
        website_url=settings.PUBLIC_URL,
        mask_error_details=True,
        middleware=[Presentation()],
        providers=[ContractProvider()],
        dereference_schemas=False,
        cache_ttl=LIST_SECONDS,
        cache_scope=LIST_SCOPE,
    )
    protocol = server._mcp_server
    protocol.title = definition.title
    protocol.description = definition.description
    protocol.middleware.insert(0, Boundary(definition))
    return server
