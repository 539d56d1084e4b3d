"""list_files over the index."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.project.list_files import CONTRACT, ListFilesArguments, ListFilesResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.files import files_listed


async def list_files(call: Call, arguments: ListFilesArguments) -> ListFilesResult:
    """Return one folder, or the files that match a glob."""

    async def page(limit: int) -> ListFilesResult:
        listing = await bridge.call(
            files_listed,
            principal=call.principal,
            repository=call.repository,
            **arguments.model_dump(exclude={"limit"}),
            limit=limit,
        )
        return ListFilesResult.of(listing, filters_applied=filters_of(arguments, call.repository))

    return await fitted(CONTRACT, page, arguments.limit)
