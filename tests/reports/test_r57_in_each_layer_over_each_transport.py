"""R57: what fails in each layer, asked over each transport of processes of the product.

The layers fail once, at the next call (`probes.arm`); the disk is full, the mirror gone, the
database away for real.
"""

import json
import shutil
from contextlib import ExitStack

import httpx
import pytest

from deploy.proxy import Proxy
from tests.databases import FILE_NAME, copy_database
from tests.deploy.test_nginx_configuration import nginx_for
from tests.gitrepos import GitRepository
from tests.mcp_sidecar.probes import FAULTS, SECRET
from tests.mcp_sidecar.processes import python, running, stdio
from tests.services import free_port
from web.core.limits import LIMITS

INSIDE = (
    *("Traceback", 'File "', "Error(", "/srv", "/tmp", "SELECT", "PRAGMA", "psycopg", "sqlite"),
    *SECRET.split(),
)
TRANSPORTS = ["http", pytest.param("nginx", marks=pytest.mark.services), "stdio", "memory"]
ONLY = {"the gate": {"http", "nginx"}, "a line": {"stdio"}}
KINDS = ["assertion", "memory", "disk", "missing_table", "timeout", "pydantic", "stop"]
ADD = """
from tests.library import add_and_sync
print(add_and_sync("harbour", {url!r}).repository)
"""


