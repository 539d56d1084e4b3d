"""revoke_tokens over tokens and applications."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.instants import instant_or_none
from mcp_sidecar.contract.operations.revoke_tokens import RevokeTokensArguments, RevokeTokensResult
from mcp_sidecar.tools.base import Call
from web.accounts.records import Actor
from web.accounts.services.revocation import access_revoke


async def revoke_tokens(call: Call, arguments: RevokeTokensArguments) -> RevokeTokensResult:
    """End the tokens and applications of one scope."""
    revoked = await bridge.call(
        access_revoke,
        actor=Actor.calling(call.principal),
        user_ids=arguments.user_ids,
        unused_since=instant_or_none(arguments.unused_since),
        reason=arguments.reason,
        dry_run=arguments.dry_run,
    )
    return RevokeTokensResult.of(revoked)
