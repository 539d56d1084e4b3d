"""What the sidecar tells the rest of the platform about its calls: Django signals.

They are sent after the answer, from a thread of their own: a receiver may use the database, may be
slow and may fail, and no call waits for it or is harmed. `mcpserver_called` and
`mcpserver_tool_called` tell of each call; `mcpserver_calls` of all calls of the last second at
once, which is what a receiver that writes wants. What the bounded queue cannot take is dropped; the
next `mcpserver_calls` and the log say how much.
"""

import logging
import threading
from collections.abc import Mapping
from functools import lru_cache
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from django.db import connections
from django.dispatch import Signal

from web.core.logs import CALLER, REQUEST_ID
from web.core.redaction import redacted, redacted_value

logger = logging.getLogger(__name__)

mcpserver_called = Signal(use_caching=True)
"""Every accepted notification and request.

Keyword arguments: server, endpoint, method, caller, seconds, error (the JSON-RPC code of the
answer, else None), request_id, at (when it was answered, in seconds since the epoch).
"""

mcpserver_tool_called = Signal(use_caching=True)
"""Every tool call, failed or not.

Keyword arguments: server, endpoint, tool, arguments (secrets removed), caller, user_id, outcome
("ok", "invalid_arguments", "internal_error", or the code of the tool's own failure such as
"not_found"), seconds, cached, result_size (characters), query (what was searched for, secrets
removed; empty for other calls), result_count (how much was found, else None), request_id, at.
"""

mcpserver_calls = Signal()
"""The calls since the last time, at most once a second unless very many are made.

Keyword arguments: calls, a tuple of at most `MAX_TOLD_AT_ONCE` `MessageCall`s and `ToolCall`s in
the order of their answers, without secrets; dropped, how many were not noted since the last time
because receivers were too slow. A tool call that is a message is both, with one request_id.
"""

MAX_WAITING = 10_000
MAX_TOLD_AT_ONCE: Final = 1_000
MAX_ARGUMENTS_CHARACTERS = 4_000
MAX_METHOD_CHARACTERS = 100
# The sender wakes at most this often, or when so many wait that they fill a tenth of the queue: a
# busy process switches threads once for a thousand calls.
PAUSE_SECONDS = 1.0


class MessageCall(NamedTuple):
    """One accepted message; see `mcpserver_called`."""

    server: str
    endpoint: str
    method: str
    caller: str
    seconds: float
    error: int | None
    request_id: str
    at: float


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
    query: str
    result_count: int | None
    request_id: str
    at: float


Call = MessageCall | ToolCall

_waiting: SimpleQueue[Call | threading.Event] = SimpleQueue()
_state = {"dropped": 0}
_due = threading.Event()
_starting = threading.Lock()
_thread: threading.Thread | None = None


def note(call: Call) -> None:
    """Have the receivers told of `call`; returns at once and raises nothing."""
    try:
        ahead = _waiting.qsize()
        if ahead >= MAX_WAITING:
            _state["dropped"] += 1
            return
        _waiting.put(call)
        if _thread is None or not _thread.is_alive():
            _start()
        elif ahead >= MAX_TOLD_AT_ONCE and not _due.is_set():
            _due.set()
    except Exception:
        logger.exception("a call was not recorded")


def flush(*, timeout_seconds: float = 5.0) -> bool:
    """Wait until the receivers were told of all that was noted; return whether they were."""
    if _thread is None or not _thread.is_alive():
        return _waiting.empty()
    told = threading.Event()
    _waiting.put(told)
    _due.set()
    return told.wait(timeout_seconds)


def waiting() -> int:
    """Return how many calls the receivers were not told of yet."""
    return _waiting.qsize()


def _start() -> None:
    global _thread  # noqa: PLW0603 - one sending thread per process
    with _starting:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_send_all, name="signals", daemon=True)
            _thread.start()


def _send_all() -> None:
    while True:
        first: Call | threading.Event | None = _waiting.get()
        _due.clear()
        while first is not None:
            calls, flushed = _next_calls(first)
            _send(calls)
            if flushed is not None:
                connections.close_all()
                flushed.set()
            first = _taken()
        connections.close_all()
        _due.wait(PAUSE_SECONDS)


def _next_calls(first: Call | threading.Event) -> tuple[list[Call], threading.Event | None]:
    """Take `first` and what waits behind it, up to the first who waits for that in `flush`."""
    calls: list[Call] = []
    taken: Call | threading.Event | None = first
    while taken is not None:
        if isinstance(taken, threading.Event):
            return calls, taken
        calls.append(taken)
        taken = _taken() if len(calls) < MAX_TOLD_AT_ONCE else None
    return calls, None


def _taken() -> Call | threading.Event | None:
    try:
        return _waiting.get_nowait()
    except Empty:
        return None


def _send(noted: list[Call]) -> None:
    """Tell the receivers; Django logs those that fail."""
    calls = tuple(told for call in noted if (told := _as_told(call)) is not None)
    listened = tuple(
        kind
        for signal, kind in ((mcpserver_called, MessageCall), (mcpserver_tool_called, ToolCall))
        if signal.has_listeners(kind)
    )
    if listened:
        for call in calls:
            if isinstance(call, listened):
                _send_one(call)
        REQUEST_ID.set("")
        CALLER.set("")
    dropped, _state["dropped"] = _state["dropped"], 0
    if calls or dropped:
        mcpserver_calls.send_robust(sender=None, calls=calls, dropped=dropped)
    if dropped:
        logger.error("%d calls were not recorded: the receivers are too slow", dropped)


def _send_one(call: Call) -> None:
    signal = mcpserver_tool_called if isinstance(call, ToolCall) else mcpserver_called
    REQUEST_ID.set(call.request_id)  # this thread sends one call after the other
    CALLER.set(call.caller)
    signal.send_robust(sender=type(call), **call._asdict())


def _as_told(call: Call) -> Call | None:
    """Return the call without secrets; None for one that cannot be told, which the log says."""
    try:
        if isinstance(call, ToolCall):
            return call._replace(
                tool=_name(call.tool),
                arguments=_recorded(call.arguments),
                query=redacted(call.query),
            )
        return call._replace(method=_name(call.method[:MAX_METHOD_CHARACTERS]))
    except Exception:
        logger.exception("a call was not recorded")
        return None


@lru_cache(maxsize=512)
def _name(text: str) -> str:
    """Return the name of a method or tool, which the caller chose, without secrets."""
    return redacted(text)


def _recorded(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as they may be written down: without secrets, long texts cut."""
    recorded: dict[str, Any] = redacted_value(arguments)
    for name, value in recorded.items():
        if len(text := str(value)) > MAX_ARGUMENTS_CHARACTERS:
            recorded[name] = f"{text[:MAX_ARGUMENTS_CHARACTERS]}… ({len(text)} characters)"
    return recorded
