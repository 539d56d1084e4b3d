"""From what happens in this process to the metrics: calls as they are told, states when asked."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Any, Final

from mcp_sidecar import bridge, counters, signals
from mcp_sidecar.metrics import declared
from mcp_sidecar.signals import Call, ToolCall
from mcp_sidecar.transport.protocol import KNOWN_METHODS, UNKNOWN_NAME
from web.operations.recorder import RECORDER

PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


def count_calls(sender: object, *, calls: tuple[Call, ...], dropped: int = 0, **_more: Any) -> None:
    """Count messages and tool calls; a receiver of `mcpserver_calls`."""
    del sender
    if dropped:
        declared.NOT_RECORDED.inc(dropped)
    for call in calls:
        if isinstance(call, ToolCall):
            tool = UNKNOWN_NAME if call.outcome == "unknown_tool" else call.tool
            declared.TOOL_CALLS.labels(call.server, tool, call.outcome).inc()
            declared.TOOL_CALL_SECONDS.labels(call.server, tool, call.outcome).observe(call.seconds)
        else:
            method = call.method if call.method in KNOWN_METHODS else UNKNOWN_NAME
            outcome = "ok" if call.error is None else str(call.error)
            declared.MESSAGES.labels(call.server, method, outcome).inc()


def publish_state() -> None:
    """Put what was counted on the way, and how this process is now, into the metrics.

    To be called on the event loop, where those numbers are changed.
    """
    for status, count in counters.taken(counters.refusals).items():
        declared.REFUSED.labels(str(status)).inc(count)
    for result, count in counters.taken(counters.cache).items():
        declared.RESULT_CACHE.labels(result).inc(count)
    declared.CALLS_TO_RECORD.set(signals.waiting() + RECORDER.waiting)
    declared.NOT_RECORDED.inc(RECORDER.newly_dropped())
    for pool in (bridge.TOOLS, bridge.OUTSIDE, bridge.LOOK_UPS):
        declared.POOL_THREADS.labels(pool.name).set(pool.threads)
        declared.POOL_RUNNING.labels(pool.name).set(min(pool.taken, pool.threads))
        declared.POOL_WAITING.labels(pool.name).set(max(0, pool.taken - pool.threads))
    declared.MEMORY.set(_resident_bytes())
    declared.OPEN_FILES.set(_open_files())
    declared.THREADS.set(threading.active_count())
    declared.TASKS_OF_LOOP.set(len(asyncio.all_tasks()))
    declared.WORKERS.set(1)


def _resident_bytes() -> int:
    """Return the resident memory, 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES
    except OSError:
        return 0


def _open_files() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    except OSError:
        return 0
