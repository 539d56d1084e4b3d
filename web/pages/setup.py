"""How MCP clients are told of this installation: text to paste, made from the public address."""

import json
from dataclasses import dataclass

NAME = "portolan"


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """What to do in one client: `where` says in words, `text` is pasted there."""

    client: str
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One MCP endpoint: its address, who may use it, and what it is for."""

    url: str
    who: str
    purpose: str


def endpoints(public_url: str) -> tuple[Endpoint, ...]:
    """Return the endpoints of this installation."""
    return (
        Endpoint(
            f"{public_url}/mcp/",
            "everyone",
            "Search and read the code and documentation of every public repository.",
        ),
        Endpoint(
            f"{public_url}/mcp/repositories/NAME/",
            "everyone",
            "The same over one repository; put its name for NAME.",
        ),
        Endpoint(
            f"{public_url}/mcp/operations/",
            "staff, signed in",
            "Ask about health, logs and usage; manage accounts, tokens and sources.",
        ),
        Endpoint(
            f"{public_url}/mcp/lesson/",
            "everyone",
            "Two tiny tools, add and shout: for trying a connection.",
        ),
    )


def client_setups(url: str) -> tuple[ClientSetup, ...]:
    """Return how each common client connects to the MCP endpoint at `url`."""
    remote = {"type": "http", "url": url}
    return (
        ClientSetup(
            "Claude Code", "In a terminal", f"claude mcp add --transport http {NAME} {url}"
        ),
        ClientSetup("VS Code", "In .vscode/mcp.json", _json({"servers": {NAME: remote}})),
        ClientSetup("Cursor", "In .cursor/mcp.json", _json({"mcpServers": {NAME: {"url": url}}})),
        ClientSetup("Codex", "In ~/.codex/config.toml", f'[mcp_servers.{NAME}]\nurl = "{url}"'),
        ClientSetup(
            "Gemini CLI",
            "In ~/.gemini/settings.json",
            _json({"mcpServers": {NAME: {"httpUrl": url}}}),
        ),
        ClientSetup(
            "Any other", "Where it keeps its MCP servers", _json({"mcpServers": {NAME: remote}})
        ),
    )


def _json(value: object) -> str:
    return json.dumps(value, indent=2)
