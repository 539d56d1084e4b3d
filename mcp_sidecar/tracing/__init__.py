"""Traces of requests for OpenTelemetry. Without an endpoint nothing is imported and nothing done.

A trace goes from the HTTP request over the message to the service on its thread and what that asks
of the database. Spans carry names the product knows, outcomes and the request id of the logs: no
arguments, no results, no headers, no names of repositories or accounts.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    from mcp_sidecar.tracing.recorder import Recorder

EXTRA: Final = "otel"
_STANDARD: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_NOTHING: Final = nullcontext()
_recorder: "Recorder | None" = None

Block = AbstractContextManager[Any]


def is_wanted() -> bool:
    """Return whether a setting, ours or one of OpenTelemetry, says where traces go."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    return bool(settings.ENVIRONMENT.otlp_endpoint or any(map(os.environ.get, _STANDARD)))


def problem() -> str:
    """Return why traces that are wanted cannot be sent, as a sentence; empty where they can."""
    if not is_wanted() or _is_installed():
        return ""
    return (
        "PORTOLAN_OTLP_ENDPOINT (or OTEL_EXPORTER_OTLP_ENDPOINT) asks for traces, but the extra "
        f"{EXTRA} is not installed. Run: uv sync --extra {EXTRA} (or: pip install "
        f"'portolan[{EXTRA}]'), or unset it."
    )


def start(service: str) -> None:
    """Send traces from here on, as those of `service`, where they are wanted."""
    global _recorder  # noqa: PLW0603 - one recorder per process
    if _recorder is None and is_wanted():
        from mcp_sidecar.tracing.recorder import Recorder

        _recorder = Recorder(service, endpoint=settings.ENVIRONMENT.otlp_endpoint)


def stop() -> None:
    """Send what was not sent yet, and stop. Waits for the collector some seconds at most."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder is not None:
        recorder.close()


def request_span(
    method: str, route: str, headers: Mapping[bytes, bytes], *, request_id: str
) -> Block:
    """Return a block that is one HTTP request; the caller's `traceparent` is taken up."""
    if _recorder is None:
        return _NOTHING
    return _recorder.request(method, route, headers, request_id=request_id)


def message_span(server: str, method: str, params: Mapping[str, Any] | None) -> Block:
    """Return a block that is one JSON-RPC message.

    It continues the trace that `_meta` names where the HTTP request continues none.
    """
    return _NOTHING if _recorder is None else _recorder.message(server, method, params)


def work_span(function: Callable[..., Any], *, pool: str) -> Block:
    """Return a block that is a service or selector on a thread of `pool`."""
    return _NOTHING if _recorder is None else _recorder.work(function, pool=pool)


def note_status(status: int) -> None:
    """Say in the span of the request how it is answered."""
    if _recorder is not None:
        _recorder.note_status(status)


def note_error(code: int) -> None:
    """Say in the span of the message that it is answered with a JSON-RPC error."""
    if _recorder is not None:
        _recorder.note_error(code)


def note_tool_call(tool: str, *, outcome: str, cached: bool) -> None:
    """Say in the span of the message which tool it called and with which outcome."""
    if _recorder is not None:
        _recorder.note_tool_call(tool, outcome=outcome, cached=cached)


def watch(connection: "BaseDatabaseWrapper") -> None:
    """Let the statements on a connection be spans."""
    if _recorder is not None:
        connection.execute_wrappers.append(_recorder.statement)


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False
