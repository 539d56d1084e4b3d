"""list_commits over the mirror."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.instants import instant_of
from mcp_sidecar.contract.project.list_commits import (
    CONTRACT,
    ListCommitsArguments,
    ListCommitsResult,
)
from mcp_sidecar.tools.base import Call
from web.library.selectors.history import commits_listed


async def list_commits(call: Call, arguments: ListCommitsArguments) -> ListCommitsResult:
    """Return the history of a repository, or of a path in it."""

    async def page(limit: int) -> ListCommitsResult:
        listing = await bridge.call(
            commits_listed,
            principal=call.principal,
            repository=call.repository,
            **arguments.model_dump(exclude={"limit", "since"}),
            since=instant_of(arguments.since) if arguments.since else None,
            limit=limit,
        )
        return ListCommitsResult.of(listing, filters_applied=filters_of(arguments, call.repository))

    return await fitted(CONTRACT, page, arguments.limit)
