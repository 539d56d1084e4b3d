"""What HTTP refuses before a message is read, and how: always JSON, always the same shape."""

import json
from typing import Any

import pytest

from mcp_sidecar.transport.body import DRAINED_TIMES
from tests.mcp_sidecar.conftest import MODERN, refusal
from tests.messages import INITIALIZED, PING, PONG
from web.core.limits import LIMITS
from web.library.models import Repository

SPELLINGS = ("/mcp", "/mcp/", "/mcp/lesson", "/mcp/lesson/")


@pytest.mark.parametrize("path", SPELLINGS)
async def test_both_spellings_answer_without_a_redirect(client, path):
    response = await client.post(path, PING)
    assert (response.status_code, response.json()) == (200, PONG)


@pytest.mark.parametrize("path", ["/mcp/repositories/alpha", "/mcp/repositories/alpha/"])
async def test_a_repository_has_its_endpoint_the_moment_it_is_added(client, path):
    assert refusal(await client.post(path, PING)) == (404, "not_found")
    await Repository.objects.acreate(name="alpha", url="https://example.org/alpha.git")
    assert (await client.post(path, PING)).json() == PONG
    await Repository.objects.all().adelete()
    assert refusal(await client.post(path, PING)) == (404, "not_found")


async def test_a_hidden_repository_and_none_look_the_same(client, repositories):
    hidden = await client.post("/mcp/repositories/hidden/", PING)
    absent = await client.post("/mcp/repositories/absent/", PING)
    assert refusal(hidden) == (404, "not_found")
    assert hidden.content == absent.content


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/mcp/mcp",
        "/mcp/nothing",
        "/mcp//",
        "/mcp/repositories",
        "/mcp/repositories/",
        "/mcp/repositories/a/b",
        "/mcp/repositories/Alpha",
        "/mcp/repositories/" + "x" * 4000,
        "/mcp/repositories/..%2f..",
        "/mcp/lesson/repositories/alpha",
        "/register",
        "/metricss",
        "/mcp/.well-known/oauth-protected-resource",
        "/.well-known/openid-configuration",
        "/health/",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
async def test_an_unknown_address_is_a_404_in_json(client, method, path):
    response = await client.http.request(method, path, content=json.dumps(PING))
    if method == "HEAD":
        assert (response.status_code, response.headers["content-type"]) == (404, "application/json")
    else:
        assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", SPELLINGS)
async def test_every_method_but_post_is_refused(client, method, path):
    response = await client.http.request(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    if method != "HEAD":
        assert refusal(response) == (405, "method_not_allowed")


async def test_no_session_is_issued_and_a_stale_one_ignored(client):
    for headers in ({}, {"mcp_session_id": "stale"}):
        response = await client.post("/mcp", PING, **headers)
        assert response.json() == PONG
        assert "mcp-session-id" not in response.headers


class TestAccept:
    @pytest.mark.parametrize(
        "accept",
        [
            None,
            "",
            "*/*",
            "application/json",
            "application/*",
            "APPLICATION/JSON",
            "application/json, text/event-stream",
            "text/event-stream",
            "application/json;q=0.9, text/event-stream",
            "text/html;q=0.3, */*;q=0.1",
            "application/json; charset=utf-8",
        ],
    )
    async def test_what_takes_json_or_names_the_stream_is_served(self, client, accept):
        client.http.headers.pop("accept")
        headers = {} if accept is None else {"accept": accept}
        response = await client.post("/mcp", PING, **headers)
        assert response.status_code == 200
        assert response.headers["content-type"] == "application/json"

    @pytest.mark.parametrize(
        "accept", ["text/html", "application/xml, image/png", "application/json;q=0", "x"]
    )
    async def test_what_takes_no_json_is_told_what_to_send(self, client, accept):
        response = await client.post("/mcp", PING, accept=accept)
        assert refusal(response) == (406, "not_acceptable")
        assert "Accept: application/json" in response.json()["error"]["message"]


class TestContentType:
    @pytest.mark.parametrize(
        "given",
        [None, "application/json", "application/json; charset=utf-8", "Application/JSON;x=y"],
    )
    async def test_json_is_taken_also_where_it_is_not_said(self, client, given):
        headers = {} if given is None else {"content_type": given}
        assert (await client.post("/mcp", PING, **headers)).json() == PONG

    @pytest.mark.parametrize("version", [None, "2025-11-25", MODERN])
    @pytest.mark.parametrize(
        "given", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "x"]
    )
    async def test_everything_else_is_refused(self, client, given, version):
        headers = {} if version is None else {"mcp_protocol_version": version}
        response = await client.post("/mcp", PING, content_type=given, **headers)
        assert refusal(response) == (415, "unsupported_media_type")


