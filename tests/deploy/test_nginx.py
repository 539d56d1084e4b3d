"""nginx with the real configuration, in front of a real sidecar and a real web process."""

import asyncio
import json
import re

import httpx
import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from tests.mcp_sidecar.conftest import refusal
from tests.messages import PING, PONG, call, hello
from web.core.limits import LIMITS

pytestmark = pytest.mark.services


@pytest.fixture
def client(stack):
    """An HTTP client of nginx that follows no redirects."""
    with httpx.Client(base_url=stack.url, trust_env=False, timeout=30) as made:
        yield made


async def greeted(url):
    """Connect as a client of the Python SDK does."""
    async with Client(StreamableHttpTransport(url)) as client:
        await client.ping()


def padded_ping(size):
    """Return a ping whose body has exactly `size` bytes."""
    empty = json.dumps(PING | {"params": {"_meta": {"padding": ""}}})
    return empty.replace('""', f'"{"x" * (size - len(empty))}"').encode()


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/lesson", "/mcp/lesson/"])
def test_r14_r15_both_spellings_are_answered_without_a_redirect(client, path):
    response = client.post(path, json=PING)
    assert response.status_code == 200
    assert response.json() == PONG
    assert "location" not in response.headers


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/lesson", "/mcp/lesson/"])
def test_r14_r21_a_wrong_token_is_challenged_with_the_metadata_of_the_very_address(client, path):
    response = client.post(path, json=PING, headers={"Authorization": "Bearer ptl_nobodys-token"})
    assert response.status_code == 401
    metadata = re.search('resource_metadata="([^"]+)"', response.headers["www-authenticate"])[1]
    public = "https://hub.example.org"
    assert metadata == f"{public}/.well-known/oauth-protected-resource{path}"
    document = client.get(metadata.removeprefix(public))
    assert document.status_code == 200
    assert document.headers["content-type"].startswith("application/json")
    assert document.json()["resource"] == f"{public}{path}"
    [issuer] = document.json()["authorization_servers"]
    place = issuer.removeprefix(public)
    server = client.get(f"/.well-known/oauth-authorization-server{place}")
    assert server.status_code == 200
    assert server.json()["issuer"] == issuer


