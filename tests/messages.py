"""The messages that most tests of the protocol send, and what a ping is answered with."""

from typing import Any, Final

PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG: Final = {"jsonrpc": "2.0", "id": 1, "result": {}}
LIST_TOOLS: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A call of a tool."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def hello(version: str = "2025-11-25") -> dict[str, Any]:
    """An initialize that offers `version`."""
    params = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
