"""list_repositories over the catalogue."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.list_repositories import (
    ListRepositoriesArguments,
    ListRepositoriesResult,
)
from mcp_sidecar.tools.base import Call
from web.core.errors import InvalidInput
from web.library.selectors.repositories import repositories_visible_to


async def list_repositories(
    call: Call, arguments: ListRepositoriesArguments
) -> ListRepositoriesResult:
    """Return the repositories behind the one that the cursor names, in list order."""
    summaries = await bridge.call(repositories_visible_to, principal=call.principal)
    start = 0
    if arguments.cursor:
        names = [summary.name for summary in summaries]
        if arguments.cursor not in names:
            raise InvalidInput(
                "The cursor names no repository of this list.",
                hint="Repeat the call without cursor.",
                fields={"cursor": "names no repository of this list"},
            )
        start = names.index(arguments.cursor) + 1
    return ListRepositoriesResult.model_validate(
        {"repositories": tuple(summaries[start:]), "total_count": len(summaries)}
    )
