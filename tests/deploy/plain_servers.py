"""Small servers that stand behind nginx in tests and show what reaches them."""

import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

PATIENCE_SECONDS = 15


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request as it arrived."""

    path: str
    headers: Message
    client_port: int


class EchoServer:
    """Answers every request with 200, or as told, and keeps what it saw."""

    def __init__(self, port: int, *, host: str = "127.0.0.1") -> None:
        self.requests: list[SeenRequest] = []
        self._answer: tuple[int, bytes, dict[str, str]] = (200, b"{}", {})
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                owner.requests.append(
                    SeenRequest(self.path, self.headers, int(self.client_address[1]))
                )
                status, body, headers = owner._answer
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = _serve  # noqa: N815 - the names that http.server looks for

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Print nothing."""

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Answer so from now on."""
        self._answer = (status, body, headers)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class SilentServer:
    """Accepts connections, and never says anything."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


class NameServer:
    """A DNS server for the names of `addresses`, which may change while it runs."""

    def __init__(self, addresses: dict[str, str]) -> None:
        self.addresses = addresses
        self._answered: dict[str, str] = {}
        self._changed = threading.Condition()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()

    def wait_until_asked(self, name: str, *, by: Callable[[], object]) -> None:
        """Return once the present address of `name` was given out; `by` makes somebody ask."""
        for _attempt in range(PATIENCE_SECONDS * 4):
            by()
            with self._changed:
                if self._changed.wait_for(
                    lambda: self._answered.get(name) == self.addresses[name], timeout=0.25
                ):
                    return
        raise AssertionError(f"nobody asked for {name} again")

    def _serve(self) -> None:
        while True:
            query, client = self._socket.recvfrom(4096)
            if not query:
                return
            name, end = _question(query)
            address = self.addresses.get(name)
            flags, count = (0x8180, 1) if address else (0x8183, 0)
            reply = query[:2] + struct.pack(">HHHHH", flags, 1, count, 0, 0) + query[12:end]
            if address:
                record = struct.pack(">HHHIH", 0xC00C, 1, 1, 60, 4)
                reply += record + socket.inet_aton(address)
            self._socket.sendto(reply, client)
            if address:
                with self._changed:
                    self._answered[name] = address
                    self._changed.notify_all()


def _question(query: bytes) -> tuple[str, int]:
    """Return the name that a query asks for, and where its question ends."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode())
        at += 1 + query[at]
    return ".".join(labels), at + 5
