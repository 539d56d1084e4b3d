"""The real processes of Portolan for tests: web, sidecar, nginx and a worker, on free ports."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from deploy.proxy import Proxy, installed_nginx, nginx_command, write_configuration
from tests.databases import FILE_NAME, copy_database, copy_static_files
from tests.newcomer import PROJECT, newcomers_environment
from tests.services import free_port
from web.core.limits import LIMITS

START_SECONDS = 60
# For tests that send more in a minute, from one address, than anybody may.
NO_LIMITS = {
    "PORTOLAN_MAX_MESSAGES_PER_MINUTE": "0",
    "PORTOLAN_MAX_ANONYMOUS_MESSAGES_PER_MINUTE": "0",
    "PORTOLAN_MAX_WRONG_TOKENS_PER_MINUTE": "0",
}


def nginx_or_fail() -> str:
    """Return nginx's path; a test of services fails where it is missing."""
    nginx = installed_nginx()
    assert nginx, "nginx is not installed: make services"
    return nginx


def manage(variables: dict[str, str], *arguments: str, given: str = "") -> str:
    """Run a management command, which must succeed, and return what it printed."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        input=given,
        env=newcomers_environment() | variables,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


class Process:
    """One process: its output goes to a file, and it can be ended and started again."""

    def __init__(
        self, command: tuple[str, ...], *, log: Path, answers: Callable[[], bool], **variables: str
    ) -> None:
        self.command = command
        self.log = log
        self.answers = answers
        self.variables = variables
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process and return once it answers."""
        with self.log.open("ab") as output:
            process = subprocess.Popen(
                self.command,
                stdout=output,
                stderr=output,
                cwd=PROJECT,
                env=newcomers_environment() | self.variables,
            )
        self._process = process
        for _attempt in range(START_SECONDS * 10):
            if self.answers():
                return
            try:
                code = process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"{self.command} ended with {code}: {self.log.read_text()}")
        raise AssertionError(f"{self.command} did not answer: {self.log.read_text()}")

    def stop(self) -> None:
        """End the process as an operator does."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)
        self._process = None


def answers(url: str) -> bool:
    """Return whether a GET of `url` is answered, with whatever status."""
    address = urlsplit(url)
    with closing(HTTPConnection(address.netloc, timeout=START_SECONDS)) as connection:
        try:
            connection.request("GET", address.path)
            connection.getresponse()
        except (OSError, HTTPException):
            return False
    return True


class Stack:
    """Web and sidecar on one fresh database, nginx in front; `more` are settings.

    Without a `public_url` it is the address of nginx on this machine. `sidecar` is the module that
    serves MCP; a worker takes tasks where one is asked for.
    """

    def __init__(
        self,
        folder: Path,
        *,
        public_url: str | None = None,
        sidecar: str = "mcp_sidecar",
        has_worker: bool = False,
        **more: str,
    ) -> None:
        self.folder = folder
        self.web_port, self.sidecar_port, self.port = free_port(), free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        public_url = public_url or self.url
        self.sidecar_url = f"http://127.0.0.1:{self.sidecar_port}"
        self.variables = {
            "PORTOLAN_DATA_DIR": str(folder),
            "PORTOLAN_SECRET_KEY": "only-for-this-test-and-long-enough",
            "PORTOLAN_PUBLIC_URL": public_url,
            "PORTOLAN_WEB_PORT": str(self.web_port),
            "PORTOLAN_SIDECAR_PORT": str(self.sidecar_port),
            "PORTOLAN_PROXY_PORT": str(self.port),
            **more,
        }
        python = sys.executable
        self.web = self._process("web", (python, "-m", "web"), self.web_port, "/healthz")
        self.sidecar = self._process(
            "sidecar", (python, "-m", sidecar), self.sidecar_port, "/health"
        )
        self.proxy = Proxy(
            folder=folder / "nginx",
            log_folder=folder / "log",
            port=self.port,
            web_port=self.web_port,
            sidecar_port=self.sidecar_port,
            max_body_bytes=LIMITS.max_body_bytes,
            max_webhook_bytes=LIMITS.max_webhook_bytes,
            scheme="https" if public_url.startswith("https://") else "$scheme",
        )
        command = nginx_command(nginx_or_fail(), self.proxy)
        self.nginx = self._process("nginx", command, self.port, "/healthz")
        self.parts = [self.web, self.sidecar, self.nginx]
        if has_worker:
            self.parts.append(
                Process(
                    (python, "manage.py", "db_worker"),
                    log=folder / "worker.output",
                    answers=lambda: True,
                    **self.variables,
                )
            )

    def _process(self, name: str, command: tuple[str, ...], port: int, path: str) -> Process:
        url = f"http://127.0.0.1:{port}{path}"
        log = self.folder / f"{name}.output"
        return Process(command, log=log, answers=lambda: answers(url), **self.variables)

    def manage(self, *arguments: str, given: str = "") -> str:
        """Run a management command on this stack's database and return what it printed."""
        return manage(self.variables, *arguments, given=given)

    @contextmanager
    def running(self) -> Iterator["Stack"]:
        """Start everything; end it all afterwards."""
        if self.variables.get("PORTOLAN_DATABASE_URL"):
            self.manage("migrate", "--verbosity", "0")
        else:
            copy_database(self.folder / FILE_NAME)
        copy_static_files(self.folder)
        write_configuration(self.proxy)
        try:
            for part in self.parts:
                part.start()
            yield self
        finally:
            for part in reversed(self.parts):
                part.stop()
