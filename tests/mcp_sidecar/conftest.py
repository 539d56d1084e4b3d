"""The sidecar in this process, behind an HTTP client, with servers of the product and of probes."""

import json
from typing import Any

import httpx
import pytest
from django.core.cache import cache

from mcp_sidecar.servers.lesson import LESSON
from mcp_sidecar.servers.operations import OPERATIONS
from mcp_sidecar.servers.project import PROJECT
from mcp_sidecar.transport.application import Application
from tests.databases import FILE_NAME, copy_database
from tests.mcp_sidecar import probes
from web.library.models import Repository, Visibility

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"


def envelope(version: str = MODERN) -> dict[str, Any]:
    """The `_meta` of a request of 2026-07-28."""
    return {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }


def refusal(response: Any) -> tuple[int, str]:
    """The status and the code of a refusal, whose shape is checked.

    Of a message it is a JSON-RPC error without a result to wait for; where nothing is, it is JSON
    all the same.
    """
    assert response.headers["content-type"] == "application/json"
    assert "location" not in response.headers
    body = response.json()
    if response.status_code == 404:
        assert body.keys() == {"error", "message"}
        assert body["message"]
        return 404, body["error"]
    assert (body["jsonrpc"], body["id"]) == ("2.0", None)
    error = body["error"]
    assert error["message"]
    assert error["code"] == {429: -32011, 502: -32010, 503: -32010, 504: -32010}.get(
        response.status_code, -32012
    )
    retry_after = response.headers.get("retry-after")
    assert error["data"].get("retry_after_seconds") == (retry_after and int(retry_after))
    return response.status_code, error["data"]["code"]


class Client:
    """Sends bodies and requests to one sidecar."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        """Post a body: bytes and text as they are, everything else as JSON."""
        content = body if isinstance(body, bytes | str) else json.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post(path, content=content, headers=named)

    async def ask(
        self,
        method: str,
        params: Any = None,
        *,
        path: str = "/mcp/probes/",
        version: str | None = "2025-11-25",
        id: Any = 1,  # noqa: A002 - the name of the protocol
        **headers: str,
    ) -> dict[str, Any]:
        """Send a request as a client of `version` does, and return the decoded answer."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
        if version is not None:
            headers["mcp_protocol_version"] = version
        if version == MODERN:
            params = {**(params or {}), "_meta": envelope()}
            headers["mcp_method"] = method
            if "name" in params:
                headers["mcp_name"] = params["name"]
        if params is not None:
            message["params"] = params
        return (await self.post(path, message, **headers)).json()

    async def call(self, tool: str, arguments: Any = None, **more: Any) -> dict[str, Any]:
        """Call a tool and return the result."""
        params = {"name": tool, "arguments": arguments or {}}
        answer = await self.ask("tools/call", params, **more)
        assert "result" in answer, answer
        return answer["result"]

    async def text(self, tool: str, arguments: Any = None, **more: Any) -> str:
        """Call a tool and return the text of its answer."""
        return (await self.call(tool, arguments, **more))["content"][0]["text"]


def application(*, has_lane: bool = True) -> Application:
    """A sidecar with the product's servers and the probes."""
    return Application((PROJECT, OPERATIONS, LESSON, probes.PROBES), has_lane=has_lane)


def http_client(app: Any) -> httpx.AsyncClient:
    """A client of an ASGI application at the address of the settings of tests."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=True)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8001")


@pytest.fixture
def state():
    """What the probes share, fresh."""
    cache.clear()
    fresh = probes.reset()
    yield fresh
    fresh.release.set()
    fresh.barrier.abort()


@pytest.fixture
async def client(transactional_db, state):
    """A client of a running sidecar."""
    app = application()
    async with app.running(), http_client(app) as http:
        yield Client(http)


@pytest.fixture
def repositories(transactional_db):
    """Two public repositories and one for members, not indexed."""
    for name, visibility in (
        ("alpha", Visibility.PUBLIC),
        ("beta", Visibility.PUBLIC),
        ("hidden", Visibility.MEMBERS),
    ):
        Repository.objects.create(
            name=name, url=f"https://example.org/{name}.git", visibility=visibility
        )
    return ("alpha", "beta")


@pytest.fixture(scope="session")
def migrated(tmp_path_factory):
    """A data folder with a migrated database, for processes."""
    folder = tmp_path_factory.mktemp("sidecar")
    copy_database(folder / FILE_NAME)
    return folder


@pytest.fixture(params=[True, False], ids=["lane", "sdk"])
async def way(request, transactional_db, state):
    """A client of a sidecar that answers by the lane, and of one that answers by FastMCP."""
    app = application(has_lane=request.param)
    async with app.running(), http_client(app) as http:
        yield Client(http)
