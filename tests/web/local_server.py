"""A real HTTP server on loopback: a test sets its answers and sees what it was asked."""

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    method: str = "GET"
    body: bytes = b""


@dataclass
class Reply:
    """An answer. A body of pieces is sent chunked, piece by piece, also without an end.

    `keeps_alive` leaves the connection open for the next request.
    """

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    keeps_alive: bool = False


Route = Reply | Callable[[Asked], Reply]


@dataclass
class LocalServer:
    """`routes` by path, without the query; what they are asked is in `asked`, oldest first.

    `connections` counts those that were opened.
    """

    port: int
    scheme: str = "http"
    routes: dict[str, Route] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0

    def url(self, path: str = "/", *, host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    local: LocalServer

    def setup(self) -> None:
        super().setup()
        self.local.connections += 1

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Asked(self.path, dict(self.headers), self.command, body)
        self.local.asked.append(asked)
        route = self.local.routes.get(self.path.partition("?")[0], Reply(status=404))
        reply = route if isinstance(route, Reply) else route(asked)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        try:
            if not isinstance(reply.body, bytes):
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for piece in reply.body:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")
            else:
                if "Content-Length" not in reply.headers:
                    self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client had enough
        self.close_connection = not reply.keeps_alive

    def log_message(self, *args: Any) -> None:
        """Keep the test's output clean."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: Any) -> None:
        """Ignore clients that break off."""


@contextmanager
def answering(
    handler: type[BaseHTTPRequestHandler], *, tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """Answer on a free port of 127.0.0.1, which is given, until the block ends."""
    server = _Server(("127.0.0.1", 0), handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving(*, tls: ssl.SSLContext | None = None) -> Iterator[LocalServer]:
    """Serve on a free port of 127.0.0.1 until the block ends."""
    local = LocalServer(port=0, scheme="https" if tls else "http")
    with answering(type("Handler", (_Handler,), {"local": local}), tls=tls) as local.port:
        yield local
