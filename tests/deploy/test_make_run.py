"""`make run` as a newcomer types it, in a fresh clone with ports and a data folder of its own."""

import contextlib
import hmac
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from tests.newcomer import newcomers_environment
from tests.services import free_port

pytestmark = pytest.mark.services

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 300
# The packages are those of this test run (-o: .venv is ready as it is).
MAKE_RUN = ("make", "-o", ".venv/.ready", "run")


class Run:
    """One `make run`; `lines` is what it has printed."""

    def __init__(
        self, clone: Path, variables: dict[str, str], *, command: tuple[str, ...] = MAKE_RUN
    ) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            command,
            cwd=clone,
            env=newcomers_environment() | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._watchdog = threading.Timer(PATIENCE_SECONDS, self.signal, [signal.SIGKILL])
        self._watchdog.start()

    @property
    def output(self):
        return "\n".join(self.lines)

    def read_until(self, wanted):
        """Read lines until one holds `wanted`; fail with the output where none does."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if wanted in line:
                return
        raise AssertionError(f"{wanted!r} was never printed:\n{self.output}")

    def signal(self, number):
        """Signal the whole group, as a terminal does for Ctrl-C."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def wait(self):
        """Read the rest and return the exit code."""
        if not self.process.stdout.closed:
            self.lines += [line.rstrip("\n") for line in self.process.stdout]
            self.process.stdout.close()
        code = self.process.wait()
        self._watchdog.cancel()
        return code


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clone") / "portolan"
    subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(folder)], check=True)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


@pytest.fixture(scope="module")
def variables(tmp_path_factory):
    """Ports and a data folder of its own."""
    names = ("WEB_PORT", "SIDECAR_PORT", "PROXY_PORT")
    own = {f"PORTOLAN_{name}": str(free_port()) for name in names}
    own["PORTOLAN_DATA_DIR"] = str(tmp_path_factory.mktemp("data"))
    return own


@pytest.fixture
def run(clone, variables):
    """Start `make run`; whatever happens, nothing of it stays."""
    started = []

    def start(**changes):
        started.append(Run(clone, {**variables, **changes}))
        return started[-1]

    yield start
    for one in started:
        one.signal(signal.SIGTERM)
        one.wait()


def processes_of(variables):
    """Return the command lines of all processes that were started with this data folder."""
    mark = f"PORTOLAN_DATA_DIR={variables['PORTOLAN_DATA_DIR']}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
            if (
                mark in (folder / "environ").read_bytes()
                or variables["PORTOLAN_DATA_DIR"] in command
            ):
                found.append(command)
    return found


def listening_ports(variables):
    """Return which of the ports somebody listens on."""
    taken = []
    for name in ("WEB_PORT", "SIDECAR_PORT", "PROXY_PORT"):
        with socket.socket() as probe:
            port = int(variables[f"PORTOLAN_{name}"])
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                taken.append(name)
    return taken


def call(url, tool, arguments):
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    response = httpx.post(url, json=body, trust_env=False, timeout=60)
    assert response.status_code == 200, response.text
    result = response.json()["result"]
    assert not result.get("isError"), result
    return result["content"][0]["text"]


def test_a_first_start_serves_this_checkout_and_ctrl_c_ends_everything(run, variables):
    running = run()
    running.read_until("The passwords are shown this once.")
    url = f"http://127.0.0.1:{variables['PORTOLAN_PROXY_PORT']}"
    assert f"claude mcp add --transport http portolan {url}/mcp/" in running.output
    passwords = dict(re.findall(r"Account (\w+) \(\w+\), password: (\S+)", running.output))
    assert set(passwords) == {"admin", "member"}

    assert "portolan" in call(f"{url}/mcp/", "list_repositories", {})
    found = call(f"{url}/mcp/", "search_code", {"query": "set_demo_settings"})
    assert "deploy/demo.py" in found
    assert "Makefile" in call(
        f"{url}/mcp/repositories/portolan/", "read_file", {"path": "Makefile"}
    )
    home = httpx.get(f"{url}/", trust_env=False, timeout=60)
    assert home.status_code == 200
    assert f"{url}/mcp/" in home.text
    assert signed_in(url, "admin", passwords["admin"])

    running.signal(signal.SIGINT)
    running.wait()
    assert "Ending ..." in running.output
    assert processes_of(variables) == []
    assert listening_ports(variables) == []
    data = Path(variables["PORTOLAN_DATA_DIR"])
    for path in (path for path in data.rglob("*") if path.is_file()):
        assert not any(word.encode() in path.read_bytes() for word in passwords.values()), path
    assert (data / "secret_key").stat().st_mode & 0o077 == 0


def signed_in(url, name, password):
    """Return whether the account may sign in on the web pages."""
    with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        page = client.get("/accounts/sign-in/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        answer = client.post(
            "/accounts/sign-in/",
            data={"csrfmiddlewaretoken": token[1], "username": name, "password": password},
            headers={"Referer": url},
        )
        return answer.status_code == 302 and "sessionid" in client.cookies


