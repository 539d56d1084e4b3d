"""Clients that others wrote, against the product: over HTTP, through nginx and over stdio."""

import json
import sys

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from mcp_sidecar.servers.binding import fastmcp_server
from mcp_sidecar.servers.lesson import LESSON
from tests.conformance import npm
from tests.newcomer import PROJECT

pytestmark = pytest.mark.services
HTTP = ("--transport", "http")
MODES = ["auto", "legacy", "2026-07-28"]
ADD = ("add", json.dumps({"a": 2, "b": 3}))


@pytest.fixture(params=["sidecar", "nginx"])
def lesson_url(request, product):
    base = product.sidecar_url if request.param == "sidecar" else product.url
    return f"{base}/mcp/lesson/"


def stdio_command():
    return (sys.executable, str(PROJECT / "manage.py"), "mcp_server", "--server", "lesson")


def test_the_typescript_client_calls_a_tool_over_http(lesson_url):
    done = npm.run("client.mjs", "http", lesson_url, *ADD)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["server"]["name"] == "portolan-lesson"
    assert answer["capabilities"] == {"tools": {"listChanged": False}}
    assert sorted(answer["tools"]) == ["add", "shout"]
    assert answer["result"]["content"][0]["text"].strip().startswith("5")


def test_the_typescript_client_calls_a_tool_over_stdio(product, monkeypatch):
    for name, value in product.variables.items():
        monkeypatch.setenv(name, value)
    done = npm.run("client.mjs", "stdio", *ADD, *stdio_command())
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert sorted(answer["tools"]) == ["add", "shout"]
    assert answer["result"]["content"][0]["text"].strip().startswith("5")


def test_the_inspector_lists_and_calls(lesson_url):
    listed = npm.run(
        npm.INSPECTOR, "--cli", lesson_url, *HTTP, "--method", "tools/list", "--strict"
    )
    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert [tool["name"] for tool in json.loads(listed.stdout)["tools"]] == ["add", "shout"]
    called = npm.run(
        npm.INSPECTOR, "--cli", lesson_url, *HTTP, "--method", "tools/call",
        "--tool-name", "add", "--tool-arg", "a=2", "b=3",
    )  # fmt: skip
    assert called.returncode == 0, called.stdout + called.stderr
    assert json.loads(called.stdout)["content"][0]["text"].strip().startswith("5")


def test_the_inspector_finds_no_fault_in_the_project_tools(product):
    listed = npm.run(
        npm.INSPECTOR, "--cli", f"{product.url}/mcp", "--method", "tools/list", "--strict"
    )
    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert "search_code" in [tool["name"] for tool in json.loads(listed.stdout)["tools"]]


async def test_the_python_sdk_client_calls_a_tool(lesson_url):
    async with (
        streamable_http_client(lesson_url) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        result = await session.call_tool("add", {"a": 2, "b": 3})
    assert not result.is_error
    assert result.content[0].text.strip().startswith("5")


async def test_the_python_sdk_client_calls_a_tool_over_stdio(product):
    command, *arguments = stdio_command()
    server = StdioServerParameters(command=command, args=arguments, env=product.variables)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        result = await session.call_tool("add", {"a": 2, "b": 3})
    assert hello.server_info.name == "portolan-lesson"
    assert result.content[0].text.strip().startswith("5")


def test_the_inspector_calls_over_stdio(product, tmp_path):
    command, *arguments = stdio_command()
    server = {"command": command, "args": arguments, "env": product.variables}
    configuration = tmp_path / "mcp.json"  # its own --server hides that of the command
    configuration.write_text(json.dumps({"mcpServers": {"lesson": server}}))
    called = npm.run(
        npm.INSPECTOR, "--cli", "--config", configuration, "--server", "lesson",
        "--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=2", "b=3",
    )  # fmt: skip
    assert called.returncode == 0, called.stdout + called.stderr
    assert json.loads(called.stdout)["content"][0]["text"].strip().startswith("5")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", ["stdio", "memory"])
async def test_fastmcps_client_calls_a_tool_without_a_network_in_every_mode(product, way, mode):
    command, *arguments = stdio_command()
    over = StdioTransport(command, arguments, env=product.variables)
    async with Client(over if way == "stdio" else fastmcp_server(LESSON), mode=mode) as client:
        names = [tool.name for tool in await client.list_tools()]
        result = await client.call_tool("add", {"a": 2, "b": 3})
    assert names == ["add", "shout"]
    assert result.content[0].text.strip().startswith("5")


@pytest.mark.parametrize("mode", MODES)
async def test_fastmcps_client_calls_a_tool_in_every_mode(lesson_url, mode):
    async with Client(StreamableHttpTransport(lesson_url), mode=mode) as client:
        names = [tool.name for tool in await client.list_tools()]
        result = await client.call_tool("add", {"a": 2, "b": 3})
    assert names == ["add", "shout"]
    assert result.content[0].text.strip().startswith("5")
