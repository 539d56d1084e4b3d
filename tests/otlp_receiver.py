"""A collector of OpenTelemetry: takes what is sent by OTLP over HTTP and keeps the spans."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Span:
    """One span as it was sent."""

    def __init__(self, service, sent) -> None:
        self.service = service
        self.name = sent.name
        self.trace_id = sent.trace_id.hex()
        self.span_id = sent.span_id.hex()
        self.parent_id = sent.parent_span_id.hex()
        self.links = [link.span_id.hex() for link in sent.links]
        self.events = [event.name for event in sent.events]
        self.is_error = sent.status.code == sent.status.STATUS_CODE_ERROR
        self.attributes = {
            item.key: getattr(item.value, item.value.WhichOneof("value"))
            for item in sent.attributes
        }


class Receiver:
    """What was received at `url`, in the order in which spans ended."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[bytes] = []

    def spans(self) -> list[Span]:
        """Return all spans so far."""
        found = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                named = {item.key: item.value.string_value for item in resource.resource.attributes}
                for scope in resource.scope_spans:
                    found += [Span(named["service.name"], span) for span in scope.spans]
        return found


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/v1/traces":
                receiver.bodies.append(body)
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.end_headers()
            self.wfile.write(ExportTraceServiceResponse().SerializeToString())

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Receiver(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield receiver
        server.shutdown()
        thread.join()