def test_a_second_start_makes_nothing_anew_and_one_ended_process_ends_the_others(
    run, clone, variables
):
    if not (Path(variables["PORTOLAN_DATA_DIR"]) / "secret_key").exists():  # run on its own
        first = run()
        first.read_until("Account member")
        first.signal(signal.SIGINT)
        first.wait()
    running = run()
    running.read_until("Account member (member), with the password it was given")
    assert "password:" not in running.output
    assert_a_secret_that_a_command_makes_beside_the_demo_is_one_of_the_demo(clone, variables)
    sidecar = next(
        int(folder.name) for folder in Path("/proc").glob("[0-9]*") if is_sidecar(folder, variables)
    )
    os.kill(sidecar, signal.SIGKILL)
    assert running.wait() != 0
    assert "sidecar ended by signal 9" in running.output
    assert processes_of(variables) == []
    assert listening_ports(variables) == []


def assert_a_secret_that_a_command_makes_beside_the_demo_is_one_of_the_demo(clone, variables):
    def command(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "deploy.demo", *arguments],
            cwd=clone,
            env=newcomers_environment() | variables,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    address = "https://code.example.org/team/engine"
    command("add_repository", "engine", address, "--no-sync")
    secret = command("webhook_secret", "engine")
    command("remove_repository", "portolan")
    command("add_repository", "portolan", str(clone))  # a path of this machine
    body = json.dumps({"ref": "refs/heads/main", "repository": {"clone_url": address}}).encode()
    signature = hmac.new(secret.encode(), body, "sha256").hexdigest()
    answer = httpx.post(
        f"http://127.0.0.1:{variables['PORTOLAN_PROXY_PORT']}/webhooks/github/",
        content=body,
        headers={
            "Content-Type": "application/json",
            "X-GitHub-Event": "ping",
            "X-Hub-Signature-256": f"sha256={signature}",
        },
        trust_env=False,
        timeout=60,
    )
    assert (answer.status_code, answer.json()["repositories"]) == (200, ["engine"])


def is_sidecar(folder, variables):
    with contextlib.suppress(OSError):
        mark = f"PORTOLAN_DATA_DIR={variables['PORTOLAN_DATA_DIR']}".encode()
        command = (folder / "cmdline").read_bytes().split(b"\0")
        return b"mcp_sidecar" in command and mark in (folder / "environ").read_bytes()
    return False


def test_when_nobody_reads_its_output_any_more_it_ends(run, variables):
    running = run()
    running.read_until("Account member")
    running.process.stdout.close()
    with contextlib.suppress(httpx.HTTPError):  # makes web log a line, unless it has ended already
        url = f"http://127.0.0.1:{variables['PORTOLAN_WEB_PORT']}/"
        httpx.get(url, trust_env=False, timeout=60)
    running.wait()
    assert processes_of(variables) == []


def test_a_port_in_use_is_told_with_the_setting_that_changes_it(run, variables):
    for name in ("WEB_PORT", "SIDECAR_PORT", "PROXY_PORT"):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            running = run(**{f"PORTOLAN_{name}": port})
            assert running.wait() != 0
        assert f"Port {port}, for " in running.output
        assert f"set PORTOLAN_{name} to a free port" in running.output
        assert "Traceback" not in running.output


def test_a_wrong_setting_ends_the_start_with_a_sentence(run, variables):
    running = run(PORTOLAN_WEB_PORT="many")
    assert running.wait() != 0
    assert "PORTOLAN_WEB_PORT: " in running.output
    assert "Traceback" not in running.output
    assert processes_of(variables) == []


def test_without_nginx_the_sidecar_is_the_address(clone, variables):
    """Everything as in make run, but the look for nginx finds none."""
    program = (
        "import sys, deploy.run as run; run.installed_nginx = lambda: None; sys.exit(run.main())"
    )
    running = Run(clone, variables, command=(sys.executable, "-c", program))
    try:
        running.read_until("Account member")
        url = f"http://127.0.0.1:{variables['PORTOLAN_SIDECAR_PORT']}"
        assert "nginx is not installed" in running.output
        assert f"claude mcp add --transport http portolan {url}/mcp/" in running.output
        assert "42" in call(f"{url}/mcp/lesson", "add", {"a": 40, "b": 2})
        assert listening_ports(variables) == ["WEB_PORT", "SIDECAR_PORT"]
    finally:
        running.signal(signal.SIGTERM)
        running.wait()
    assert processes_of(variables) == []


def test_a_database_that_does_not_answer_is_told_without_its_password(run, variables):
    running = run(PORTOLAN_DATABASE_URL=f"postgresql://u:planted@127.0.0.1:{free_port()}/d")
    assert running.wait() != 0
    assert "PORTOLAN_DATABASE_URL" in running.output
    assert "Traceback" not in running.output
    assert "planted" not in running.output
