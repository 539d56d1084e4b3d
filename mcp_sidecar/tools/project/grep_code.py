"""grep_code over the mirror."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.project.grep_code import CONTRACT, GrepCodeArguments, GrepCodeResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.grep import lines_matching


async def grep_code(call: Call, arguments: GrepCodeArguments) -> GrepCodeResult:
    """Return the lines that match a pattern."""

    async def page(limit: int) -> GrepCodeResult:
        found = await bridge.call(
            lines_matching,
            principal=call.principal,
            repository=call.repository,
            **arguments.model_dump(exclude={"limit"}),
            limit=limit,
        )
        return GrepCodeResult.of(found, filters_applied=filters_of(arguments, call.repository))

    return await fitted(CONTRACT, page, arguments.limit)
