"""search_code over the index."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.project.search_code import (
    CONTRACT,
    SearchCodeArguments,
    SearchCodeResult,
)
from mcp_sidecar.tools.base import Call
from web.library.selectors.search import code_search


async def search_code(call: Call, arguments: SearchCodeArguments) -> SearchCodeResult:
    """Return the best matching places of one repository or of all."""

    async def page(limit: int) -> SearchCodeResult:
        found = await bridge.call(
            code_search,
            principal=call.principal,
            repository=call.repository,
            **arguments.model_dump(exclude={"limit"}),
            limit=limit,
        )
        return SearchCodeResult.of(found, filters_applied=filters_of(arguments, call.repository))

    return await fitted(CONTRACT, page, arguments.limit)