class TestSize:
    def padded(self, size: int) -> bytes:
        body = json.dumps(PING).encode()
        return body + b" " * (size - len(body))

    async def test_a_body_of_the_limit_is_read(self, client):
        assert (await client.post("/mcp", self.padded(LIMITS.max_body_bytes))).json() == PONG

    async def test_one_byte_more_is_refused_with_the_limit(self, client):
        response = await client.post("/mcp", self.padded(LIMITS.max_body_bytes + 1))
        assert refusal(response) == (413, "too_large")
        assert str(LIMITS.max_body_bytes) in response.json()["error"]["message"]

    async def test_a_body_of_unknown_length_is_bounded_too(self, client):
        async def chunks():
            for _ in range(LIMITS.max_body_bytes // 65_536 + 1):
                yield b" " * 65_536

        response = await client.http.post("/mcp", content=chunks())
        assert refusal(response) == (413, "too_large")

    async def test_an_endless_body_is_not_read_to_its_end(self, client):
        sent = 0

        async def chunks():
            nonlocal sent
            while True:
                sent += 1
                yield b" " * LIMITS.max_body_bytes

        response = await client.http.post("/mcp", content=chunks())
        assert refusal(response) == (413, "too_large")
        assert sent <= DRAINED_TIMES + 2

    async def test_a_client_that_leaves_in_the_middle_is_not_answered(self, client):
        app = client.http._transport.app
        events = [
            {"type": "http.request", "body": b'{"jsonrpc":', "more_body": True},
            {"type": "http.disconnect"},
        ]
        answered: list[Any] = []

        async def receive():
            return events.pop(0)

        async def send(event):
            answered.append(event)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1")],
        }
        await app(scope, receive, send)
        assert (answered, events) == ([], [])


class TestHostAndOrigin:
    @pytest.mark.parametrize(
        "host", ["127.0.0.1", "127.0.0.1:9", "localhost:8001", "[::1]:80", "LOCALHOST"]
    )
    async def test_this_machine_is_served_on_any_port(self, client, host):
        assert (await client.post("/mcp", PING, host=host)).json() == PONG

    @pytest.mark.parametrize(
        "host",
        ["evil.example", "127.0.0.1.evil.example", "localhost:x", "a@localhost", "", "localhost/x"],
    )
    async def test_a_foreign_host_is_misdirected(self, client, host):
        assert refusal(await client.post("/mcp", PING, host=host)) == (421, "misdirected_request")

    @pytest.mark.parametrize("origin", ["http://127.0.0.1:3000", "https://localhost"])
    async def test_a_page_of_a_served_host_may_ask_and_read(self, client, origin):
        response = await client.post("/mcp", PING, origin=origin)
        assert response.json() == PONG
        assert response.headers["access-control-allow-origin"] == origin
        assert "Origin" in response.headers["vary"]
        refused = await client.post("/mcp", PING, origin=origin, accept="text/html")
        assert refused.headers["access-control-allow-origin"] == origin

    @pytest.mark.parametrize(
        "origin", ["https://evil.example", "null", "", "localhost", "file://", "http://localhost/x"]
    )
    async def test_the_page_of_another_may_not(self, client, origin):
        response = await client.post("/mcp", PING, origin=origin)
        assert refusal(response) == (403, "forbidden_origin")
        assert "access-control-allow-origin" not in response.headers

    async def test_a_preflight_of_a_served_page_is_answered(self, client):
        headers = {
            "origin": "http://localhost:6274",
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,mcp-protocol-version",
        }
        response = await client.http.options("/mcp/lesson", headers=headers)
        assert (response.status_code, response.content) == (204, b"")
        assert response.headers["access-control-allow-methods"] == "POST"
        allowed = response.headers["access-control-allow-headers"]
        assert {"authorization", "mcp-protocol-version"} <= set(allowed.split(", "))
        refused = await client.http.options(
            "/mcp/lesson", headers={**headers, "origin": "https://evil.example"}
        )
        assert refusal(refused) == (403, "forbidden_origin")

    async def test_a_preflight_may_name_further_headers_but_none_that_break_a_line(self, client):
        for requested, is_allowed in (
            ("mcp-param-word", True),
            ("x:\ty", False),
            ("x" * 3000, False),
        ):
            headers = {
                "origin": "http://localhost:6274",
                "access-control-request-method": "POST",
                "access-control-request-headers": requested,
            }
            response = await client.http.options("/mcp/lesson", headers=headers)
            allowed = response.headers["access-control-allow-headers"]
            assert (requested in allowed) is is_allowed
            assert "mcp-protocol-version" in allowed

    async def test_the_page_of_an_allowed_origin_may_ask_and_its_host_is_not_served(
        self, client, settings
    ):
        from mcp_sidecar.transport import origins

        origin = "https://inspector.example.org:8443"
        settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(
            update={"allowed_origins": f"http://other.example, {origin}"}
        )
        origins.origin_is_served.cache_clear()
        try:
            answer = await client.post("/mcp", PING, origin=origin)
            assert answer.headers["access-control-allow-origin"] == origin
            for other in ("https://inspector.example.org", "http://inspector.example.org:8443"):
                refused = await client.post("/mcp", PING, origin=other)
                assert refusal(refused) == (403, "forbidden_origin")
            foreign = await client.post("/mcp", PING, host="inspector.example.org:8443")
            assert foreign.status_code == 421
        finally:
            origins.origin_is_served.cache_clear()

    async def test_the_public_host_is_served(self, client, settings):
        from mcp_sidecar.transport import origins

        environment = settings.ENVIRONMENT.model_copy(
            update={"public_url": "https://hub.example.org", "allowed_hosts": "sidecar"}
        )
        settings.ENVIRONMENT = environment
        origins.host_is_served.cache_clear()
        origins.origin_is_served.cache_clear()
        try:
            for host in ("hub.example.org", "hub.example.org:443", "sidecar:8001"):
                answer = await client.post("/mcp", PING, host=host)
                assert answer.json() == PONG
            origin = "https://hub.example.org"
            assert (await client.post("/mcp", PING, origin=origin)).json() == PONG
        finally:
            origins.host_is_served.cache_clear()
            origins.origin_is_served.cache_clear()


