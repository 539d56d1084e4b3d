"""sync_repository over the worker's queue."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.operations.sync_repository import (
    SyncRepositoryArguments,
    SyncRepositoryResult,
)
from mcp_sidecar.tools.base import Call
from web.accounts.records import Actor
from web.library.services.sources import source_sync


async def sync_repository(call: Call, arguments: SyncRepositoryArguments) -> SyncRepositoryResult:
    """Queue a sync."""
    requested = await bridge.call(
        source_sync,
        actor=Actor.calling(call.principal),
        name=arguments.repository,
        reason=arguments.reason or "",
    )
    return SyncRepositoryResult.of(requested)
