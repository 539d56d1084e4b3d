"""list_sources over repositories, sites and feeds."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.operations.list_sources import (
    CONTRACT,
    ListSourcesArguments,
    ListSourcesResult,
)
from mcp_sidecar.tools.base import Call
from web.library.selectors.sources import sources_listed


async def list_sources(call: Call, arguments: ListSourcesArguments) -> ListSourcesResult:
    """Return a page of sources."""

    async def page(limit: int) -> ListSourcesResult:
        listing = await bridge.call(
            sources_listed,
            principal=call.principal,
            state=arguments.state,
            limit=limit,
            cursor=arguments.cursor,
        )
        return ListSourcesResult.of(listing, filters_applied=filters_of(arguments))

    return await fitted(CONTRACT, page, arguments.limit)
