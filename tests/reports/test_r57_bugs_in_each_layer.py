"""R57: a bug in any layer tells nothing of the inside, is logged once, and names the request."""

import asyncio
import json
import logging
import shutil

import pytest
from django.core.cache import cache
from fastmcp.server.middleware import Middleware
from pydantic import Field, field_validator

from mcp_sidecar import caching
from mcp_sidecar.contract.base import Arguments
from mcp_sidecar.servers import binding, pipeline
from mcp_sidecar.servers.binding import fastmcp_server
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.servers.lesson import LESSON
from mcp_sidecar.transport import discovery, gate, lane
from mcp_sidecar.transport.application import Application
from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from tests.mcp_sidecar import probes
from tests.mcp_sidecar.conftest import MODERN, Client, application, http_client
from tests.mcp_sidecar.probes import SECRET
from tests.mcp_sidecar.processes import stdio
from tests.reports.inside import tells_nothing
from web.core.errors import PortolanError
from web.library.git.mirrors import mirror_path
from web.library.models import Repository
from web.library.services.sync import repository_sync

VERSIONS = (None, "2024-11-05", "2025-11-25", MODERN)


class Careless(Arguments):
    """Arguments whose check has a bug."""

    word: str = Field("", description="A word.", examples=["x"])

    @field_validator("word")
    @classmethod
    def _checked(cls, word: str) -> str:
        raise KeyError(SECRET + word)


def is_internal(answer, request_id):
    assert answer["error"] == {
        "code": -32603,
        "message": "Internal error",
        "data": {"request_id": request_id},
    }


def logged_once(caplog, request_id):
    records = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [bool(record.exc_info) for record in records] == [True]
    assert request_id in records[0].getMessage()
    caplog.clear()


def broken(*_args, **_more):
    raise RuntimeError(SECRET)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_bug_in_the_check_of_arguments(way, caplog, monkeypatch, version):
    tool = next(one for one in probes.TOOLS if one.contract.name == "probe_echo")
    contract = tool.contract
    object.__setattr__(contract, "arguments", Careless)
    try:
        params = {"name": "probe_echo", "arguments": {"word": "x"}}
        answer = await way.ask("tools/call", params, version=version, x_request_id="req-57")
    finally:
        object.__setattr__(contract, "arguments", probes.Word)
    is_internal(answer, "req-57")
    logged_once(caplog, "req-57")


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_bug_in_what_describes_the_tools(way, caplog, monkeypatch, version):
    binding._listed.cache_clear()
    monkeypatch.setattr(lane, "descriptors", broken)
    monkeypatch.setattr(binding, "descriptors", broken)
    answer = await way.ask("tools/list", version=version, x_request_id="req-57")
    is_internal(answer, "req-57")
    logged_once(caplog, "req-57")


async def test_a_bug_in_the_instructions(way, caplog, monkeypatch):
    monkeypatch.setattr(Exchange, "tools", broken)
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    for method, params, version in (
        ("initialize", hello, None),
        ("server/discover", {}, MODERN),
    ):
        answer = await way.ask(method, params, version=version, x_request_id="req-57")
        is_internal(answer, "req-57")
        logged_once(caplog, "req-57")


@pytest.mark.parametrize("part", ["key_of", "kept", "keep"])
async def test_a_bug_in_the_memory_of_answers(way, caplog, monkeypatch, part):
    monkeypatch.setattr(caching, part, broken)
    params = {"name": "probe_echo", "arguments": {"word": "kept"}}
    answer = await way.ask("tools/call", params, x_request_id="req-57")
    is_internal(answer, "req-57")
    logged_once(caplog, "req-57")


async def test_a_bug_in_what_adds_ages_to_an_answer(way, caplog, monkeypatch):
    monkeypatch.setattr(pipeline, "with_ages", broken)
    params = {"name": "probe_echo", "arguments": {"word": "x"}}
    answer = await way.ask("tools/call", params, x_request_id="req-57")
    is_internal(answer, "req-57")
    logged_once(caplog, "req-57")


@pytest.mark.parametrize("part", ["caller_of", "read_body", "check_media", "address_of"])
async def test_a_bug_in_the_gate(way, caplog, monkeypatch, part):
    monkeypatch.setattr(gate, part, broken)
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    response = await way.post("/mcp/probes", message, x_request_id="req-57")
    assert response.status_code == 500
    is_internal(response.json(), "req-57")
    assert response.headers["x-request-id"] == "req-57"
    logged_once(caplog, "req-57")