@pytest.mark.parametrize(
    "path",
    [
        "/mcp/nothing",
        "/mcp/mcp",
        "/mcp/mcp/",
        "/mcp/health",
        "/mcp/ready",
        "/mcp//",
        "/.well-known/oauth-protected-resource/nothing",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/mcp/.well-known/openid-configuration",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_r15_r20_r23_what_is_not_there_is_a_json_404(client, method, path):
    response = client.request(method, path, json=PING)
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("application/json")
    assert response.json()["error"] == "not_found"
    assert "location" not in response.headers


@pytest.mark.parametrize("path", ["/mcp/repositories/nothing", "/mcp/repositories/nothing/"])
def test_the_endpoint_of_a_repository_that_does_not_exist_is_a_json_404(client, path):
    response = client.post(path, json=PING)
    assert response.status_code == 404
    assert response.json()["error"] == "not_found"


def test_r17_the_public_host_reaches_the_sidecar_and_a_foreign_one_is_refused(client):
    public = client.post("/mcp/", json=hello(), headers={"Host": "hub.example.org"})
    assert public.status_code == 200
    assert public.json()["result"]["serverInfo"]["name"] == "portolan-project"
    with_port = client.post("/mcp/", json=PING, headers={"Host": "hub.example.org:443"})
    assert with_port.status_code == 200
    foreign = client.post("/mcp/", json=PING, headers={"Host": "evil.example"})
    assert foreign.status_code == 421


def test_the_sidecars_own_pages_are_not_exposed(stack, client):
    for path in ("/health", "/ready", "/metrics"):
        response = client.get(path)
        assert response.status_code == 404, path
        assert response.text != "ok"
    assert httpx.get(stack.sidecar_url + "/health", trust_env=False, timeout=60).is_success


def test_everything_else_is_the_web_application(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/mcpx").headers["content-type"].startswith("text/html")
    assert client.get("/static/pages/portolan.css").status_code == 200


def test_r29_web_refuses_a_foreign_host_without_a_traceback_in_the_log(stack, client):
    assert client.get("/", headers={"Host": "hub.example.org"}).status_code == 200
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert "DisallowedHost" not in (stack.folder / "web.output").read_text()


@pytest.mark.parametrize("is_chunked", [False, True])
def test_webhooks_are_passed_on_and_their_size_is_bounded(client, is_chunked):
    def send(size):
        body = json.dumps({"repository": {"clone_url": "https://host.example/a"}}).ljust(size)
        content = iter([body[:99].encode(), body[99:].encode()]) if is_chunked else body
        return client.post("/webhooks/github/", content=content)

    limit = LIMITS.max_webhook_bytes
    for size, status, code in ((limit, 403, "not_allowed"), (limit + 1, 413, "too_large")):
        response = send(size)
        assert response.status_code == status
        assert response.headers["content-type"] == "application/json"
        assert response.json()["error"] == code


def test_a_real_tool_is_called_through_nginx(client):
    result = client.post("/mcp/lesson/", json=call("add", a=2, b=40)).json()["result"]
    assert not result.get("isError")
    assert "42" in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Mcp-Method": "tools/call", "Mcp-Name": "add"}, 200, None),
        ({"Mcp-Method": "tools/call", "Mcp-Name": "shout"}, 400, -32020),
        ({"Mcp-Method": "tools/call"}, 400, -32020),
    ],
)
def test_r35_mirrored_headers_pass_unchanged(client, headers, status, code):
    version = "2026-07-28"
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "add", "arguments": {"a": 1, "b": 1}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    response = client.post(
        "/mcp/lesson/", json=body, headers=headers | {"MCP-Protocol-Version": version}
    )
    assert response.status_code == status, response.text
    assert response.json().get("error", {}).get("code") == code


@pytest.mark.parametrize("is_chunked", [False, True])
def test_r26_the_limit_of_bodies_is_the_same_in_nginx_and_the_sidecar(stack, client, is_chunked):
    limit = LIMITS.max_body_bytes
    headers = {"Content-Type": "application/json"}

    def content(size):
        body = padded_ping(size)
        return iter([body[:1000], body[1000:]]) if is_chunked else body

    for path in ("/mcp", "/mcp/"):
        fits = client.post(path, content=content(limit - 1024), headers=headers)
        assert fits.status_code == 200
        assert fits.json() == PONG
    by_nginx = client.post("/mcp/", content=content(limit + 1024), headers=headers)
    by_sidecar = httpx.post(
        f"{stack.sidecar_url}/mcp/",
        content=content(limit + 1024),
        headers=headers,
        trust_env=False,
        timeout=60,
    )
    for answer in (by_nginx, by_sidecar):
        assert answer.status_code == 413
        assert answer.headers["content-type"].startswith("application/json")
        assert str(limit) in answer.json()["error"]["message"]
    assert by_nginx.json() == by_sidecar.json()


def test_r25_a_sidecar_that_is_down_is_a_json_502_that_says_when_to_retry(stack, client):
    stack.sidecar.stop()
    try:
        for path in ("/mcp", "/mcp/", "/mcp/lesson/"):
            response = client.post(path, json=PING)
            assert refusal(response) == (502, "unavailable")
            assert int(response.headers["retry-after"]) > 0
        with pytest.raises(Exception, match=r"does not answer now\. Try again in a few seconds"):
            asyncio.run(greeted(f"{stack.url}/mcp/"))
        assert client.get("/healthz").status_code == 200
    finally:
        stack.sidecar.start()
    assert client.post("/mcp/", json=PING).json() == PONG


def access_log(stack):
    """The lines of nginx's log, from the one file of today (two around midnight)."""
    files = sorted(stack.folder.glob("log/nginx.*.jsonl"))
    assert all(re.fullmatch(r"nginx\.\d{4}-\d\d-\d\d\.jsonl", file.name) for file in files)
    return [json.loads(line) for file in files for line in file.read_bytes().decode().splitlines()]


def test_r89_a_secret_in_a_query_is_in_no_log(stack, client):
    planted = "planted-in-the-query"
    client.post(f"/mcp/?token={planted}", json=PING)
    client.get(f"/?password={planted}")
    client.post(f"/mcp/?x={planted}", content=padded_ping(LIMITS.max_body_bytes + 1))
    client.post("/mcp/", json=PING, headers={"Authorization": f"Bearer ptl_{planted}"})
    stack.sidecar.stop()
    try:
        assert client.post(f"/mcp/?token={planted}", json=PING).status_code == 502
    finally:
        stack.sidecar.start()
    paths = [*stack.folder.glob("log/*"), *stack.folder.glob("*.output")]
    written = {path.name: path.read_text() for path in paths}
    away = [line for line in access_log(stack) if line["message"] == "POST /mcp/ 502"]
    assert {line["level"] for line in away} == {"ERROR"}
    assert not [name for name, text in written.items() if planted in text]


def test_each_line_of_the_access_log_is_json_with_the_fields_of_every_log(stack, client):
    client.post('/mcp/a"b%0Ac\\', json=PING)
    client.get("/healthz")  # a request is logged before the next one of its connection is read
    lines = access_log(stack)
    for line in lines:
        assert line.keys() >= {"time", "level", "logger", "message", "request_id"}
    assert any('POST /mcp/a"b\nc' in line["message"] for line in lines)


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/mcp/d%C3%A9j%C3%A0/%F0%9F%97%BA", "/mcp/déjà/\N{WORLD MAP}"),
        ("/mcp/%FF/", "[not UTF-8]"),
        ("/mcp/%ED%A0%80/", "[not UTF-8]"),
        ("/accounts/invitations/%FF", "/accounts/invitations/[redacted]"),
        ("/files/key-ptl_abcdefgh", "[a path with a token]"),
        ("/files/keyghp_abcdefghijklmnopqrstuvwxyz0123456789", "[a path with a token]"),
        ("/files/crypto_utilities.py", "/files/crypto_utilities.py"),
    ],
)
def test_the_access_log_has_paths_as_text_and_without_secrets(stack, client, path, logged):
    status = client.get(path).status_code
    client.get("/healthz")
    assert f"GET {logged} {status}" in [line["message"] for line in access_log(stack)]


def test_a_request_has_one_id_in_the_answer_and_in_every_log(stack, client):
    response = client.get("/healthz", headers={"X-Request-ID": "chosen-by-the-client"})
    request_id = response.headers["x-request-id"]
    assert request_id != "chosen-by-the-client"
    for name in ("nginx.*.jsonl", "web.*.jsonl"):
        texts = [path.read_text() for path in stack.folder.glob(f"log/{name}")]
        assert any(request_id in text for text in texts), name
