"""What the sidecar tells the rest of the platform about its calls: two Django signals.

They are sent after the answer, from a thread of their own: a receiver may use the database, may be
slow and may fail, and no call waits for it or is harmed. What the bounded queue cannot take is
dropped, and the log says how much.
"""

import logging
import threading
import time
from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any, NamedTuple

from django.db import connections
from django.dispatch import Signal

from web.core.logs import CALLER, REQUEST_ID
from web.core.redaction import redacted, redacted_value

logger = logging.getLogger(__name__)

mcpserver_called = Signal(use_caching=True)
"""Every accepted notification and request.

Keyword arguments: server, endpoint, method, caller, seconds, error (the JSON-RPC code of the
answer, else None), request_id.
"""

mcpserver_tool_called = Signal(use_caching=True)
"""Every tool call, failed or not.

Keyword arguments: server, endpoint, tool, arguments (secrets removed), caller, user_id, outcome
("ok", "invalid_arguments", "internal_error", or the code of the tool's own failure such as
"not_found"), seconds, cached, result_size (characters), request_id.
"""

MAX_WAITING = 5_000
MAX_ARGUMENTS_CHARACTERS = 4_000
MAX_METHOD_CHARACTERS = 100
# The sender wakes at most this often, so that a busy process does not switch threads per call.
PAUSE_SECONDS = 0.01


class MessageCall(NamedTuple):
    """One accepted message; see `mcpserver_called`."""

    server: str
    endpoint: str
    method: str
    caller: str
    seconds: float
    error: int | None
    request_id: str


class ToolCall(NamedTuple):
    """One tool call; see `mcpserver_tool_called`."""

    server: str
    endpoint: str
    tool: str
    arguments: Mapping[str, Any]
    caller: str
    user_id: int | None
    outcome: str
    seconds: float
    cached: bool
    result_size: int
    request_id: str


_waiting: SimpleQueue[MessageCall | ToolCall | threading.Event] = SimpleQueue()
_state = {"dropped": 0}
_starting = threading.Lock()
_thread: threading.Thread | None = None


def note(call: MessageCall | ToolCall) -> None:
    """Have the receivers told of `call`; returns at once and raises nothing."""
    try:
        if _waiting.qsize() >= MAX_WAITING:
            _state["dropped"] += 1
            return
        _waiting.put(call)
        if _thread is None or not _thread.is_alive():
            _start()
    except Exception:
        logger.exception("a call was not recorded")


def flush(*, timeout_seconds: float = 5.0) -> bool:
    """Wait until the receivers were told of all that was noted; return whether they were."""
    if _thread is None or not _thread.is_alive():
        return _waiting.empty()
    told = threading.Event()
    _waiting.put(told)
    return told.wait(timeout_seconds)


def _start() -> None:
    global _thread  # noqa: PLW0603 - one sending thread per process
    with _starting:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_send_all, name="signals", daemon=True)
            _thread.start()


def _send_all() -> None:
    while True:
        _send(_waiting.get())
        while not _waiting.empty():
            _send(_waiting.get())
        connections.close_all()
        if dropped := _state["dropped"]:
            _state["dropped"] = 0
            logger.error("%d calls were not recorded: the receivers are too slow", dropped)
        time.sleep(PAUSE_SECONDS)


def _send(call: MessageCall | ToolCall | threading.Event) -> None:
    if isinstance(call, threading.Event):
        connections.close_all()
        call.set()
        return
    values = call._asdict()
    if isinstance(call, ToolCall):
        signal = mcpserver_tool_called
        values["arguments"] = _recorded(call.arguments)
        values["tool"] = redacted(call.tool)
    else:
        signal = mcpserver_called
        values["method"] = redacted(call.method[:MAX_METHOD_CHARACTERS])
    REQUEST_ID.set(call.request_id)  # this thread sends one call after the other
    CALLER.set(call.caller)
    signal.send_robust(sender=type(call), **values)  # logs a receiver that fails


def _recorded(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as they may be written down: without secrets, long texts cut."""
    recorded: dict[str, Any] = redacted_value(arguments)
    for name, value in recorded.items():
        if len(text := str(value)) > MAX_ARGUMENTS_CHARACTERS:
            recorded[name] = f"{text[:MAX_ARGUMENTS_CHARACTERS]}… ({len(text)} characters)"
    return recorded
