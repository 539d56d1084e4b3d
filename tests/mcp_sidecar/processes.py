"""Sidecars and stdio servers as real processes, on a migrated database of their own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.deploy.stack import NO_LIMITS, Process, answers
from tests.newcomer import PROJECT, newcomers_environment
from tests.services import free_port

MANAGE = str(PROJECT / "manage.py")


def variables(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a process whose data is in `folder`."""
    return {
        **newcomers_environment(),
        "PORTOLAN_DATA_DIR": str(folder),
        "PORTOLAN_SECRET_KEY": "only-for-this-test-and-long-enough",
        "PORTOLAN_LOG_LEVEL": "INFO",
        **NO_LIMITS,
        **more,
    }


def python(folder: Path, code: str, **more: str) -> str:
    """Run Python in the product and return what it printed."""
    return subprocess.run(
        [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", code],
        cwd=PROJECT,
        env=variables(folder, **more),
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


class Sidecar(Process):
    """The sidecar with the probes, under uvicorn."""

    def __init__(self, folder: Path, *options: str, **more: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(
            (
                sys.executable,
                "-m",
                "tests.mcp_sidecar.probe_server",
                "--port",
                str(self.port),
                *options,
            ),
            log=folder / "sidecar.output",
            answers=lambda: answers(f"{self.url}/health"),
            **variables(folder, **more),
        )

    @property
    def pid(self) -> int:
        """The process's id."""
        assert self._process is not None
        return self._process.pid

    def terminate(self) -> None:
        """Ask it to end, and return at once."""
        assert self._process is not None
        self._process.terminate()

    def release(self) -> None:
        """Let the probes that wait go on, also when it takes no calls any more."""
        os.kill(self.pid, signal.SIGUSR1)

    def exit_code(self) -> int:
        """Wait for the end and return its code."""
        assert self._process is not None
        return self._process.wait(timeout=60)


@contextmanager
def running(folder: Path, *options: str, **more: str) -> Iterator[Sidecar]:
    """A started sidecar."""
    sidecar = Sidecar(folder, *options, **more)
    sidecar.start()
    try:
        yield sidecar
    finally:
        sidecar.stop()


class Stdio:
    """A stdio server and its client's two ends."""

    def __init__(self, command: list[str], folder: Path, *, cwd: str = "/", **more: str) -> None:
        self.errors = folder / "stdio.errors"
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=cwd,
                env=variables(folder, **more),
            )

    def send(self, message: Any) -> None:
        """Write one line: bytes as they are, everything else as JSON."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Read one line, which has to be JSON."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.errors.read_text()
        return json.loads(line)

    def ask(self, method: str, params: Any = None, identifier: Any = 1) -> Any:
        """Send a request and read the next line."""
        message = {"jsonrpc": "2.0", "id": identifier, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return self.receive()

    def close(self) -> tuple[bytes, int]:
        """Close the client's end; return what still came, and the exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        rest = self.process.stdout.read()
        self.process.stdout.close()
        return rest, self.process.wait(timeout=60)


@contextmanager
def stdio(
    folder: Path, *options: str, module: str = "", cwd: str = "/", **more: str
) -> Iterator[Stdio]:
    """A started `manage.py mcp_server`, or a module that serves likewise."""
    command = [sys.executable, MANAGE, "mcp_server", *options]
    if module:
        command = [sys.executable, "-m", module, *options]
        more["PYTHONPATH"] = os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])
    server = Stdio(command, folder, cwd=cwd, **more)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        for end in (server.process.stdin, server.process.stdout):
            if end is not None:
                end.close()
