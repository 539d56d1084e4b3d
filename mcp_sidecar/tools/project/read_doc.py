"""read_doc over the mirror."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.read_doc import ReadDocArguments, ReadDocResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.documents import document_text


async def read_doc(call: Call, arguments: ReadDocArguments) -> ReadDocResult:
    """Return one document, or one section of it."""
    text = await bridge.call(
        document_text,
        principal=call.principal,
        repository=call.repository,
        **arguments.model_dump(),
    )
    return ReadDocResult.of(text)
