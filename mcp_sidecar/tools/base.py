"""How a contract is bound to services: one async function per tool, one bridged call each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.scope import RepositoryScope
from web.accounts.principals import Principal


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool knows besides its arguments: who calls, the scope, the resolved repository."""

    principal: Principal
    scope: RepositoryScope
    repository: str | None = None


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A contract with the function that serves it: `await function(call, arguments) -> Result`."""

    contract: AnyContract
    function: Callable[[Call, Any], Awaitable[Any]]
