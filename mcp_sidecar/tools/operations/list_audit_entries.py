"""list_audit_entries over the audit."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.instants import instant_or_none
from mcp_sidecar.contract.operations.list_audit_entries import (
    CONTRACT,
    ListAuditEntriesArguments,
    ListAuditEntriesResult,
)
from mcp_sidecar.tools.base import Call
from web.accounts.selectors.audit import audit_listed


async def list_audit_entries(
    call: Call, arguments: ListAuditEntriesArguments
) -> ListAuditEntriesResult:
    """Return a page of the audit."""

    async def page(limit: int) -> ListAuditEntriesResult:
        listing = await bridge.call(
            audit_listed,
            principal=call.principal,
            actor=arguments.actor,
            action=arguments.action,
            target=arguments.target,
            since=instant_or_none(arguments.since),
            limit=limit,
            cursor=arguments.cursor,
        )
        return ListAuditEntriesResult.of(listing, filters_applied=filters_of(arguments))

    return await fitted(CONTRACT, page, arguments.limit)
