"""`manage.py mcp_server`: a real process, whose standard output is nothing but protocol."""

import json
import subprocess
import sys

import pytest

from tests.mcp_sidecar.conftest import MODERN, envelope
from tests.mcp_sidecar.processes import MANAGE, python, stdio, variables
from tests.messages import INITIALIZED
from tests.reports.postgres import fresh_database
from web.core.limits import LIMITS

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.fixture
def server(migrated):
    with stdio(migrated) as started:
        yield started


@pytest.fixture(scope="module")
def lesson(migrated):
    """One process for all tests that do not end it."""
    with stdio(migrated, "--server", "lesson") as started:
        yield started


def test_the_lesson_takes_the_handshake_of_the_tutorial(lesson):
    assert lesson.ask("initialize", {})["result"]["protocolVersion"] == "2024-11-05"


def test_a_client_shakes_hands_lists_and_calls(server):
    assert server.ask("initialize", {})["error"]["code"] == -32602
    hello = server.ask("initialize", HELLO)
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    assert hello["result"]["serverInfo"]["name"] == "portolan-project"
    server.send(INITIALIZED)
    tools = server.ask("tools/list", identifier="l")
    assert tools["id"] == "l"
    assert "search_code" in [tool["name"] for tool in tools["result"]["tools"]]
    called = server.ask("tools/call", {"name": "list_repositories"})
    assert called["result"]["isError"] is False
    assert server.close() == (b"", 0)


def test_a_client_may_probe_discovery_and_then_shake_hands(migrated):
    with stdio(migrated, "--server", "lesson", PORTOLAN_DEBUG="1") as server:
        discovered = server.ask("server/discover", {"_meta": envelope()})
        assert discovered["result"]["supportedVersions"] == [MODERN]
        hello = server.ask("initialize", HELLO)
        assert hello["result"]["protocolVersion"] == "2025-06-18"
        add = {"name": "add", "arguments": {"a": 2, "b": 3}}
        assert server.ask("tools/call", add)["result"] == {
            "content": [{"type": "text", "text": "5"}],
            "isError": False,
        }
        modern = server.ask("tools/call", {**add, "_meta": envelope()})
        assert modern["result"]["resultType"] == "complete"
        assert server.ask("server/discover")["error"]["code"] == -32601
        unknown = server.ask("tools/list", {"_meta": envelope("2099-01-01")})
        assert unknown["error"]["code"] == -32022
        assert server.close() == (b"", 0), "nor is anything else printed in debug mode"


