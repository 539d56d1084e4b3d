"""One tool call, from its name and what the client sent to the text of the answer.

Independent of FastMCP and of HTTP, so that a call is the same over HTTP, stdio and in memory.
"""

import asyncio
import time
from typing import Any, NamedTuple

from mcp_sidecar import caching, tracing
from mcp_sidecar.bridge import Busy
from mcp_sidecar.caching import Answer
from mcp_sidecar.contract.reading import ArgumentError, read_arguments
from mcp_sidecar.contract.rendering.freshness import with_ages
from mcp_sidecar.contract.repository import NAME
from mcp_sidecar.databases import deadline_exceeded
from mcp_sidecar.errors import ProtocolError, failure_text, note_away, unforeseen
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.servers.notes import note_tool_call
from mcp_sidecar.tools.base import BoundTool, Call
from web.core.clock import now
from web.core.errors import PortolanError
from web.core.limits import LIMITS
from web.core.logs import TOOL
from web.core.redaction import holds_a_token, without_tokens


class Outcome(NamedTuple):
    """The answer of a tool: `text`, and `structured` content as JSON where the tool has it.

    `code` is "ok", or what kind of failure `text` tells of (`is_error`). `cached` says that the
    result was kept from an earlier call. `query` is what was searched for, `result_count` how much
    was found; they are for the record of the call.
    """

    text: str
    structured: bytes | None = None
    code: str = "ok"
    cached: bool = False
    query: str = ""
    result_count: int | None = None

    @property
    def is_error(self) -> bool:
        """Whether the tool failed."""
        return self.code != "ok"


async def call_tool(exchange: Exchange, name: str, arguments: Any) -> Outcome:
    """Return what the tool answers, its own failures included, and note the call.

    Raises ProtocolError for a tool that is not offered (-32601) and for what nobody foresaw
    (-32603, logged once).
    """
    started = time.monotonic()
    outcome, code = None, "cancelled"
    try:
        outcome = await _outcome(exchange, name, arguments)
        code = outcome.code
    except ProtocolError as error:
        code = error.tool_outcome
        raise
    finally:
        tracing.note_tool_call(name, outcome=code, cached=outcome is not None and outcome.cached)
        note_tool_call(
            exchange,
            name,
            arguments,
            outcome=code,
            started=started,
            cached=outcome is not None and outcome.cached,
            result_size=0 if outcome is None else len(outcome.text),
            query="" if outcome is None else outcome.query,
            result_count=None if outcome is None else outcome.result_count,
        )
    return outcome


async def _outcome(exchange: Exchange, name: str, arguments: Any) -> Outcome:
    tool = exchange.tool(name)
    if tool is None:
        raise exchange.unknown_tool(name)
    TOOL.set(name)
    try:
        async with asyncio.timeout_at(exchange.deadline) as deadline:
            return await _answered(exchange, tool, arguments)
    except ArgumentError as error:
        return Outcome(without_tokens(error.text), code="invalid_arguments")
    except PortolanError as error:
        exchange.is_refused = isinstance(error, Busy)
        if not tool.contract.requires_github_token:  # what GitHub fails at is no fault of ours
            note_away(error, request_id=exchange.request_id, where=name)
        return _failed(error, exchange)
    except TimeoutError as error:
        if deadline.expired():
            return _failed(deadline_exceeded(LIMITS.call_deadline_seconds), exchange)
        raise unforeseen(error, request_id=exchange.request_id, where=name) from None
    except Exception as error:
        raise unforeseen(error, request_id=exchange.request_id, where=name) from None


async def _answered(exchange: Exchange, tool: BoundTool, raw: Any) -> Outcome:
    contract = tool.contract
    named = raw.get(NAME) if isinstance(raw, dict) and contract.uses_repository else None
    scope = await exchange.scope_with(named)
    given = read_arguments(contract, raw, names=scope.offered)
    repository = None
    if contract.uses_repository:
        repository = scope.resolve(given.repository, required=contract.requires_repository)
    call = Call(
        exchange.caller.principal,
        scope,
        repository,
        exchange.caller.github_token if contract.requires_github_token else None,
    )
    query = contract.query_of(given.arguments)
    # Answers repeat what was asked for: a token that was sent by mistake is not repeated, nor kept.
    has_token = holds_a_token(given.arguments.model_dump_json())
    key = None
    if not has_token and exchange.definition.over_repositories and caching.may_be_cached(contract):
        generation = await exchange.index_generation()
        key = caching.key_of(
            contract,
            call,
            given.arguments,
            server=exchange.definition.name,
            generation=generation,
        )
        if (answer := await caching.kept(key)) is not None:
            return _shown(answer, query, cached=True)
    result = await tool.function(call, given.arguments)
    answer = Answer(
        contract.render(result),
        result.model_dump_json().encode() if contract.structured else None,
        result.found_count,
    )
    if has_token:
        answer = answer.without_tokens()
    if key is not None and contract.cache_seconds is not None:
        await caching.keep(key, answer, seconds=contract.cache_seconds)
    return _shown(answer, query, cached=False)


def _shown(answer: Answer, query: str, *, cached: bool) -> Outcome:
    return Outcome(
        with_ages(answer.text, now()),
        answer.structured,
        cached=cached,
        query=query,
        result_count=answer.result_count,
    )


def _failed(error: PortolanError, exchange: Exchange) -> Outcome:
    return Outcome(failure_text(error, request_id=exchange.request_id), code=error.code)
