"""read_post over the blog."""

from mcp_sidecar import bridge
from mcp_sidecar.contract.project.read_post import ReadPostArguments, ReadPostResult
from mcp_sidecar.tools.base import Call
from web.library.selectors.posts import post_text


async def read_post(call: Call, arguments: ReadPostArguments) -> ReadPostResult:
    """Return one post, or the rest of one."""
    text = await bridge.call(post_text, principal=call.principal, **arguments.model_dump())
    return ReadPostResult.of(text)
