"""search_docs over the index."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.project.search_docs import (
    CONTRACT,
    SearchDocsArguments,
    SearchDocsResult,
)
from mcp_sidecar.tools.base import Call
from web.library.selectors.search import documents_search


async def search_docs(call: Call, arguments: SearchDocsArguments) -> SearchDocsResult:
    """Return the best matching sections of one repository or of all."""

    async def page(limit: int) -> SearchDocsResult:
        found = await bridge.call(
            documents_search,
            principal=call.principal,
            repository=call.repository,
            **arguments.model_dump(exclude={"limit"}),
            limit=limit,
        )
        return SearchDocsResult.of(found, filters_applied=filters_of(arguments, call.repository))

    return await fitted(CONTRACT, page, arguments.limit)
