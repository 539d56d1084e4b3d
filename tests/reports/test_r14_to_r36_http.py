"""R14 to R36: addresses, hosts, headers, sizes and versions at the sidecar itself."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from mcp_sidecar.transport.application import Application
from tests import raw_http
from tests.mcp_sidecar.conftest import HANDSHAKE_VERSIONS, MODERN, envelope, refusal
from tests.mcp_sidecar.processes import running
from tests.messages import PING, PONG, call, hello
from web.core.limits import LIMITS

LINKS = 16

WRONG = {"authorization": "Bearer nonsense"}


async def test_r14_both_spellings_answer_alike_without_a_redirect(mcp):
    answers = [await mcp.post(path, PING) for path in ("/mcp", "/mcp/")]
    refused = [await mcp.post(path, PING, **WRONG) for path in ("/mcp", "/mcp/")]
    assert [answer.json() for answer in answers] == [PONG, PONG]
    assert [answer.status_code for answer in refused] == [401, 401]
    challenges = {
        answer.headers["www-authenticate"].replace('/mcp/"', '/mcp"') for answer in refused
    }
    assert len(challenges) == 1
    assert all("location" not in answer.headers for answer in (*answers, *refused))


@pytest.mark.parametrize("path", ["/mcp/nothing", "/mcp/mcp", "/mcp/repositories/none"])
async def test_r15_and_r20_an_unknown_address_below_mcp_is_a_404_in_json(mcp, path):
    response = await mcp.post(path, PING)
    assert (response.status_code, response.headers["content-type"]) == (404, "application/json")
    assert response.json()["error"] == "not_found"


def test_r20_exactly_these_addresses_are_served():
    assert set(Application().paths) == {
        "/health",
        "/ready",
        "/metrics",
        "/mcp/",
        "/mcp/operations/",
        "/mcp/lesson/",
        "/mcp/repositories/<name>/",
    }


async def test_r17_and_r18_the_public_host_is_served_and_a_foreign_one_never(migrated):
    with running(migrated, PORTOLAN_PUBLIC_URL="https://hub.example.org") as sidecar:
        async with httpx.AsyncClient(base_url=sidecar.url, trust_env=False, timeout=60) as http:

            async def status(**headers):
                return (
                    await http.post("/mcp", json=hello("2025-11-25"), headers=headers)
                ).status_code

            assert await status(host="hub.example.org") == 200
            assert await status(host="hub.example.org:443") == 200
            assert await status(host="evil.example") == 421
            assert await status(host="hub.example.org", origin="https://hub.example.org") == 200
            assert await status(host="hub.example.org", origin="https://evil.example") == 403
            assert await status(host="hub.example.org", origin="null") == 403
            ready = await http.get("/ready")
            assert (ready.status_code, ready.json()["checks"]["endpoint"]) == (200, "ok")


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/nope",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/mcp",
        "/mcp/.well-known/oauth-protected-resource",
        "/mcp/.well-known/openid-configuration",
    ],
)
async def test_r23_discovery_is_a_document_or_a_404_in_json(mcp, path):
    response = await mcp.http.get(path)
    assert (response.status_code, response.headers["content-type"]) == (404, "application/json")
    assert response.json()["error"] == "not_found"


async def test_r23_the_document_of_an_endpoint_is_the_real_one(mcp, settings):
    response = await mcp.http.get("/.well-known/oauth-protected-resource/mcp")
    assert response.json()["resource"] == f"{settings.PUBLIC_URL}/mcp"


async def test_r23_registering_at_the_sidecar_is_not_found(mcp):
    response = await mcp.post("/register", {})
    assert (response.status_code, response.json()["error"]) == (404, "not_found")


async def test_r25_a_tool_has_a_deadline_and_says_so_as_a_failure_of_its_own(migrated):
    with running(migrated, PORTOLAN_CALL_DEADLINE_SECONDS="0.5") as sidecar:
        async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
            url = f"{sidecar.url}/mcp/probes"
            response = await http.post(url, json=call("probe_wait", number=600))
            await http.post(url, json=call("probe_release"))
    result = response.json()["result"]
    assert (response.status_code, result["isError"]) == (200, True)
    assert "(code: deadline_exceeded)" in result["content"][0]["text"]


async def test_r26_the_limit_of_a_body_is_exact_and_named(mcp):
    body = json.dumps(PING)
    fits = await mcp.post("/mcp", body.ljust(LIMITS.max_body_bytes - 1024))
    assert fits.json() == PONG
    refused = await mcp.post("/mcp", body.ljust(LIMITS.max_body_bytes + 1024))
    assert refusal(refused) == (413, "too_large")
    assert str(LIMITS.max_body_bytes) in refused.json()["error"]["message"]


async def test_r31_workers_need_no_session(migrated):
    one_each = httpx.Limits(max_keepalive_connections=0)  # so that it may be any worker's
    with running(migrated, "--workers", "2") as sidecar:
        async with httpx.AsyncClient(
            base_url=sidecar.url, trust_env=False, timeout=60, limits=one_each
        ) as http:
            for number in range(60):
                response = await http.post("/mcp/lesson", json=call("add", a=number, b=1))
                assert response.json()["result"]["content"][0]["text"] == str(number + 1)
                assert "mcp-session-id" not in response.headers
        sidecar.terminate()
        assert await asyncio.to_thread(sidecar.exit_code) == 0


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        (None, 200),
        ("*/*", 200),
        ("application/json", 200),
        ("application/json, text/event-stream", 200),
        ("application/json;q=0.9, text/event-stream", 200),
        ("text/event-stream", 200),
        ("text/html", 406),
    ],
)
async def test_r33_the_accept_header(mcp, accept, status):
    mcp.http.headers.pop("accept")
    response = await mcp.post("/mcp", PING, **({} if accept is None else {"accept": accept}))
    assert response.status_code == status
    if status == 406:
        assert "application/json, text/event-stream" in response.json()["error"]["message"]


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "2099-01-01"])
async def test_r34_initialize_needs_no_header(mcp, version):
    response = await mcp.post("/mcp", hello(version))
    negotiated = response.json()["result"]["protocolVersion"]
    assert negotiated == (version if version in HANDSHAKE_VERSIONS else "2025-11-25")
    assert (await mcp.post("/mcp", PING)).json() == PONG


async def test_r34_a_nonsense_header_afterwards_lists_the_versions(mcp):
    response = await mcp.post("/mcp", PING, mcp_protocol_version="nonsense")
    assert response.status_code == 400
    for version in (*HANDSHAKE_VERSIONS, MODERN):
        assert version in response.json()["error"]["message"]


class TestR35:
    async def sent(self, mcp, **headers):
        params = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": envelope()}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return await mcp.post("/mcp/lesson", message, **headers)

    async def test_headers_that_mirror_the_body_are_served(self, mcp):
        response = await self.sent(
            mcp, mcp_protocol_version=MODERN, mcp_method="tools/call", mcp_name="add"
        )
        assert response.json()["result"]["content"][0]["text"] == "3"

    @pytest.mark.parametrize("name", ["shout", None])
    async def test_another_name_or_none_is_refused(self, mcp, name):
        more = {} if name is None else {"mcp_name": name}
        response = await self.sent(
            mcp, mcp_protocol_version=MODERN, mcp_method="tools/call", **more
        )
        assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)

    async def test_without_the_version_it_is_a_call_of_the_old_revision(self, mcp):
        response = await self.sent(mcp, mcp_method="tools/call", mcp_name="shout")
        assert response.json()["result"]["content"][0]["text"] == "3"

    async def test_discovery_lists_the_revision(self, mcp):
        answer = await mcp.ask("server/discover", {}, path="/mcp", version=MODERN)
        assert MODERN in answer["result"]["supportedVersions"]

    async def test_what_a_caller_may_call_is_decided_by_the_body(self, mcp):
        params = {"name": "probe_github", "_meta": envelope()}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        response = await mcp.post(
            "/mcp/probes",
            message,
            mcp_protocol_version=MODERN,
            mcp_method="tools/call",
            mcp_name="probe_github",
        )
        assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


async def test_r36_refused_requests_leave_neither_tasks_nor_memory(migrated):
    with running(migrated) as sidecar:

        def resident_kilobytes():
            status = Path(f"/proc/{sidecar.pid}/status").read_text()
            (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
            return int(line.split()[1])

        host = {"host": "127.0.0.1"}
        kinds = {
            raw_http.post(PING, accept="text/html"): 406,
            raw_http.request("GET", "/mcp", host): 405,
            raw_http.request("DELETE", "/mcp", host): 405,
            raw_http.post(PING): 200,
        }

        async def send_all(times):
            link = raw_http.Link(sidecar.port)
            for _ in range(times):
                assert [await link.send(data) for data in kinds] == [*kinds.values()]
            await link.close()

        async def send_many(count):
            await asyncio.gather(*(send_all(count // LINKS // len(kinds)) for _ in range(LINKS)))

        while (
            await raw_http.send_once(sidecar.port, raw_http.request("GET", "/ready", host)) != 200
        ):
            pass
        # What waits to be recorded while it is sent takes its most memory once; a leak goes on.
        for _ in range(20):
            before = resident_kilobytes()
            await send_many(2000)
            if resident_kilobytes() - before < 2 * 1024:
                break
        else:
            raise AssertionError("each 2000 requests take 2 MiB more")
