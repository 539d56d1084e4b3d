"""read_commit over the mirror."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.read_commit import ReadCommitArguments, ReadCommitResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.history import commit_detail


async def read_commit(call: Call, arguments: ReadCommitArguments) -> ReadCommitResult:
    """Return one commit with its diff."""
    detail = await bridge.call(
        commit_detail,
        principal=call.principal,
        repository=call.repository,
        **arguments.model_dump(),
    )
    return ReadCommitResult.of(detail)
