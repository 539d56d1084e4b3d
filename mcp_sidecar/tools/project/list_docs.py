"""list_docs over the index."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.project.list_docs import CONTRACT, ListDocsArguments, ListDocsResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.documents import documents_listed


async def list_docs(call: Call, arguments: ListDocsArguments) -> ListDocsResult:
    """Return the documents of one repository or of all, by path."""

    async def page(limit: int) -> ListDocsResult:
        listing = await bridge.call(
            documents_listed,
            principal=call.principal,
            repository=call.repository,
            **arguments.model_dump(exclude={"limit"}),
            limit=limit,
        )
        return ListDocsResult.of(listing, filters_applied=filters_of(arguments, call.repository))

    return await fitted(CONTRACT, page, arguments.limit)
