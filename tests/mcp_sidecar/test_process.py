"""`python -m mcp_sidecar` as a real process: its start, its sockets, its end."""

import asyncio
import json
import socket
import subprocess
import sys

import httpx
import pytest

from mcp_sidecar.version import VERSION
from tests.mcp_sidecar.conftest import refusal
from tests.mcp_sidecar.processes import running, variables
from tests.messages import PING, call, hello
from tests.newcomer import PROJECT
from tests.services import free_port
from web.core.limits import LIMITS

# The calls that wait here are released, however slow the machine is meanwhile.
NO_DEADLINE = {"PORTOLAN_CALL_DEADLINE_SECONDS": "3600"}


def text(response):
    return response.json()["result"]["content"][0]["text"]


@pytest.fixture(scope="module")
def sidecar(migrated):
    with running(migrated, **NO_DEADLINE) as started:
        yield started


@pytest.fixture
async def http():
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        yield client


async def test_it_serves_over_a_socket(sidecar, http):
    response = await http.post(f"{sidecar.url}/mcp", json=hello())
    assert response.json()["result"]["serverInfo"]["version"] == VERSION
    assert "server" not in response.headers
    ready = await http.get(f"{sidecar.url}/ready")
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")


async def test_a_body_over_the_limit_is_refused_with_json_on_a_real_connection(sidecar, http):
    for size in (LIMITS.max_body_bytes + 1024, LIMITS.max_body_bytes * 3):
        response = await http.post(f"{sidecar.url}/mcp", content=b" " * size)
        assert refusal(response) == (413, "too_large")
    padded = json.dumps(PING).ljust(LIMITS.max_body_bytes - 1024)
    assert (await http.post(f"{sidecar.url}/mcp", content=padded)).status_code == 200


async def test_clients_that_leave_in_the_middle_of_a_body_leave_nothing_behind(sidecar, http):
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\n\r\n"
    )
    for _ in range(200):
        with socket.create_connection(("127.0.0.1", sidecar.port)) as link:
            link.sendall(head + b'{"jsonrpc":')
    assert (await http.post(f"{sidecar.url}/mcp", json=PING)).status_code == 200


async def test_other_calls_stay_quick_while_slow_ones_wait(sidecar, http):
    url = f"{sidecar.url}/mcp/probes"
    wait = call("probe_wait", number=600)
    slow = [asyncio.create_task(http.post(url, json=wait)) for _ in range(4)]
    await http.post(url, json=call("probe_started"))
    for message in (PING, call("probe_query"), {**PING, "method": "tools/list"}):
        await http.post(url, json=message)
    assert (await http.get(f"{sidecar.url}/health")).text == "ok"
    assert not any(task.done() for task in slow)
    await http.post(url, json=call("probe_release"))
    assert {text(await task) for task in slow} == {"released"}


async def test_beyond_the_queue_calls_are_told_to_come_back(migrated, http):
    limits = {"PORTOLAN_MAX_CONCURRENT_CALLS": "1", "PORTOLAN_MAX_QUEUED_CALLS": "1"}
    with running(migrated, **limits, **NO_DEADLINE) as sidecar:
        url = f"{sidecar.url}/mcp/probes"
        wait = call("probe_wait", number=600)
        tasks = [asyncio.create_task(http.post(url, json=wait)) for _ in range(3)]
        done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        (refused,) = [task.result() for task in done]
        assert refused.json()["id"] == 1
        assert refused.json()["error"]["data"]["retry_after_seconds"] == 1
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert (await http.post(url, json=PING)).json()["result"] == {}
        await http.post(url, json=call("probe_release"))
        assert {text(await task) for task in waiting} == {"released"}
        assert text(await http.post(url, json=call("probe_query"))) == "2"


async def test_a_call_beyond_its_deadline_is_a_failure_of_the_tool(migrated, http):
    with running(migrated, PORTOLAN_CALL_DEADLINE_SECONDS="0.3") as sidecar:
        url = f"{sidecar.url}/mcp/probes"
        response = await http.post(url, json=call("probe_wait", number=600))
        await http.post(url, json=call("probe_release"))
        result = response.json()["result"]
        assert (response.status_code, result["isError"]) == (200, True)
        assert "deadline exceeded" in result["content"][0]["text"]
        assert "(code: deadline_exceeded)" in result["content"][0]["text"]


async def test_sigterm_answers_the_call_that_runs_and_ends_with_zero(migrated, http):
    with running(migrated, **NO_DEADLINE) as sidecar:
        url = f"{sidecar.url}/mcp/probes"
        slow = asyncio.create_task(http.post(url, json=call("probe_wait", number=600)))
        assert text(await http.post(url, json=call("probe_started"))) == "True"
        sidecar.terminate()
        refused = False
        while not refused:
            try:
                async with httpx.AsyncClient(trust_env=False, timeout=60) as other:
                    await other.post(url, json=PING)
            except httpx.TransportError:
                refused = True
        assert not slow.done()
        sidecar.release()
        assert text(await slow) == "released"
        assert await asyncio.to_thread(sidecar.exit_code) == 0


def start(folder, **more):
    """Start a sidecar that is expected to end at once; return its code and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "mcp_sidecar", "--port", str(free_port())],
        env=variables(folder, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stderr


def test_an_unmigrated_database_stops_the_start_with_a_sentence(tmp_path):
    code, said = start(tmp_path)
    assert code == 1
    assert "manage.py migrate" in said
    assert "Traceback" not in said


def test_a_database_that_does_not_answer_stops_the_start_with_a_sentence(tmp_path):
    url = f"postgresql://portolan:secret-word@127.0.0.1:{free_port()}/portolan"
    code, said = start(tmp_path, PORTOLAN_DATABASE_URL=url)
    assert code == 1
    assert "PORTOLAN_DATABASE_URL" in said
    assert "secret-word" not in said
    assert "Traceback" not in said


def test_a_wrong_setting_stops_the_start_with_its_name(migrated):
    code, said = start(migrated, PORTOLAN_PUBLIC_URL="hub.example.org")
    assert code == 1
    assert "PORTOLAN_PUBLIC_URL" in said


def test_the_start_loads_nothing_that_only_single_calls_need(migrated):
    code = (
        "from mcp_sidecar.bootstrap import boot_django; boot_django()\n"
        "import sys, mcp_sidecar.transport.application\n"
        "late = ('fastmcp', 'httpcore2', 'tree_sitter', 'bs4', 'markdown_it', 'nh3',\n"
        "        'feedparser', 'web.library.indexing.sync')\n"
        "print([name for name in late if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env=variables(migrated),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
