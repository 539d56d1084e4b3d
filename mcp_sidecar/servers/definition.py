"""What one MCP server is: its identity, its tools, and who is offered which."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, Literal, Protocol

from mcp_sidecar.tools.base import BoundTool
from web.accounts.principals import Principal

Audience = Literal["everyone", "members", "staff"]

TOOLS_ONLY: Final = {"tools": {"listChanged": False}}
"""The capabilities that a server with nothing but tools announces."""

LIST_SECONDS: Final = 60
LIST_SCOPE: Final = "private"
"""How long, and for whom, a client of 2026-07-28 may keep a list before asking again."""


Uses = tuple[tuple[tuple[str, ...], str], ...]
"""When to call which tools: their names in the order of the calls, and what for."""


def use_lines(uses: Uses, tools: tuple[BoundTool, ...]) -> list[str]:
    """Return a line of instructions for each use of which `tools` has at least one tool."""
    offered = {tool.contract.name for tool in tools}
    present = [([name for name in names if name in offered], purpose) for names, purpose in uses]
    return [f"- {' then '.join(names)}: {purpose}." for names, purpose in present if names]


class Instructions(Protocol):
    """Text that tells a model what a server is for and when to call which of its tools."""

    def __call__(self, *, repository: str | None, tools: tuple[BoundTool, ...]) -> str:
        """Return the instructions for an endpoint that offers `tools`."""
        ...


@dataclass(frozen=True)
class ServerDefinition:
    """One server.

    `path` is where it is served, without the last slash. `audience` is who may use it at all;
    `token_scope` what a token must allow to be more than anonymous. `over_repositories` servers
    have an endpoint per repository besides. `takes_bare_initialize`: an initialize without params
    is taken for that of the tutorial. `capabilities` are announced and served; the methods of all
    others are unknown.
    """

    name: str
    title: str
    description: str
    path: str
    tools: tuple[BoundTool, ...]
    instructions: Instructions
    audience: Audience = "everyone"
    token_scope: str | None = None
    over_repositories: bool = False
    takes_bare_initialize: bool = False
    capabilities: frozenset[str] = frozenset({"tools"})

    @cached_property
    def _offers(self) -> Mapping[tuple[bool, bool], Mapping[str, BoundTool]]:
        """The tools by name for each kind of request: single repository, GitHub token."""
        return {
            (single, token): {
                tool.contract.name: tool for tool in self.tools if _is_offered(tool, single, token)
            }
            for single, token in product((False, True), repeat=2)
        }

    def admits(self, principal: Principal) -> bool:
        """Return whether the caller may use this server: of its audience, by a fitting token."""
        if self.audience == "everyone":
            return True
        may_ask = self.token_scope is None or principal.allows(self.token_scope)
        return may_ask and (principal.is_staff if self.audience == "staff" else principal.is_member)

    def path_of(self, repository: str | None) -> str:
        """Return the path of the endpoint over all repositories, or of one."""
        return f"{self.path}/" if repository is None else f"{self.path}/repositories/{repository}/"

    def tool(self, name: str, *, single: bool, has_github_token: bool) -> BoundTool | None:
        """Return the tool of that name, or None where there is none or it is not offered."""
        return self._offers[single, has_github_token].get(name)

    def offered(self, *, single: bool, has_github_token: bool) -> tuple[BoundTool, ...]:
        """Return the tools that an endpoint offers, in the order of tools/list."""
        return tuple(self._offers[single, has_github_token].values())


def _is_offered(tool: BoundTool, single: bool, has_github_token: bool) -> bool:
    contract = tool.contract
    if contract.project_wide and single:
        return False
    return has_github_token or not contract.requires_github_token
