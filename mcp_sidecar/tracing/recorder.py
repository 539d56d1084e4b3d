"""Spans by OpenTelemetry's SDK, sent in batches by OTLP over HTTP.

The provider is this module's own and never the process's: FastMCP, which would find that one, would
send the same calls a second time and with their errors' texts.
"""

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import INVALID_SPAN, Link, SpanKind, StatusCode, get_current_span
from opentelemetry.trace import Span as AnySpan
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from mcp_sidecar.transport.protocol import KNOWN_METHODS, UNKNOWN_NAME
from mcp_sidecar.version import VERSION

TRACES_PATH: Final = "/v1/traces"
SEND_SECONDS: Final = 5
CLOSE_MILLISECONDS: Final = 5_000
FIRST_SERVER_ERROR: Final = 500
_PARENTS: Final = ("traceparent", "tracestate")

# The current span may be another: FastMCP makes one of its own, which records nothing.
_message: ContextVar[AnySpan] = ContextVar("message", default=INVALID_SPAN)

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]


class Recorder:
    """Makes the spans of one process; `endpoint` is empty where OpenTelemetry's settings say it."""

    def __init__(self, service: str, *, endpoint: str) -> None:
        exporter = OTLPSpanExporter(
            endpoint=endpoint.rstrip("/") + TRACES_PATH if endpoint else None,
            timeout=None if "OTEL_EXPORTER_OTLP_TIMEOUT" in os.environ else SEND_SECONDS,
        )
        resource = Resource.create(
            {
                "service.name": os.environ.get("OTEL_SERVICE_NAME") or service,
                "service.version": VERSION,
                "service.instance.id": f"{socket.gethostname()}:{os.getpid()}",
            }
        )
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("portolan", VERSION)
        self._parents = TraceContextTextMapPropagator()

    def close(self) -> None:
        """Send what waits, and end."""
        self._provider.force_flush(CLOSE_MILLISECONDS)
        self._provider.shutdown()

    def request(
        self, method: str, route: str, headers: Mapping[bytes, bytes], *, request_id: str
    ) -> AbstractContextManager[Any]:
        """Return the span of an HTTP request."""
        carrier = {
            name: value.decode("latin-1")
            for name in _PARENTS
            if (value := headers.get(name.encode())) is not None
        }
        return self._tracer.start_as_current_span(
            f"{method} {route}",
            context=self._parents.extract(carrier) if carrier else None,
            kind=SpanKind.SERVER,
            attributes={
                "http.request.method": method,
                "http.route": route,
                "portolan.request_id": request_id,
            },
            record_exception=False,
            set_status_on_exception=False,
        )

    @contextmanager
    def message(self, server: str, method: str, params: Mapping[str, Any] | None) -> Iterator[None]:
        """Be the span of a message, which notes go to."""
        name = method if method in KNOWN_METHODS else UNKNOWN_NAME
        current = get_current_span()
        parent, links = None, []
        if not isinstance(current, Span) or current.parent is None:
            parent = self._parent_in(params)
            if parent is not None and current.get_span_context().is_valid:
                links.append(Link(current.get_span_context()))
        with self._tracer.start_as_current_span(
            name,
            context=parent,
            kind=SpanKind.INTERNAL if parent is None else SpanKind.SERVER,
            attributes={"mcp.method.name": name, "portolan.server": server},
            links=links,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            entered = _message.set(span)
            try:
                yield
            finally:
                _message.reset(entered)

    def work(self, function: Callable[..., Any], *, pool: str) -> AbstractContextManager[Any]:
        """Return the span of a service or selector."""
        name = f"{function.__module__}.{function.__qualname__}"
        return self._tracer.start_as_current_span(
            name,
            attributes={"code.function.name": name, "portolan.pool": pool},
            record_exception=False,
            set_status_on_exception=False,
        )

    def statement(
        self, execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        """Run a statement of Django's in a span that has its first word and nothing else of it."""
        if not get_current_span().is_recording():
            return execute(sql, params, many, context)
        operation = str(sql).split(None, 1)[0][:20].upper()
        with self._tracer.start_as_current_span(
            operation,
            kind=SpanKind.CLIENT,
            attributes={
                "db.system.name": context["connection"].vendor,
                "db.operation.name": operation,
            },
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                return execute(sql, params, many, context)
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(StatusCode.ERROR)
                raise

    def note_status(self, status: int) -> None:
        """Note the status of an HTTP answer in the current span."""
        span = get_current_span()
        span.set_attribute("http.response.status_code", status)
        if status >= FIRST_SERVER_ERROR:
            span.set_status(StatusCode.ERROR)

    def note_error(self, code: int) -> None:
        """Note the code of a JSON-RPC error in the span of the message."""
        span = _message.get()
        span.set_attributes({"rpc.response.status_code": str(code), "error.type": str(code)})
        span.set_status(StatusCode.ERROR)

    def note_tool_call(self, tool: str, *, outcome: str, cached: bool) -> None:
        """Note a call in the span of its message."""
        span = _message.get()
        name = UNKNOWN_NAME if outcome == "unknown_tool" else tool
        span.update_name(f"tools/call {name}")
        span.set_attributes(
            {"gen_ai.tool.name": name, "portolan.outcome": outcome, "portolan.cached": cached}
        )
        if outcome != "ok":
            span.set_attribute("error.type", outcome)
            span.set_status(StatusCode.ERROR)

    def _parent_in(self, params: Mapping[str, Any] | None) -> Any:
        """Return the trace that `_meta` of params names; None where it names none."""
        meta = (params or {}).get("_meta")
        if not isinstance(meta, dict) or not isinstance(meta.get("traceparent"), str):
            return None
        carrier = {name: meta[name] for name in _PARENTS if isinstance(meta.get(name), str)}
        context = self._parents.extract(carrier)
        return context if get_current_span(context).get_span_context().is_remote else None
