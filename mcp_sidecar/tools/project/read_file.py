"""read_file over the mirror."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.read_file import ReadFileArguments, ReadFileResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.files import file_lines


async def read_file(call: Call, arguments: ReadFileArguments) -> ReadFileResult:
    """Return lines of one file."""
    lines = await bridge.call(
        file_lines,
        principal=call.principal,
        repository=call.repository,
        **arguments.model_dump(),
    )
    return ReadFileResult.of(lines)
