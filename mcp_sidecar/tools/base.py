"""How a contract is bound to services: one async function per tool, one bridged call each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.scope import RepositoryScope
from web.accounts.principals import Principal


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool knows besides its arguments: who calls, the scope, the resolved repository.

    `github_token` is the caller's own, only for tools whose contract requires it.
    """

    principal: Principal
    scope: RepositoryScope
    repository: str | None = None
    github_token: SecretStr | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A contract with the function that serves it: `await function(call, arguments) -> Result`."""

    contract: AnyContract
    function: Callable[[Call, Any], Awaitable[Any]]
