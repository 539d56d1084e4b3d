"""One request on its way: where it came in, who sent it, what it may see, until when.

It travels in a context variable, because FastMCP has no place for it; tools never read it, they
get a `Call`.
"""

import asyncio
import uuid
from collections.abc import Hashable
from contextvars import ContextVar, Token
from dataclasses import dataclass, field

from mcp_sidecar.auth import NOBODY, Caller
from mcp_sidecar.errors import ProtocolError, unknown_tool
from mcp_sidecar.remembered import mark
from mcp_sidecar.scope import RepositoryScope
from mcp_sidecar.servers import catalogue
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.tools.base import BoundTool
from web.core.limits import LIMITS


@dataclass(slots=True)
class Exchange:
    """The state of one request, or of one batch: its messages share the deadline.

    `repository` is the endpoint's, None where the endpoint is over all. `deadline` is an instant of
    the event loop's clock. `body_bytes` is the size of what was sent, 0 where unknown. `is_refused`
    says that a call found no place to wait.
    """

    definition: ServerDefinition
    repository: str | None = None
    caller: Caller = NOBODY
    request_id: str = ""
    deadline: float = 0.0
    body_bytes: int = 0
    is_refused: bool = False
    _mark: Hashable = None
    _scope: RepositoryScope | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.request_id:
            self.request_id = uuid.uuid4().hex
        if not self.deadline:
            self.deadline = asyncio.get_running_loop().time() + LIMITS.call_deadline_seconds

    @property
    def endpoint(self) -> str:
        """The endpoint's path, for logs."""
        return self.definition.path_of(self.repository)

    def marked(self) -> Hashable:
        """Return the state of the database that this request is answered from, at the least."""
        if self._mark is None:
            self._mark = mark()
        return self._mark

    def tool(self, name: str) -> BoundTool | None:
        """Return the tool of that name, None where it is not offered to this request."""
        if not self.definition.admits(self.caller.principal):
            return None
        return self.definition.tool(
            name,
            single=self.repository is not None,
            has_github_token=self.caller.github_token is not None,
        )

    def unknown_tool(self, name: str) -> ProtocolError:
        """Return the error for a tool that is not offered to this request."""
        single = self.repository is not None
        with_token = self.definition.tool(name, single=single, has_github_token=True)
        return unknown_tool(name, lacks_github_token=with_token is not None)

    def tools(self) -> tuple[BoundTool, ...]:
        """Return the tools that are offered to this request, in the order of tools/list."""
        if not self.definition.admits(self.caller.principal):
            return ()
        return self.definition.offered(
            single=self.repository is not None,
            has_github_token=self.caller.github_token is not None,
        )

    async def scope(self) -> RepositoryScope:
        """Return the repositories of this request; the same for the whole of it."""
        if self._scope is None:
            self._scope = self._scope_of(await self._names())
        return self._scope

    async def scope_with(self, name: object) -> RepositoryScope:
        """Return the scope, read anew if `name` is not in it: it may have been added just now."""
        scope = await self.scope()
        if isinstance(name, str) and name and scope.single is None and name not in scope.names:
            principal = self.caller.principal
            self._scope = self._scope_of(await catalogue.names_visible_to(principal, fresh=True))
            return self._scope
        return scope

    async def endpoint_exists(self) -> bool:
        """Return whether the caller may see the endpoint's repository, where it has one."""
        name = self.repository
        if name is None or name in await self._names():
            return True
        return name in await catalogue.names_visible_to(self.caller.principal, fresh=True)

    async def index_generation(self) -> int:
        """Return the generation of the index that this request is answered from, at the least."""
        return await catalogue.index_generation(at=self.marked())

    async def _names(self) -> tuple[str, ...]:
        if not self.definition.over_repositories:
            return ()
        return await catalogue.names_visible_to(self.caller.principal, at=self.marked())

    def _scope_of(self, names: tuple[str, ...]) -> RepositoryScope:
        if self.repository is not None:
            return RepositoryScope((self.repository,), single=self.repository)
        return RepositoryScope(names)


_current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


def current_exchange() -> Exchange | None:
    """Return the request that is being answered; None outside of one."""
    return _current.get()


def enter(exchange: Exchange) -> Token[Exchange | None]:
    """Make `exchange` the request that this task, and what it starts, answers until `leave`."""
    return _current.set(exchange)


def leave(entered: Token[Exchange | None]) -> None:
    """Undo `enter`."""
    _current.reset(entered)
