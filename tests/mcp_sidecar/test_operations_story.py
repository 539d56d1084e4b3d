"""A staff member's agent finds an error, its request and who met it, with its tools alone.

A real process, a real token each, over HTTP, on SQLite; the report R89 tells the story of all
processes on PostgreSQL.
"""

import re
import time

import httpx

from tests.databases import FILE_NAME, copy_database
from tests.mcp_sidecar.processes import python, running

LONG = 60
PLANTED = "cGxhbnRlZC1pbi1hLWhlYWRlcg"
PEOPLE = """
from django.contrib.auth import get_user_model
from django.core.management import call_command
users = get_user_model().objects
users.create_user("mira")
users.create_user("stan", is_staff=True)
for name, scope in (("mira", "project"), ("stan", "operations")):
    call_command("create_token", name, "--name", "agent", "--scopes", scope)
"""


class Agent:
    """Calls tools with one token."""

    def __init__(self, url, token):
        self.url = url
        self.headers = {"authorization": f"Bearer {token}"}

    def ask(self, path, tool, arguments, **headers):
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        headers = self.headers | headers
        answer = httpx.post(
            self.url + path, json=message, headers=headers, trust_env=False, timeout=LONG
        )
        return answer.json()

    def text(self, tool, **arguments):
        result = self.ask("/mcp/operations/", tool, arguments)["result"]
        assert not result["isError"], result
        return result["content"][0]["text"]

    def text_once(self, wanted, tool, **arguments):
        """The answer as soon as it holds `wanted`: what happened is written down a second later."""
        until = time.monotonic() + LONG
        while True:  # until then there may be nothing to list, which is an error
            result = self.ask("/mcp/operations/", tool, arguments)["result"]
            if not result["isError"] and wanted in result["content"][0]["text"]:
                return result["content"][0]["text"]
            assert time.monotonic() < until, result


def people(folder):
    """The tokens of a member and of a member of the staff."""
    member, staff = python(folder, PEOPLE).splitlines()
    return member, staff


def test_an_error_is_found_through_tools_alone(tmp_path):
    copy_database(tmp_path / FILE_NAME)
    member, staff = people(tmp_path)
    with running(tmp_path) as sidecar:
        mira, stan = Agent(sidecar.url, member), Agent(sidecar.url, staff)
        refused = mira.ask(
            "/mcp/probes/",
            "probe_fail",
            {"word": "not_found", "password": "hunter2-planted"},
            **{"x-github-token": f"ghp_{PLANTED}"},
        )
        failed = mira.ask("/mcp/probes/", "probe_fail", {"word": "assertion"})
        assert failed["error"]["code"] == -32603
        mira.ask("/mcp/", "search_docs", {"query": f"sextant ptl_{PLANTED}"})

        errors = stan.text_once("unforeseen failure", "search_logs", level="ERROR")
        assert "AssertionError" in errors
        request_id = re.search(r"request_id `([0-9a-f]{32})`", errors)[1]
        caller = re.search(r"caller `user:(\d+)`", errors)[1]

        request = stan.text_once("portolan.calls", "search_logs", query=request_id)
        assert "probe_fail: internal_error" in request
        calls = stan.text_once(request_id, "list_tool_calls", outcome="internal_error")
        assert f"by `mira` (`user:{caller}`)" in calls
        assert "`mira`" in stan.text("get_user", user_id=int(caller))
        health = stan.text("get_health")
        assert re.search(r"errors: (warning|failing)", health)
        assert "unforeseen failure in probe_fail" in health
        usage = stan.text_once("sextant", "get_usage", days=2)  # midnight may be between
        assert re.search(r"Queries that found nothing\n\n- 1 times `sextant", usage)

        assert mira.ask("/mcp/operations/", "search_logs", {})["error"]["data"] == {
            "code": "insufficient_scope"
        }
        told = "\n".join((errors, request, calls, health, usage, str(refused), str(failed)))
    logs = "\n".join(path.read_text() for path in (tmp_path / "log").iterdir())
    for secret in (PLANTED, "hunter2", member, staff):
        assert secret not in told
        assert secret not in logs