async def test_a_bug_outside_of_the_endpoints(way, caplog, monkeypatch):
    monkeypatch.setattr(discovery, "protected_resource_metadata", broken)
    response = await way.http.get(
        "/.well-known/oauth-protected-resource/mcp", headers={"x-request-id": "req-57"}
    )
    assert (response.status_code, response.json()["error"]) == (500, "internal_error")
    assert response.headers["x-request-id"] == "req-57"
    tells_nothing(response.text)
    logged_once(caplog, "req-57")


async def test_a_bug_in_one_message_of_a_batch_spoils_no_other(way, caplog):
    def message(identifier, word):
        params = {"name": "probe_fail", "arguments": {"word": word}}
        return {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}

    batch = [message(1, "assertion"), message(2, "conflict"), message(3, "missing_table")]
    response = await way.post("/mcp/probes", batch, x_request_id="req-57")
    first, second, third = response.json()
    is_internal(first, "req-57")
    assert second["result"]["isError"] is True
    is_internal(third, "req-57")
    tells_nothing(response.text)
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [bool(record.exc_info) for record in errors] == [True, True]


class Bug(Middleware):
    """A middleware of FastMCP that fails."""

    async def on_message(self, context, call_next):  # noqa: ARG002 - FastMCP's own signature
        raise RuntimeError(SECRET)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("method", ["tools/list", "tools/call"])
async def test_a_bug_in_a_middleware(transactional_db, caplog, method, version):
    def server_of(definition):
        server = fastmcp_server(definition)
        server.add_middleware(Bug())
        return server

    app = Application((LESSON,), server_of=server_of)
    async with app.running(), http_client(app) as http:
        params = {"name": "add", "arguments": {"a": 1, "b": 2}} if method == "tools/call" else {}
        answer = await Client(http).ask(
            method, params, path="/mcp/lesson", version=version, x_request_id="req-57"
        )
    is_internal(answer, "req-57")
    logged_once(caplog, "req-57")


@pytest.fixture
def harbour(data_folder, transactional_db, tmp_path):
    """One indexed repository."""
    cache.clear()
    origin = GitRepository(tmp_path / "harbour").write(
        {"README.md": "# Harbour\n", "a.py": "a=1\n"}
    )
    add_and_sync("harbour", origin.commit().url)
    return Repository.objects.get(name="harbour")


@pytest.mark.parametrize("has_lane", [True, False])
async def test_a_mirror_that_is_gone_is_told_without_its_place(harbour, has_lane, state):
    await asyncio.to_thread(shutil.rmtree, mirror_path(harbour.pk))
    app = application(has_lane=has_lane)
    async with app.running(), http_client(app) as http:
        mcp = Client(http)
        for tool, arguments in (
            ("read_file", {"path": "a.py"}),
            ("read_doc", {"path": "README.md"}),
            ("list_commits", {}),
            ("read_commit", {"commit": "main"}),
        ):
            given = {"repository": "harbour", **arguments}
            result = await mcp.call(tool, given, path="/mcp", x_request_id="req-57")
            text = result["content"][0]["text"]
            assert result["isError"] is True, (tool, text)
            assert "(code: unavailable)\n(request: req-57)" in text, text
            tells_nothing(text)
            assert "mirrors" not in text
            assert str(mirror_path(harbour.pk)) not in text
        for tool, arguments in (
            ("search_code", {"query": "a"}),
            ("search_docs", {"query": "harbour"}),
            ("get_repository", {}),
            ("list_files", {}),
            ("find_symbol", {"name": "a"}),
        ):
            given = {"repository": "harbour", **arguments}
            result = await mcp.call(tool, given, path="/mcp")
            assert "(code: internal" not in json.dumps(result)
            tells_nothing(json.dumps(result))
        given = {"repository": "harbour", "pattern": "a"}
        assert "2 files could not be read" in await mcp.text("grep_code", given, path="/mcp")


def test_git_that_is_missing_is_told_without_its_place(harbour, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PortolanError) as caught:
        repository_sync(name="harbour")
    harbour.refresh_from_db()
    for text in (str(caught.value), harbour.sync_error):
        assert text
        tells_nothing(text)
        assert str(tmp_path) not in text
    assert harbour.stale_since is not None


@pytest.mark.parametrize("kind", ["assertion", "memory", "disk", "missing_table", "timeout"])
def test_over_standard_input_and_output_too(migrated, kind):
    with stdio(migrated, module="tests.mcp_sidecar.probe_stdio") as server:
        before = server.errors.read_text()
        for tool in ("probe_fail", "probe_fail_here"):
            answer = server.ask("tools/call", {"name": tool, "arguments": {"word": kind}})
            assert answer["error"]["code"] == -32603
            tells_nothing(json.dumps(answer))
            request_id = answer["error"]["data"]["request_id"]
            written = server.errors.read_text().removeprefix(before)
            assert written.count(request_id) == 1
        assert server.ask("ping")["result"] == {}
        assert server.close() == (b"", 0)
