"""get_user over the accounts."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.operations.get_user import GetUserArguments, GetUserResult
from mcp_sidecar.tools.base import Call
from web.accounts.selectors.users import user_detail


async def get_user(call: Call, arguments: GetUserArguments) -> GetUserResult:
    """Return one account."""
    return GetUserResult.of(
        await bridge.call(user_detail, principal=call.principal, user_id=arguments.user_id)
    )
