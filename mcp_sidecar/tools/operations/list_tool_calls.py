"""list_tool_calls over the recorded calls."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.instants import instant_or_none
from mcp_sidecar.contract.operations.list_tool_calls import (
    CONTRACT,
    ListToolCallsArguments,
    ListToolCallsResult,
)
from mcp_sidecar.tools.base import Call
from web.operations.selectors.tool_calls import tool_calls_listed


async def list_tool_calls(call: Call, arguments: ListToolCallsArguments) -> ListToolCallsResult:
    """Return a page of calls."""

    async def page(limit: int) -> ListToolCallsResult:
        listing = await bridge.call(
            tool_calls_listed,
            principal=call.principal,
            tool=arguments.tool,
            user=arguments.user,
            outcome=arguments.outcome,
            since=instant_or_none(arguments.since),
            limit=limit,
            cursor=arguments.cursor,
        )
        return ListToolCallsResult.of(listing, filters_applied=filters_of(arguments))

    return await fitted(CONTRACT, page, arguments.limit)