class Transport:
    """One way to the probes; `ask` sends the params of a tools/call and returns its response."""

    def __init__(self, folder, ask):
        self.folder = folder
        self._ask = ask

    def call(self, tool, **arguments):
        """Call a probe; return the response, which tells nothing of the inside."""
        answer = self._ask({"name": tool, "arguments": arguments})
        told = json.dumps(answer)
        assert not [word for word in INSIDE if word in told], told
        return answer

    def assert_internal(self, answer):
        """The answer is an internal error, whose id leads to one traceback in the log."""
        error = answer["error"]
        request_id = error["data"]["request_id"]
        assert error == {
            "code": -32603,
            "message": "Internal error",
            "data": {"request_id": request_id},
        }
        self.assert_logged_once(request_id)

    def assert_unavailable(self, answer):
        """The answer says that the platform failed, and its id leads to one traceback."""
        text = answer["result"]["content"][0]["text"]
        assert answer["result"]["isError"] is True
        assert "(code: unavailable)" in text
        self.assert_logged_once(text.partition("(request: ")[2].partition(")")[0])

    def assert_logged_once(self, request_id):
        """One error of this request is in the logs, with its traceback, and names the request."""
        assert request_id
        lines = [
            json.loads(line)
            for path in self.folder.glob("log/*.jsonl*")
            for line in path.read_text().splitlines()
            if request_id in line
        ]
        (logged,) = [line for line in lines if line["level"] == "ERROR"]
        assert "Traceback" in logged["exception"]
        assert logged["request_id"] == request_id


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A migrated database with one repository that is indexed."""
    folder = tmp_path_factory.mktemp("layers")
    origin = GitRepository(folder / "harbour").write({"a.py": "a = 1\n"}).commit()
    copy_database(folder / FILE_NAME)
    settings = {"PORTOLAN_ALLOW_LOCAL_REPOSITORIES": "1"}
    assert python(folder, ADD.format(url=origin.url), **settings) == "harbour"
    return folder


@pytest.fixture(scope="module")
def transport_of(folder):
    """Each transport by its name, started when it is first asked for."""
    started = {}
    with ExitStack() as stack:

        def posting(url):
            http = stack.enter_context(httpx.Client(trust_env=False, timeout=60))

            def ask(params):
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                path = "/mcp/probes" if params["name"].startswith("probe_") else "/mcp"
                response = http.post(f"{url}{path}", json=message)
                answer = response.json()
                assert response.status_code == (500 if answer["id"] is None else 200)
                return answer

            return ask

        def sidecar():
            if "sidecar" not in started:
                started["sidecar"] = stack.enter_context(running(folder))
            return started["sidecar"]

        def nginx():
            proxy = Proxy(
                folder=folder / "nginx",
                log_folder=folder / "log",
                port=free_port(),
                web_port=free_port(),
                sidecar_port=sidecar().port,
                max_body_bytes=LIMITS.max_body_bytes,
                max_webhook_bytes=LIMITS.max_webhook_bytes,
            )
            stack.enter_context(nginx_for(proxy))
            return posting(f"http://127.0.0.1:{proxy.port}")

        def lines(module):
            server = stack.enter_context(stdio(folder, module=module))
            if module.endswith("stdio"):
                return lambda params: server.ask("tools/call", params)

            def ask(params):
                server.send(params)
                return server.receive()

            return ask

        make = {
            "http": lambda: posting(sidecar().url),
            "nginx": nginx,
            "stdio": lambda: lines("tests.mcp_sidecar.probe_stdio"),
            "memory": lambda: lines("tests.mcp_sidecar.probe_memory"),
        }

        def transport(name):
            if name not in started:
                started[name] = Transport(folder, make[name]())
            return started[name]

        yield transport


@pytest.fixture
def transport(transport_of, request):
    """The transport of this case."""
    return transport_of(request.param)


@pytest.mark.parametrize("transport", TRANSPORTS, indirect=True)
@pytest.mark.parametrize("layer", FAULTS)
def test_a_bug_in_a_layer(transport, layer, request):
    name = request.node.callspec.params["transport"]
    if name not in ONLY.get(layer, {name}):
        return
    assert "result" in transport.call("probe_arm", word=layer)
    if layer == "the thread":
        answer = transport.call("probe_query", number=1)
    else:
        answer = transport.call("probe_echo", word=f"{layer} {name}")
    transport.assert_internal(answer)
    assert transport.call("probe_echo", word="again")["result"]["content"][0]["text"] == "again"


@pytest.mark.parametrize("transport", TRANSPORTS, indirect=True)
def test_a_bug_in_a_receiver(transport):
    transport.call("probe_told")  # of all calls before
    transport.call("probe_arm", word="a receiver")
    assert "result" in transport.call("probe_echo", word="told")
    transport.call("probe_told")
    lines = [
        json.loads(line)
        for path in transport.folder.glob("log/*.jsonl*")
        for line in path.read_text().splitlines()
        if "Signal.send_robust" in line
    ]
    newest = max(lines, key=lambda line: line["time"])
    transport.assert_logged_once(newest["request_id"])


@pytest.mark.parametrize("transport", TRANSPORTS, indirect=True)
def test_what_a_tool_and_a_service_did_not_foresee(transport):
    for kind in KINDS:
        for tool in ("probe_fail", "probe_fail_here"):
            transport.assert_internal(transport.call(tool, word=kind))


@pytest.mark.parametrize("transport", TRANSPORTS, indirect=True)
def test_a_full_disk(transport):
    transport.assert_unavailable(transport.call("probe_fill"))
    assert "result" in transport.call("probe_write", word=f"space {id(transport)}")


@pytest.mark.parametrize("transport", TRANSPORTS, indirect=True)
def test_a_database_that_is_away(transport, tmp_path):
    files = list(transport.folder.glob("portolan.sqlite3*"))
    for file in files:
        shutil.move(file, tmp_path / file.name)
    try:
        transport.assert_unavailable(transport.call("probe_query", number=1))
        transport.call("probe_told")  # what records calls opens the database too
        transport.assert_unavailable(transport.call("probe_query", number=2))
    finally:
        for file in files:
            shutil.move(tmp_path / file.name, file)
    assert transport.call("probe_query", number=1)["result"]["isError"] is False


@pytest.mark.parametrize(
    "transport", ["http", pytest.param("nginx", marks=pytest.mark.services)], indirect=True
)
def test_a_mirror_that_is_gone(transport, tmp_path):
    mirrors = transport.folder / "mirrors"
    mirrors.rename(tmp_path / "mirrors")
    try:
        for tool, arguments in (
            ("read_file", {"path": "a.py"}),
            ("list_commits", {}),
            ("read_commit", {"commit": "main"}),
        ):
            answer = transport.call(tool, repository="harbour", **arguments)
            transport.assert_unavailable(answer)
    finally:
        (tmp_path / "mirrors").rename(mirrors)
