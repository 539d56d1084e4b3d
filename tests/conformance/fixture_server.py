"""The server that the conformance suite asks for, behind the product's own gate and dispatcher.

Its tools are the suite's fixtures (images, sounds, schemas with every keyword), which no endpoint
of the product has: `python -m tests.conformance.fixture_server PORT`.
"""

import base64
import os
import sys
from typing import Any, Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.config.settings.test")

from mcp_sidecar.bootstrap import boot_django

boot_django()

import uvicorn
from fastmcp import FastMCP
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

from mcp_sidecar.servers.binding import fastmcp_server
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.transport.application import Application

MISSING_CAPABILITY: Final = -32021
PIXEL: Final = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
        "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
    )
).decode()
SILENCE: Final = base64.b64encode(
    b"RIFF"
    + (36).to_bytes(4, "little")
    + b"WAVEfmt "
    + (16).to_bytes(4, "little")
    + (1).to_bytes(2, "little")
    + (1).to_bytes(2, "little")
    + (8000).to_bytes(4, "little")
    + (8000).to_bytes(4, "little")
    + (1).to_bytes(2, "little")
    + (8).to_bytes(2, "little")
    + b"data"
    + (0).to_bytes(4, "little")
).decode()
NO_ARGUMENTS: Final = {"type": "object", "properties": {}, "additionalProperties": False}
EVERY_KEYWORD: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {}}},
    "properties": {
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
MIRRORED_ARGUMENT: Final = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}
TEXT: Final = TextContent(type="text", text="This is a simple text response for testing.")
IMAGE: Final = ImageContent(type="image", data=PIXEL, mime_type="image/png")
AUDIO: Final = AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")
RESOURCE: Final = EmbeddedResource(
    type="resource",
    resource=TextResourceContents(
        uri="test://embedded-resource", mime_type="text/plain", text="An embedded resource."
    ),
)


class FixtureTool(Tool):
    """A tool that answers always the same."""

    answer: ToolResult

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the answer, whatever the arguments."""
        del arguments
        return self.answer


FIXTURES: Final[dict[str, tuple[dict[str, Any], ToolResult]]] = {
    "test_simple_text": (NO_ARGUMENTS, ToolResult(content=[TEXT])),
    "test_image_content": (NO_ARGUMENTS, ToolResult(content=[IMAGE])),
    "test_audio_content": (NO_ARGUMENTS, ToolResult(content=[AUDIO])),
    "test_embedded_resource": (NO_ARGUMENTS, ToolResult(content=[RESOURCE])),
    "test_multiple_content_types": (NO_ARGUMENTS, ToolResult(content=[TEXT, IMAGE, RESOURCE])),
    "test_error_handling": (
        NO_ARGUMENTS,
        ToolResult(
            content=[TextContent(type="text", text="This tool intentionally returns an error")],
            is_error=True,
        ),
    ),
    "test_logging_tool": (NO_ARGUMENTS, ToolResult(content=[TEXT])),
    "test_streaming_elicitation": (NO_ARGUMENTS, ToolResult(content=[TEXT])),
    "test_missing_capability": (NO_ARGUMENTS, ToolResult(content=[TEXT])),
    "test_custom_header": (MIRRORED_ARGUMENT, ToolResult(content=[TEXT])),
    "json_schema_2020_12_tool": (EVERY_KEYWORD, ToolResult(content=[TEXT])),
}


async def require_sampling(ctx: ServerRequestContext[Any, Any], call_next: Any) -> Any:
    """Refuse `test_missing_capability` to clients that cannot sample."""
    params = ctx.params or {}
    if ctx.method == "tools/call" and params.get("name") == "test_missing_capability":
        capabilities = ctx.session.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            raise MCPError(
                code=MISSING_CAPABILITY,
                message="This tool needs the capability sampling",
                data={"requiredCapabilities": {"sampling": {}}},
            )
    return await call_next(ctx)


def fixture_server(definition: ServerDefinition) -> FastMCP:
    """Return the product's server of a definition without tools, with the fixtures added."""
    server = fastmcp_server(definition)
    for name, (schema, answer) in FIXTURES.items():
        server.add_tool(
            FixtureTool(name=name, description=f"Fixture {name}.", parameters=schema, answer=answer)
        )
    server._mcp_server.middleware.append(require_sampling)
    return server


DEFINITION: Final = ServerDefinition(
    name="portolan-conformance",
    title="Portolan: conformance fixtures",
    description="The tools that the conformance suite calls.",
    path="/mcp",
    tools=(),
    capabilities=frozenset({"tools", "prompts", "resources", "logging"}),
    instructions=lambda *, repository, tools: "Fixtures of the conformance suite.",  # noqa: ARG005
)


def main() -> None:
    """Serve the fixtures on 127.0.0.1 at the port given on the command line."""
    application = Application((DEFINITION,), server_of=fixture_server)
    uvicorn.run(application, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
