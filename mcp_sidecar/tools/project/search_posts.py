"""search_posts over the blog."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.instants import instant_of
from mcp_sidecar.contract.project.search_posts import (
    CONTRACT,
    SearchPostsArguments,
    SearchPostsResult,
)
from mcp_sidecar.tools.base import Call
from web.library.selectors.posts import posts_search


async def search_posts(call: Call, arguments: SearchPostsArguments) -> SearchPostsResult:
    """Return the posts that fit a query, or the newest."""

    async def page(limit: int) -> SearchPostsResult:
        found = await bridge.call(
            posts_search,
            principal=call.principal,
            query=arguments.query or "",
            tag=arguments.tag,
            since=instant_of(arguments.since) if arguments.since else None,
            limit=limit,
            cursor=arguments.cursor,
        )
        return SearchPostsResult.of(found, filters_applied=filters_of(arguments))

    return await fitted(CONTRACT, page, arguments.limit)
