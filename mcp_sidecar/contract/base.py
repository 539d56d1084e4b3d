"""What a tool is, as data: independent of Django, of HTTP and of FastMCP.

A contract names the tool, describes it, says what it takes and returns, and renders the result.
Adapters bind it to services (`mcp_sidecar.tools`) or to the REST API (the facade).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict


class Arguments(BaseModel):
    """Base of every tool's arguments: unknown names are refused, values read leniently where safe."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Result(BaseModel):
    """Base of every tool's result; made from a service's record by `from_attributes`."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


@dataclass(frozen=True, slots=True)
class Hints:
    """The four hints of MCP, always set."""

    read_only: bool
    idempotent: bool
    destructive: bool = False
    open_world: bool = False


READ = Hints(read_only=True, idempotent=True)


@dataclass(frozen=True, slots=True)
class Description:
    """The parts that every description has; `text` joins them.

    `purpose`: what it returns and when to use it. `not_for`: when not to, naming the sibling.
    `returns`: what comes back, with an example. `errors`: what each error means for the model.
    """

    purpose: str
    not_for: str
    returns: str
    errors: str

    @property
    def text(self) -> str:
        """The description as it stands in tools/list."""
        return "\n\n".join(
            (
                self.purpose,
                f"Not for: {self.not_for}",
                f"Returns: {self.returns}",
                f"Errors: {self.errors}",
            )
        )


@dataclass(frozen=True, slots=True)
class ToolContract[A: Arguments, R: Result]:
    """One tool. `arguments` never holds `repository`: the scope of the endpoint adds it.

    `cache_seconds` is None for a tool whose results are never cached. `structured` tools answer
    with structured content and an output schema besides their text.
    """

    name: str
    title: str
    description: Description
    arguments: type[A]
    result: type[R]
    render: Callable[[R], str]
    hints: Hints = READ
    uses_repository: bool = False
    requires_repository: bool = False
    project_wide: bool = False
    requires_github_token: bool = False
    structured: bool = False
    cache_seconds: int | None = 3600


AnyContract = ToolContract[Any, Any]