class TestVersionHeader:
    @pytest.mark.parametrize("header", ["2099-01-01", "nonsense", "", "2025-11-25x"])
    async def test_an_unknown_version_is_told_the_known_ones(self, client, header):
        for message in (PING, INITIALIZED, [PING]):
            response = await client.post("/mcp", message, mcp_protocol_version=header)
            error = response.json()["error"]
            assert (response.status_code, error["code"]) == (400, -32022)
            for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN):
                assert version in error["message"]

    async def test_beside_an_initialize_it_does_not_matter(self, client):
        hello = {
            "protocolVersion": "2099-01-01",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        answer = await client.ask("initialize", hello, version="2099-01-01")
        assert answer["result"]["protocolVersion"] == "2025-11-25"


class TestRequestId:
    async def test_a_sent_one_comes_back_and_a_new_one_is_made(self, client):
        given = await client.post("/mcp", PING, x_request_id="abc-1.2_3")
        assert given.headers["x-request-id"] == "abc-1.2_3"
        made = {(await client.post("/mcp", PING)).headers["x-request-id"] for _ in range(3)}
        assert len(made) == 3

    @pytest.mark.parametrize("unfit", ["a b", "x" * 300, "a\tb"])
    async def test_an_unfit_one_is_replaced(self, client, unfit):
        response = await client.post("/mcp", PING, x_request_id=unfit)
        assert response.headers["x-request-id"] != unfit

    async def test_refusals_carry_it_too(self, client):
        response = await client.post("/mcp", PING, x_request_id="abc", accept="text/html")
        assert response.headers["x-request-id"] == "abc"


class TestHealth:
    async def test_health_is_only_ok(self, client):
        response = await client.http.get("/health", headers={"host": "anything.example"})
        assert (response.status_code, response.text) == (200, "ok")

    async def test_ready_names_every_check(self, client):
        response = await client.http.get("/ready")
        checks = response.json()["checks"]
        assert checks.keys() == {"database", "migrations", "cache", "index", "endpoint"}
        assert (response.status_code, set(checks.values())) == (200, {"ok"})

    async def test_ready_is_not_while_the_public_host_would_be_refused(
        self, client, settings, monkeypatch
    ):
        from mcp_sidecar.transport import origins

        monkeypatch.setattr(origins, "served_hosts", lambda: frozenset({"127.0.0.1"}))
        origins.host_is_served.cache_clear()
        settings.PUBLIC_URL = "https://hub.example.org"
        refused = await client.post("/mcp", PING, host="hub.example.org")
        ready = await client.http.get("/ready")
        origins.host_is_served.cache_clear()
        assert refused.status_code == 421
        assert (ready.status_code, ready.json()["checks"]["endpoint"]) == (503, "failing")
