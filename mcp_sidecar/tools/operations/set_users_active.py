"""set_users_active over the accounts."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.instants import instant_or_none
from mcp_sidecar.contract.operations.set_users_active import (
    SetUsersActiveArguments,
    SetUsersActiveResult,
)
from mcp_sidecar.tools.base import Call
from web.accounts.records import Actor
from web.accounts.services.users import users_set_active


async def set_users_active(call: Call, arguments: SetUsersActiveArguments) -> SetUsersActiveResult:
    """Activate or deactivate the accounts of one scope."""
    changed = await bridge.call(
        users_set_active,
        actor=Actor.calling(call.principal),
        ids=arguments.ids,
        last_login_before=instant_or_none(arguments.last_login_before),
        active=arguments.active,
        reason=arguments.reason,
        dry_run=arguments.dry_run,
    )
    return SetUsersActiveResult.of(changed)
