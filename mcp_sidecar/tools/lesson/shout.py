"""shout: nothing but capitals."""

from mcp_sidecar.contract.lesson.shout import ShoutArguments, ShoutResult
from mcp_sidecar.tools.base import Call


async def shout(call: Call, arguments: ShoutArguments) -> ShoutResult:  # noqa: ARG001 - the signature of every tool
    """Return the text in capitals."""
    return ShoutResult(text=arguments.text.upper())
