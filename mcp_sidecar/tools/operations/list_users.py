"""list_users over the accounts."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.base import filters_of
from mcp_sidecar.contract.fitting import fitted
from mcp_sidecar.contract.instants import instant_or_none
from mcp_sidecar.contract.operations.list_users import (
    CONTRACT,
    ListUsersArguments,
    ListUsersResult,
)
from mcp_sidecar.tools.base import Call
from web.accounts.selectors.users import users_listed


async def list_users(call: Call, arguments: ListUsersArguments) -> ListUsersResult:
    """Return a page of accounts."""

    async def page(limit: int) -> ListUsersResult:
        listing = await bridge.call(
            users_listed,
            principal=call.principal,
            active=arguments.active,
            staff=arguments.staff,
            search=arguments.search,
            last_login_before=instant_or_none(arguments.last_login_before),
            limit=limit,
            cursor=arguments.cursor,
        )
        return ListUsersResult.of(listing, filters_applied=filters_of(arguments))

    return await fitted(CONTRACT, page, arguments.limit)
