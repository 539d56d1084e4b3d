"""Throwaway PostgreSQL and Redis for the tests: `python -m tests.services COMMAND …`.

Starts what `PORTOLAN_TEST_DATABASE_URL` and `PORTOLAN_TEST_REDIS_URL` do not already name, on free
ports of this machine, runs the command with both set, ends the servers and removes their files.
Where a server, nginx or Chromium is not installed it says so and fails.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import redis

POSTGRES_USER = "postgres"  # the account of Debian's package; PostgreSQL refuses to run as root
START_SECONDS = 60
STARTING = ("starting up", "not yet accepting connections")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def free_port() -> int:
    """Return a port of the loopback address for a server that this test starts.

    It stays this process's own until the end of it, as a socket that does not listen: nobody else
    is given it, neither another run of tests nor an outgoing connection, also while the server is
    down. A server may listen on it all the same, as servers set SO_REUSEADDR; elsewhere than on
    Linux it cannot, and the port is only free now.
    """
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    port: int = held.getsockname()[1]
    if sys.platform != "linux":
        held.close()
        return port
    # Only now: until it was bound this would have let in two that reserve the same port.
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.detach()
    return port


def program(name: str) -> str | None:
    """Return the path of an installed program, also from PostgreSQL's and root's own folders."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    folders += [Path("/usr/sbin"), Path("/usr/local/sbin")]
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, folders)])
    return shutil.which(name, path=path)


def _version(folder: Path) -> float:
    try:
        return float(folder.parent.name)
    except ValueError:
        return 0.0


def missing_programs() -> list[str]:
    """Return what `make services` would install and is not there."""
    needed = {
        "PostgreSQL": ("initdb", "postgres"),
        "Redis": ("redis-server",),
        "nginx": ("nginx",),
        "OpenSSH's server": ("sshd",),
        "npm": ("npm",),
    }
    missing = [name for name, names in needed.items() if not all(map(program, names))]
    if not any(map(program, CHROMIUM_NAMES)):
        missing.append("Chromium")
    return missing


class PostgresServer:
    """A PostgreSQL cluster in a folder of its own, on a free port, with a random password."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.password = secrets.token_urlsafe(12)
        server = f"postgresql://portolan:{self.password}@127.0.0.1:{self.port}"
        self.url = f"{server}/portolan"
        self._first_url = f"{server}/postgres"
        self._account = POSTGRES_USER if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        """Make the cluster, start it and make the database `portolan`."""
        self.folder.mkdir(parents=True)
        password_file = self.folder / "password"
        password_file.write_text(self.password)
        if self._account:
            shutil.chown(self.folder, self._account)
            shutil.chown(password_file, self._account)
        command = [program("initdb") or "initdb", "--pgdata", str(self.folder / "cluster")]
        command += ["--username", "portolan", "--auth", "scram-sha-256"]
        command += ["--pwfile", str(password_file), "--encoding", "UTF8", "--locale", "C.UTF-8"]
        # Words sort by a language in most databases, and not by bytes.
        command += ["--locale-provider", "icu", "--icu-locale", "en-US"]
        command += ["--no-sync"]
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, user=self._account, cwd=self.folder
        )
        self.start()
        with psycopg.connect(self._first_url, autocommit=True) as link:
            link.execute("CREATE DATABASE portolan")

    def start(self) -> None:
        """Start the server and return once it answers."""
        options = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": self.folder,
            "fsync": "off",
            "full_page_writes": "off",
            "synchronous_commit": "off",
            "jit": "off",
            "max_connections": 200,
        }
        command = [program("postgres") or "postgres", "-D", str(self.folder / "cluster")]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, user=self._account, cwd=self.folder
            )
        _wait_for_port(self._process, self.port)
        _wait_for_connection(self._first_url)

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """End the server: SIGINT disconnects everybody, SIGQUIT is a crash."""
        _stop(self._process, number)
        self._process = None


class RedisServer:
    """A Redis server that keeps nothing, on a free port."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and return once it answers."""
        command = [program("redis-server") or "redis-server", "--port", str(self.port)]
        command += ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _wait_for_port(self._process, self.port)
        with redis.Redis.from_url(self.url) as client:
            client.ping()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End the server."""
        _stop(self._process, number)
        self._process = None


def _wait_for_port(process: subprocess.Popen[bytes], port: int) -> None:
    """Return once somebody listens on the port; the process must live that long."""
    for _attempt in range(START_SECONDS * 10):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        try:
            code = process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
        raise RuntimeError(f"{process.args!r} ended with code {code}")
    raise RuntimeError(f"{process.args!r} did not listen within {START_SECONDS} seconds")


def _wait_for_connection(url: str) -> None:
    """Return once PostgreSQL takes connections; it listens before it does."""
    for _attempt in range(START_SECONDS * 10):
        try:
            with psycopg.connect(url, connect_timeout=START_SECONDS):
                return
        except psycopg.OperationalError as error:  # while connecting it carries no code
            if not any(words in str(error) for words in STARTING):
                raise
            time.sleep(0.1)
    raise RuntimeError(f"PostgreSQL took no connection within {START_SECONDS} seconds")


def _stop(process: subprocess.Popen[bytes] | None, number: signal.Signals) -> None:
    if process is None or process.poll() is not None:
        return
    process.send_signal(number)
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running_services() -> Iterator[dict[str, str]]:
    """Start what the environment does not name; yield the variables for the tests."""
    variables = {}
    with ExitStack() as stack:
        if not os.environ.get("PORTOLAN_TEST_DATABASE_URL"):
            folder = Path(tempfile.mkdtemp(prefix="portolan-postgres-"))
            folder.chmod(0o755)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            postgres = PostgresServer(folder / "server")
            stack.callback(postgres.stop)
            postgres.create()
            variables["PORTOLAN_TEST_DATABASE_URL"] = postgres.url
        if not os.environ.get("PORTOLAN_TEST_REDIS_URL"):
            server = RedisServer()
            stack.callback(server.stop)
            server.start()
            variables["PORTOLAN_TEST_REDIS_URL"] = server.url
        yield variables


def _ended_from_outside(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def main(command: list[str]) -> int:
    """Run `command` with the services; its exit code is returned."""
    if missing := missing_programs():
        print(f"Not installed: {', '.join(missing)}. Run: make services", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, _ended_from_outside)
    with running_services() as variables:
        environment = {**os.environ, **variables, "PORTOLAN_SERVICES_REQUIRED": "1"}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