def test_a_client_of_the_sdk_is_served(migrated):
    script = f"""
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
async def main():
    command = StdioServerParameters(
        command=sys.executable, args=[{MANAGE!r}, "mcp_server", "--server", "lesson"],
        env={variables(migrated)!r})
    async with stdio_client(command) as streams, ClientSession(*streams) as session:
        await session.initialize()
        result = await session.call_tool("shout", {{"text": "land"}})
        print(result.content[0].text)
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=variables(migrated),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "LAND\n", done.stderr


def test_bad_lines_are_answered_and_the_next_ones_served(lesson):
    bad = {
        b"{bad": (-32700, None),
        b"\xff\xfe": (-32700, None),
        b"5": (-32600, None),
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}': (-32600, None),
        b'{"jsonrpc":"1.0","id":7,"method":"ping"}': (-32600, 7),
        b'{"x":"' + b"y" * LIMITS.max_body_bytes + b'"}': (-32600, None),
        b"[" * 5000: (-32700, None),
        b"[]": (-32600, None),
    }
    for line, (code, identifier) in bad.items():
        lesson.send(line)
        answer = lesson.receive()
        assert (answer["error"]["code"], answer["id"]) == (code, identifier), line[:40]
    lesson.send(b"")
    lesson.send({"jsonrpc": "2.0", "method": "notifications/nope"})
    lesson.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert lesson.ask("ping")["result"] == {}


def test_a_batch_is_one_line(lesson):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    lesson.send([ping, INITIALIZED, {**ping, "id": 2}])
    assert [answer["id"] for answer in lesson.receive()] == [1, 2]


def test_nothing_but_protocol_reaches_standard_output(migrated):
    with stdio(migrated, module="tests.mcp_sidecar.probe_stdio") as server:
        assert "result" in server.ask("initialize", HELLO)
        answer = server.ask("tools/call", {"name": "probe_noise", "arguments": {"number": 5}})
        assert answer["result"]["content"][0]["text"] == "5"
        assert "result" in server.ask("ping")
        assert server.close() == (b"", 0)
        printed = server.errors.read_text()
    for words in (
        "printed before Django",
        "printed after Django",
        "printed by a tool",
        "printed by a service",
        "written by a service",
        "printed by a child",
    ):
        assert words in printed


def test_a_call_that_runs_when_the_client_leaves_does_not_hold_the_process(migrated):
    with stdio(migrated, module="tests.mcp_sidecar.probe_stdio") as server:
        server.send(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "probe_wait", "arguments": {"number": 600}},
            }
        )
        assert server.ask("tools/call", {"name": "probe_started"}, 2)["id"] == 2
        assert server.close() == (b"", 0)


def test_a_file_may_be_the_client(migrated):
    lines = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(50)]
    done = subprocess.run(
        [sys.executable, MANAGE, "mcp_server", "--server", "lesson"],
        input="\n".join(json.dumps(line) for line in lines).encode(),
        env=variables(migrated),
        capture_output=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(50))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--repository", "nope"), "There is no repository 'nope'"),
        (("--server", "lesson", "--repository", "x"), "has no repositories"),
        (("--user", "nobody"), "There is no active account 'nobody'"),
        (("--server", "operations"), "is for staff: say who calls with --user NAME"),
        (("--server", "nope"), "invalid choice"),
    ],
)
def test_a_wrong_option_ends_the_start_with_a_sentence(migrated, options, words):
    done = subprocess.run(
        [sys.executable, MANAGE, "mcp_server", *options],
        env=variables(migrated),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_folder_without_a_database_ends_the_start_with_a_sentence(tmp_path):
    ended = subprocess.run(
        [sys.executable, MANAGE, "mcp_server"],
        env=variables(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"Run: manage.py migrate; or correct PORTOLAN_DATA_DIR" in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.services
def test_calls_on_postgresql_without_its_tables_say_what_is_missing(tmp_path):
    lines = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, **message}) + "\n"
        for number, message in enumerate(
            [
                {"method": "initialize", "params": HELLO},
                {"method": "tools/call", "params": {"name": "list_repositories"}},
                {"method": "tools/list"},
            ]
        )
    )
    with fresh_database() as database:
        ended = subprocess.run(
            [sys.executable, MANAGE, "mcp_server"],
            env=variables(tmp_path, PORTOLAN_DATABASE_URL=database.url),
            input=lines,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    _, called, listed = map(json.loads, ended.stdout.splitlines())
    for told in (called["result"]["content"][0]["text"], listed["error"]["message"]):
        assert told.startswith("The database of this server lacks migrations."), told
        assert "manage.py" not in told  # who calls can tell somebody, no more
    assert "Run: python manage.py migrate" in ended.stderr


PEOPLE = """
from django.contrib.auth import get_user_model
from web.library.models import Repository
users = get_user_model().objects
for name, is_staff in (("ann", False), ("stan", True)):
    users.create_user(name, is_staff=is_staff)
for name, visibility in (("open", "public"), ("closed", "members")):
    Repository.objects.create(
        name=name, url=f"https://example.org/{name}.git", visibility=visibility)
"""


@pytest.fixture(scope="module")
def peopled(migrated):
    """The folder with Ann, Stan of the staff, a public repository and one of members."""
    python(migrated, PEOPLE)
    return migrated


def test_the_rights_are_those_of_the_user_that_is_named(peopled):
    for options, expected in (((), ["open"]), (("--user", "ann"), ["open", "closed"])):
        with stdio(peopled, *options) as server:
            tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
            names = tools["search_code"]["inputSchema"]["properties"]["repository"]["enum"]
            assert sorted(names) == sorted(expected)
    with stdio(peopled, "--repository", "closed", "--user", "ann") as server:
        tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
        assert "list_repositories" not in tools
        assert "repository" not in tools["search_code"]["inputSchema"]["properties"]


def test_the_server_of_the_staff_serves_staff_and_nobody_else(peopled):
    for_staff = ("--server", "operations", "--user")
    refused = subprocess.run(
        [sys.executable, MANAGE, "mcp_server", *for_staff, "ann"],
        env=variables(peopled),
        input=b"",
        capture_output=True,
        check=False,
    )
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"is for staff: 'ann' is not one of them" in refused.stderr
    with stdio(peopled, *for_staff, "stan") as server:
        called = server.ask("tools/call", {"name": "list_users", "arguments": {"staff": True}})
        assert "`stan`" in called["result"]["content"][0]["text"]
        demoted = """
from django.contrib.auth import get_user_model
get_user_model().objects.filter(username="stan").update(is_staff=False)
"""
        python(peopled, demoted)
        assert server.ask("tools/list")["result"]["tools"] == []
        refused = server.ask("tools/call", {"name": "list_users", "arguments": {}})
        assert refused["error"]["code"] == -32601
        assert server.close() == (b"", 0)
