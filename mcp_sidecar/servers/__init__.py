"""Which tools on which endpoint for which caller, and what FastMCP is told of them."""

from mcp_sidecar.bootstrap import quiet_fastmcp

quiet_fastmcp()
