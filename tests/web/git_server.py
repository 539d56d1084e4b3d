"""A real git server over HTTPS on loopback: git's own `http-backend` behind a small server.

It serves every repository below a folder, to those who sign in where `password` is set.
"""

import base64
import os
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.web.local_server import answering


@dataclass
class GitServer:
    """`asked` are the requests: method, path, and the Authorization header.

    `spoil` makes of a path and its answer's body what is sent.

    `before` is called with the path of each request that is answered; `refusal` is the text of a
    refusal, in which "{authorization}" stands for what was sent; `redirect` an address to which
    whoever signed in is sent.
    """

    folder: Path
    port: int = 0
    username: str = ""
    password: str = ""
    refusal: str = "Sign in."
    redirect: str = ""
    spoil: Callable[[str, bytes], bytes] = lambda _path, body: body
    before: Callable[[str], None] = lambda _path: None
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def url(self, name: str) -> str:
        """Return the address of a repository below the folder."""
        return f"https://127.0.0.1:{self.port}/{name}"

    @property
    def authorization(self) -> str:
        """The header of those who sign in."""
        pair = f"{self.username}:{self.password}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"


class _Handler(BaseHTTPRequestHandler):
    git: GitServer

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers["Content-Length"])))

    def _serve(self, body: bytes) -> None:
        given = self.headers.get("Authorization", "")
        self.git.asked.append((self.command, self.path, given))
        if self.git.password and given != self.git.authorization:
            self._refuse(given)
            return
        path, _, query = self.path.partition("?")
        self.git.before(path)
        if self.git.redirect:
            self.send_response(302)
            self.send_header("Location", f"{self.git.redirect}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "http-backend"],
            input=body,
            capture_output=True,
            check=True,
            env={
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(self.git.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            },
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        content = self.git.spoil(path, content)
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, given: str) -> None:
        text = self.git.refusal.format(authorization=given).encode()
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="git"')
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args: Any) -> None:
        """Keep the test's output clean."""


@contextmanager
def serving_git(folder: Path, *, tls: ssl.SSLContext, **options: Any) -> Iterator[GitServer]:
    """Serve the repositories below the folder on a free port until the block ends."""
    git = GitServer(folder, **options)
    with answering(type("Handler", (_Handler,), {"git": git}), tls=tls) as git.port:
        yield git
