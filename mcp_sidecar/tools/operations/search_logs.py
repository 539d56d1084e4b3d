"""search_logs over the files or the table of the log."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.instants import instant_or_none
from mcp_sidecar.contract.operations.search_logs import (
    CONTRACT,
    SearchLogsArguments,
    SearchLogsResult,
)
from mcp_sidecar.tools.base import Call
from web.operations.selectors.logs import log_entries_found


async def search_logs(call: Call, arguments: SearchLogsArguments) -> SearchLogsResult:
    """Return a page of log lines."""

    async def page(limit: int) -> SearchLogsResult:
        found = await bridge.call(
            log_entries_found,
            principal=call.principal,
            query=arguments.query,
            level=arguments.level,
            logger=arguments.logger,
            process=arguments.process,
            since=instant_or_none(arguments.since),
            until=instant_or_none(arguments.until),
            limit=limit,
            cursor=arguments.cursor,
        )
        return SearchLogsResult.of(found, filters_applied=filters_of(arguments))

    return await fitted(CONTRACT, page, arguments.limit)
