"""The lesson: the smallest server, for trying a connection and for the walk-through page."""

from typing import Final

from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.tools.base import BoundTool
from mcp_sidecar.tools.registry import LESSON_TOOLS


def _instructions(*, repository: str | None, tools: tuple[BoundTool, ...]) -> str:
    del repository
    names = ", ".join(tool.contract.name for tool in tools)
    return (
        "A server to try a connection with. It knows nothing of any repository. Tools: "
        f"{names}. Call one when the user wants to see that tools work here."
    )


LESSON: Final = ServerDefinition(
    name="portolan-lesson",
    title="Portolan: lesson",
    description="Two small tools to try a connection with.",
    path="/mcp/lesson",
    tools=LESSON_TOOLS,
    instructions=_instructions,
    takes_bare_initialize=True,
)
