"""get_repository over the catalogue and the index."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.get_repository import GetRepositoryArguments, GetRepositoryResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.repositories import repository_overview


async def get_repository(
    call: Call,
    arguments: GetRepositoryArguments,  # noqa: ARG001 - the signature of every tool
) -> GetRepositoryResult:
    """Return the overview of the call's repository."""
    overview = await bridge.call(
        repository_overview, principal=call.principal, repository=call.repository
    )
    return GetRepositoryResult.of(overview)
