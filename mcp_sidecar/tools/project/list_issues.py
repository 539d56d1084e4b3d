"""list_issues over GitHub."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.project.list_issues import CONTRACT, ListIssuesArguments, ListIssuesResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.issues import issues_listed


async def list_issues(call: Call, arguments: ListIssuesArguments) -> ListIssuesResult:
    """Return issues of a repository, or what GitHub's search finds among them."""

    async def page(limit: int) -> ListIssuesResult:
        listing = await bridge.call_outside(
            issues_listed,
            principal=call.principal,
            repository=call.repository,
            token=call.github_token,
            state=arguments.state,
            labels=arguments.labels,
            query=arguments.query or "",
            limit=limit,
            cursor=arguments.cursor,
        )
        return ListIssuesResult.of(listing, filters_applied=filters_of(arguments, call.repository))

    return await fitted(CONTRACT, page, arguments.limit)
