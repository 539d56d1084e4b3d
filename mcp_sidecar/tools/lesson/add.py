"""add: nothing but arithmetic."""

from mcp_sidecar.contract.lesson.add import AddArguments, AddResult
from mcp_sidecar.tools.base import Call


async def add(call: Call, arguments: AddArguments) -> AddResult:  # noqa: ARG001 - the signature of every tool
    """Return the sum of the two numbers."""
    return AddResult(total=arguments.a + arguments.b)
