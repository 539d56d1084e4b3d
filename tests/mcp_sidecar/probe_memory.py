"""Call the probes from a client of FastMCP in the same process, as lines on stdin say.

Each line is the `params` of a tools/call, and is answered by a line: its result or its error.
"""

from mcp_sidecar.wire import claim

WIRE = claim()

from mcp_sidecar.bootstrap import boot_django  # noqa: E402

boot_django()

import asyncio  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402

from fastmcp import Client  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402

from mcp_sidecar.servers.binding import fastmcp_server  # noqa: E402
from tests.mcp_sidecar.probes import PROBES  # noqa: E402

LINES = open(WIRE.input, encoding="utf-8", closefd=False)  # noqa: SIM115 - until the end


async def main() -> None:
    """Answer every line."""
    async with Client(fastmcp_server(PROBES)) as client:
        while line := await asyncio.to_thread(LINES.readline):
            params = json.loads(line)
            try:
                result = await client.call_tool_mcp(params["name"], params["arguments"])
                answer = {"result": result.model_dump(mode="json", by_alias=True)}
            except MCPError as error:
                answer = {"error": error.error.model_dump(mode="json", exclude_none=True)}
            os.write(WIRE.output, json.dumps(answer).encode() + b"\n")


asyncio.run(main())
