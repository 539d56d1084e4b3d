"""Calls of tools as any transport makes them, answered by the pipeline."""

from typing import Any

from mcp_sidecar.auth import NOBODY, Caller
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.servers.operations import OPERATIONS
from mcp_sidecar.servers.pipeline import Outcome, call_tool
from mcp_sidecar.servers.project import PROJECT


async def call(
    tool: str,
    arguments: Any = None,
    *,
    repository: str | None = None,
    definition: ServerDefinition = PROJECT,
    caller: Caller = NOBODY,
) -> Outcome:
    """Return what a tool answers on the endpoint over all repositories, or of one."""
    exchange = Exchange(definition, repository=repository, caller=caller)
    return await call_tool(exchange, tool, arguments)


async def text(tool: str, arguments: Any = None, *, repository: str | None = None) -> str:
    """Return the text of an answer that is no error."""
    outcome = await call(tool, arguments, repository=repository)
    assert not outcome.is_error, outcome.text
    return outcome.text


async def error(tool: str, arguments: Any = None, *, repository: str | None = None) -> str:
    """Return the text of an answer that is an error."""
    outcome = await call(tool, arguments, repository=repository)
    assert outcome.is_error, outcome.text
    return outcome.text


class Staff:
    """Calls the operations server as a member of the staff."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    @property
    def user_id(self) -> int:
        """The account's id."""
        user_id = self.caller.principal.user_id
        assert user_id is not None
        return user_id

    async def outcome(self, tool: str, arguments: Any = None) -> Outcome:
        """Return what a tool answers."""
        return await call(tool, arguments, definition=OPERATIONS, caller=self.caller)

    async def text(self, tool: str, **arguments: Any) -> str:
        """Return the text of an answer that is no error."""
        outcome = await self.outcome(tool, arguments)
        assert not outcome.is_error, outcome.text
        return outcome.text

    async def error(self, tool: str, **arguments: Any) -> str:
        """Return the text of an answer that is an error."""
        outcome = await self.outcome(tool, arguments)
        assert outcome.is_error, outcome.text
        return outcome.text
