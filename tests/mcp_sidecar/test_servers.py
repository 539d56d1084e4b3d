"""Who is offered what: scopes, repositories, tokens, instructions; over HTTP and in memory."""

import asyncio

import pytest
from fastmcp import Client as FastMCPClient
from fastmcp.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from pydantic import SecretStr

from mcp_sidecar.auth import Caller
from mcp_sidecar.servers.binding import fastmcp_server
from mcp_sidecar.servers.exchange import Exchange, enter, leave
from mcp_sidecar.servers.project import PROJECT
from mcp_sidecar.version import VERSION
from tests.mcp_sidecar import probes
from tests.mcp_sidecar.conftest import refusal
from web.accounts.principals import Principal
from web.library.models import Repository

GITHUB = {"authorization": "Bearer ghp_0123456789abcdefghij"}
ALL = [tool.contract.name for tool in probes.TOOLS]


async def tools(client, path="/mcp/probes/", **headers):
    answer = await client.ask("tools/list", path=path, **headers)
    return {tool["name"]: tool for tool in answer["result"]["tools"]}


async def test_the_tools_of_one_repository_are_those_that_are_not_project_wide(
    client, repositories
):
    everywhere = await tools(client)
    single = await tools(client, "/mcp/probes/repositories/alpha")
    assert list(everywhere) == [name for name in ALL if name != "probe_github"]
    assert everywhere.keys() - single.keys() == {"probe_large"}
    answer = await client.ask(
        "tools/call", {"name": "probe_large"}, path="/mcp/probes/repositories/alpha"
    )
    assert answer["error"] == {"code": -32601, "message": "Unknown tool: probe_large"}


async def test_a_tool_for_github_is_there_only_for_a_caller_with_a_token(client):
    assert "probe_github" not in await tools(client)
    assert "probe_github" in await tools(client, **GITHUB)
    assert "probe_github" in await tools(
        client, x_github_token=GITHUB["authorization"].removeprefix("Bearer ")
    )
    answer = await client.ask("tools/call", {"name": "probe_github"})
    assert answer["error"]["code"] == -32601
    assert await client.text("probe_github", **GITHUB) == "with a token"


async def test_the_argument_repository_names_those_that_the_caller_sees(client, repositories):
    offered = (await tools(client))["probe_echo"]["inputSchema"]["properties"]
    assert offered["repository"]["enum"] == ["alpha", "beta"]
    single = (await tools(client, "/mcp/probes/repositories/alpha"))["probe_echo"]
    assert "repository" not in single["inputSchema"]["properties"]


async def test_a_repository_that_is_added_is_offered_at_once(client, repositories):
    await tools(client)
    assert (await client.call("probe_echo", {"repository": "gamma"}))["isError"]
    await Repository.objects.acreate(name="gamma", url="https://example.org/gamma.git")
    assert not (await client.call("probe_echo", {"repository": "gamma"}))["isError"]
    offered = (await tools(client))["probe_echo"]["inputSchema"]["properties"]["repository"]
    assert "gamma" in offered["enum"]


async def test_a_repository_outside_the_scope_lists_the_names(client, repositories):
    for name in ("hidden", "nope"):
        result = await client.call("probe_echo", {"repository": name})
        assert result["isError"]
        text = result["content"][0]["text"]
        assert "alpha, beta" in text
        assert "structuredContent" not in result
    where_one_is_chosen = {"path": "/mcp/probes/repositories/alpha"}
    dropped = await client.call("probe_echo", {"repository": "nope"}, **where_one_is_chosen)
    assert not dropped["isError"]
    unused = await client.call("probe_who", {"repository": "nope"})
    assert not unused["isError"]


async def test_instructions_say_what_is_offered_here(client, repositories):
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    everywhere = await client.ask("initialize", hello, path="/mcp/")
    single = await client.ask("initialize", hello, path="/mcp/repositories/alpha/")
    text = everywhere["result"]["instructions"]
    for tool in PROJECT.offered(single=False, has_github_token=False):
        assert tool.contract.name in text
    assert "the repository alpha" in single["result"]["instructions"]
    assert "list_repositories" not in single["result"]["instructions"]


class TestTokens:
    @pytest.mark.parametrize(
        "authorization",
        [
            "Bearer nonsense",
            "Basic eDp5",
            "Bearer",
            "",
            "Bearer a b",
            "ptl_x",
            "Bearer ptl_" + "x" * 9000,
        ],
    )
    @pytest.mark.parametrize("path", ["/mcp/", "/mcp/lesson", "/mcp/probes/repositories/alpha"])
    @pytest.mark.usefixtures("repositories")
    async def test_a_token_that_is_wrong_is_refused_everywhere(self, client, path, authorization):
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        response = await client.post(path, message, authorization=authorization)
        assert refusal(response) == (401, "invalid_token")
        challenge = response.headers["www-authenticate"]
        assert challenge.startswith("Bearer ")
        assert 'error="invalid_token"' in challenge

    @pytest.mark.parametrize("query", ["token=ptl_x", "a=b&access_token=x", "Token=x", "api_key=x"])
    async def test_a_token_in_the_address_is_never_accepted(self, client, query):
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        response = await client.post(f"/mcp/?{query}", message)
        assert response.status_code == 401
        assert (await client.post("/mcp/?other=x", message)).status_code == 200

    async def test_the_callers_github_token_appears_nowhere(self, client, caplog):
        from mcp_sidecar import signals

        await client.text("probe_github", **GITHUB)
        await asyncio.to_thread(signals.flush)
        assert "ghp_" not in caplog.text
        assert "ghp_" not in repr(Caller(Principal(), github_token=SecretStr("ghp_x")))


@pytest.mark.usefixtures("transactional_db", "state")
class TestInMemory:
    @pytest.fixture
    def server(self):
        return fastmcp_server(probes.PROBES)

    @pytest.mark.usefixtures("repositories")
    async def test_a_client_in_memory_is_answered_alike(self, server):
        async with FastMCPClient(server) as client:
            names = [tool.name for tool in await client.list_tools()]
            assert names == [name for name in ALL if name != "probe_github"]
            result = await client.call_tool("probe_echo", {"word": "x", "repository": "alpha"})
            assert result.content[0].text == "x"
            with pytest.raises(ToolError, match=r"code: invalid_input"):
                await client.call_tool("probe_echo", {"repository": "nope"})
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("nope", {})
            assert unknown.value.error.code == -32601

    async def test_structured_content_agrees_with_the_schema_that_the_client_checks(self, server):
        async with FastMCPClient(server) as client:
            result = await client.call_tool("probe_row", {"word": "é"})
            assert result.structured_content["title"] == "é"
            assert result.structured_content["ratio"] == 0.1

    async def test_what_nobody_foresaw_is_an_internal_error(self, server):
        async with FastMCPClient(server) as client:
            with pytest.raises(MCPError) as raised:
                await client.call_tool("probe_fail", {"word": "assertion"})
            assert raised.value.error.code == -32603
            assert raised.value.error.message == "Internal error"

    async def test_the_server_says_who_it_is(self, server):
        async with FastMCPClient(server) as client:
            info = client.server_info
            assert (info.name, info.title, info.version) == ("portolan-probes", "Probes", VERSION)

    async def test_the_exchange_that_was_entered_decides_who_calls(self, server):
        member = Caller(Principal(user_id=7, is_member=True))
        entered = enter(Exchange(probes.PROBES, caller=member))
        try:
            async with FastMCPClient(server) as client:
                result = await client.call_tool("probe_who", {})
                assert result.content[0].text == "7 True None"
        finally:
            leave(entered)
