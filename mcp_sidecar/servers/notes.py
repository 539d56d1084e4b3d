"""What is noted of each message and each tool call, for the receivers of the signals."""

import time
from typing import Any, Final

from mcp_sidecar import signals
from mcp_sidecar.servers.exchange import Exchange

MAX_NOTED_BYTES: Final = 16_384
MAX_NOTED_NAMES: Final = 20


def note_message(
    exchange: Exchange, method: str, *, started: float, error: int | None = None
) -> None:
    """Note that a message was answered; `started` is an instant of the monotonic clock."""
    signals.note(
        signals.MessageCall(
            server=exchange.definition.name,
            endpoint=exchange.endpoint,
            method=method,
            caller=exchange.caller.label,
            seconds=time.monotonic() - started,
            error=error,
            request_id=exchange.request_id,
            at=time.time(),
        )
    )


def note_tool_call(
    exchange: Exchange,
    tool: str,
    arguments: Any,
    *,
    outcome: str,
    started: float,
    cached: bool,
    result_size: int,
    query: str = "",
    result_count: int | None = None,
) -> None:
    """Note that a tool was called; `started` is an instant of the monotonic clock."""
    signals.note(
        signals.ToolCall(
            server=exchange.definition.name,
            endpoint=exchange.endpoint,
            tool=tool[:100],
            arguments=_noted(arguments, exchange.body_bytes),
            caller=exchange.caller.label,
            user_id=exchange.caller.principal.user_id,
            outcome=outcome,
            seconds=time.monotonic() - started,
            cached=cached,
            result_size=result_size,
            query=query,
            result_count=result_count,
            request_id=exchange.request_id,
            at=time.time(),
        )
    )


def note_unknown_tool(exchange: Exchange, tool: str, arguments: Any) -> None:
    """Note that a tool was called that is not offered."""
    note_tool_call(
        exchange,
        tool,
        arguments,
        outcome="unknown_tool",
        started=time.monotonic(),
        cached=False,
        result_size=0,
    )


def _noted(arguments: Any, body_bytes: int) -> dict[str, Any]:
    """Return the arguments to note; of a very large body only which they were."""
    if not isinstance(arguments, dict):
        return {}
    if body_bytes > MAX_NOTED_BYTES:
        return dict.fromkeys(list(arguments)[:MAX_NOTED_NAMES], "(too large to note)")
    return arguments
