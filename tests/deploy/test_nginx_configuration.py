"""What nginx's configuration does, with plain servers behind it that show what reaches them."""

import json
import re
import socket
import subprocess
from contextlib import closing, contextmanager
from dataclasses import replace
from http.client import HTTPConnection, HTTPResponse

import httpx
import pytest

from deploy.proxy import Proxy, filled, nginx_command, write_configuration
from tests.deploy.plain_servers import EchoServer, NameServer, SilentServer
from tests.deploy.stack import Process, answers, nginx_or_fail
from tests.mcp_sidecar.conftest import refusal
from tests.messages import PING
from tests.services import free_port
from web.core.limits import LIMITS

pytestmark = pytest.mark.services

CONTAINERS = {
    "web": "web.internal:8000",
    "sidecar": "sidecar.internal:8001",
    "resolver": "resolver 127.0.0.11 valid=5s ipv6=off;",
    "scheme": "https",
}
MCP_PATHS = ("/mcp", "/mcp/", "/mcp/work/", "/.well-known/oauth-protected-resource/mcp")


@pytest.fixture
def proxy(tmp_path):
    """An nginx for two servers that do not run yet."""
    return Proxy(
        folder=tmp_path / "nginx",
        log_folder=tmp_path / "log",
        port=free_port(),
        web_port=free_port(),
        sidecar_port=free_port(),
        max_body_bytes=LIMITS.max_body_bytes,
        max_webhook_bytes=LIMITS.max_webhook_bytes,
    )


@contextmanager
def nginx_for(proxy, *, changed=("", "")):
    """Run nginx; `changed` replaces one text of its configuration by another."""
    for path in (write_configuration(proxy), proxy.folder / "sidecar.conf"):
        path.write_text(path.read_text().replace(*changed))
    url = f"http://127.0.0.1:{proxy.port}"
    process = Process(
        nginx_command(nginx_or_fail(), proxy),
        log=proxy.folder / "output",
        answers=lambda: answers(f"{url}/"),
    )
    process.start()
    try:
        with httpx.Client(base_url=url, trust_env=False, timeout=30) as client:
            yield client
    finally:
        process.stop()


@pytest.mark.parametrize("changes", [{}, CONTAINERS], ids=["one-machine", "containers"])
def test_nginx_accepts_the_configuration_without_a_warning(proxy, changes):
    changed = replace(proxy, **changes)
    write_configuration(changed)
    command = [*nginx_command(nginx_or_fail(), changed), "-t"]
    tested = subprocess.run(command, capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    assert "[warn]" not in tested.stderr


def test_a_placeholder_without_a_value_is_an_error():
    with pytest.raises(KeyError, match="PORTOLAN_NGINX_LISTEN"):
        filled("listen ${PORTOLAN_NGINX_LISTEN};", {})


def test_r24_every_location_of_the_sidecar_passes_answers_on_unbuffered(proxy):
    write_configuration(proxy)
    command = [*nginx_command(nginx_or_fail(), proxy), "-T"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    main, shared, *_refusals = listed.split("# configuration file ")[1:]
    for location in ("= /mcp", "= /mcp/", "^~ /mcp/", "^~ /.well-known/oauth-protected-resource"):
        block = main.split(f"location {location} {{")[1].split("}")[0]
        assert block.split() == ["include", "sidecar.conf;"]
    for directive in ("proxy_buffering off;", "proxy_http_version 1.1;"):
        assert directive in shared
    assert 'proxy_set_header Connection "";' in main
    assert "proxy_set_header" not in shared  # one here would drop all of those above
    assert not re.search(r"\$(args|request|request_uri|query_string|http_authorization)\b", listed)


def test_the_sidecars_addresses_reach_it_as_they_came_and_the_rest_the_web(proxy):
    with (
        EchoServer(proxy.sidecar_port) as sidecar,
        EchoServer(proxy.web_port) as web,
        nginx_for(proxy) as client,
    ):
        paths = [*MCP_PATHS, "/mcp/repositories/a%2Fb/?x=1", "/mcp?y=%20"]
        for path in paths:
            assert client.post(path, json=PING).status_code == 200
        assert [request.path for request in sidecar.requests] == paths
        web.requests.clear()
        others = ["/", "/mcpx", "/health", "/ready", "/metrics", "/mcp/../metrics", "/MCP/"]
        others += ["/.well-known/oauth-authorization-server", "/mcp/%2e%2e/health"]
        for path in others:
            connection = HTTPConnection("127.0.0.1", proxy.port)  # sends a path as it is
            with closing(connection):
                connection.request("GET", path)
                assert connection.getresponse().status == 200
        assert [request.path for request in web.requests] == others
        assert len(sidecar.requests) == len(paths)


def test_headers_of_the_protocol_pass_unchanged_and_those_of_proxies_are_our_own(proxy):
    sent = {
        "Host": f"hub.example.org:{proxy.port}",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "=?base64?w6Q=?=",
        "Mcp-Param-Repository": "a, b; c",
        "Mcp-Session-Id": "stale",
        "Authorization": "Bearer x",
        "X-GitHub-Token": "y",
        "Accept": "application/json, text/event-stream",
    }
    forged = {
        "X-Forwarded-For": "203.0.113.9",
        "X-Forwarded-Proto": "gopher",
        "X-Forwarded-Host": "evil.example",
        "Forwarded": "for=203.0.113.9",
        "X-Request-ID": "forged",
    }
    with EchoServer(proxy.sidecar_port) as sidecar, nginx_for(proxy) as client:
        client.post("/mcp/", json=PING, headers=sent | forged)
        got = sidecar.requests[0].headers
    assert {name: got[name] for name in sent} == sent
    assert got["X-Forwarded-For"] == "127.0.0.1"
    assert got["X-Forwarded-Proto"] == "http"
    assert re.fullmatch("[0-9a-f]{32}", got["X-Request-ID"])
    for name in ("X-Forwarded-Host", "Forwarded", "Connection"):
        assert name not in got


def test_a_request_without_accept_reaches_the_sidecar_without_one(proxy):
    with EchoServer(proxy.sidecar_port) as sidecar, nginx_for(proxy) as client:
        request = client.build_request("POST", "/mcp/", json=PING)
        del request.headers["Accept"]
        assert client.send(request).status_code == 200
        assert "Accept" not in sidecar.requests[0].headers


def test_connections_to_the_sidecar_are_kept(proxy):
    with EchoServer(proxy.sidecar_port) as sidecar, nginx_for(proxy, changed=("auto", "1")):
        for _ in range(5):
            httpx.post(
                f"http://127.0.0.1:{proxy.port}/mcp/", json=PING, trust_env=False, timeout=60
            )
        assert len(sidecar.requests) == 5
        assert len({request.client_port for request in sidecar.requests}) == 1


def test_r25_a_sidecar_that_never_answers_is_a_json_504(proxy):
    with (
        SilentServer(proxy.sidecar_port),
        nginx_for(proxy, changed=("proxy_read_timeout 60s", "proxy_read_timeout 1s")) as client,
    ):
        response = client.post("/mcp/", json=PING)
    assert refusal(response) == (504, "unavailable")
    assert int(response.headers["retry-after"]) > 0


def test_a_redirect_passes_that_quotes_the_longest_address_there_may_be(proxy):
    state = "%2526" * 1_500  # sent as 7,500 bytes
    leads_to = f"/accounts/sign-in/?next=/o/authorize/?state={state.replace('%', '%25')}"
    with EchoServer(proxy.web_port) as web, nginx_for(proxy) as client:
        web.answer(302, b"", {"Location": leads_to})
        response = client.get(f"/o/authorize/?state={state}")
    assert (response.status_code, response.headers["location"]) == (302, leads_to)


@pytest.mark.parametrize("status", [400, 413, 429, 502, 503, 504])
def test_an_error_of_the_sidecar_itself_passes_as_it_is(proxy, status):
    with EchoServer(proxy.sidecar_port) as sidecar, nginx_for(proxy) as client:
        sidecar.answer(status, b'{"error":"its own"}', {"Retry-After": "17"})
        response = client.post("/mcp/", json=PING)
    assert response.status_code == status
    assert response.json() == {"error": "its own"}
    assert response.headers["retry-after"] == "17"


@pytest.mark.parametrize(
    ("request_line", "headers", "status"),
    [
        ("POST /mcp/ HTTP/1.1", {"X-Long": "x" * 40_000}, 400),
        (f"POST /mcp/?{'x' * 40_000} HTTP/1.1", {}, 414),
        ("POST /mcp/%00 HTTP/1.1", {}, 400),
        ("nonsense", {}, 400),
        ("TRACE /mcp/ HTTP/1.1", {}, 405),
        ("POST /mcp/ HTTP/9.1", {}, 505),
        ("POST /mcp/ HTTP/1.1", {"Content-Length": "many"}, 400),
        ("POST /mcp/ HTTP/1.1", {"Transfer-Encoding": "nonsense"}, 501),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_request_that_nginx_cannot_read_is_refused_in_json(proxy, request_line, headers, status):
    lines = [request_line, "Host: localhost", *(f"{name}: {headers[name]}" for name in headers)]
    with nginx_for(proxy), socket.create_connection(("127.0.0.1", proxy.port)) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        response = HTTPResponse(connection)
        response.begin()
        assert response.status == status
        assert response.headers["content-type"] == "application/json"
        assert json.loads(response.read())["error"] == "invalid_input"
        response.close()


def test_a_browser_is_told_why_its_message_fails_while_the_sidecar_is_away(proxy):
    origin = {"Origin": "https://inspector.example"}
    wanted = "content-type, authorization, mcp-param-word"
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": wanted}
    with nginx_for(proxy) as client:
        for path in MCP_PATHS:
            preflight = client.options(path, headers=origin | asked)
            assert (preflight.status_code, preflight.content) == (204, b"")
            assert preflight.headers["access-control-allow-headers"] == wanted
            told = client.post(path, json=PING, headers=origin)
            assert refusal(told) == (502, "unavailable")
            assert told.json()["error"]["data"]["request_id"] == told.headers["x-request-id"]
            large = client.post(path, content=b"x" * (LIMITS.max_body_bytes + 1), headers=origin)
            for answer in (preflight, told, large):
                assert answer.headers["access-control-allow-origin"] == "*"
                assert "x-request-id" in answer.headers["access-control-expose-headers"]


def test_while_the_web_process_is_away_each_kind_of_caller_is_told_in_its_form(proxy):
    with nginx_for(proxy) as client:
        for path in ("/.well-known/oauth-authorization-server/o", "/o/token/", "/o/register/"):
            told = client.post(path, headers={"Origin": "https://inspector.example"})
            assert (told.status_code, told.json()["error"]) == (502, "temporarily_unavailable")
            assert told.headers["access-control-allow-origin"] == "*"
            assert int(told.headers["retry-after"]) > 0
        page = client.get("/o/authorize/")
        assert (page.status_code, page.headers["retry-after"]) == (502, "5")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "Load this page anew" in page.text
        assert "nginx" not in page.text
        event = client.post("/webhooks/github/", json={})
        assert (event.status_code, event.json()["error"]) == (503, "unavailable")
        assert int(event.headers["retry-after"]) > 0


def test_r26_a_body_over_the_limit_never_reaches_the_sidecar(proxy):
    with EchoServer(proxy.sidecar_port) as sidecar, nginx_for(proxy) as client:
        for path in MCP_PATHS:
            response = client.post(path, content=b"x" * (LIMITS.max_body_bytes + 1))
            assert response.status_code == 413
            assert str(LIMITS.max_body_bytes) in response.json()["error"]["message"]
        assert sidecar.requests == []
        assert client.post("/mcp/", content=b"x" * LIMITS.max_body_bytes).status_code == 200


def test_r27_a_sidecar_at_a_new_address_is_found_without_touching_nginx(proxy):
    port = proxy.sidecar_port
    with NameServer({"sidecar.internal": "127.0.0.2", "web.internal": "127.0.0.2"}) as names:
        changed = replace(
            proxy,
            web=f"web.internal:{proxy.web_port}",
            sidecar=f"sidecar.internal:{port}",
            resolver=f"resolver 127.0.0.1:{names.port} valid=1s ipv6=off;",
        )
        with nginx_for(changed) as client:
            with EchoServer(port, host="127.0.0.2") as old:
                assert client.post("/mcp/?a=1", json=PING).status_code == 200
                assert old.requests[0].path == "/mcp/?a=1"
            with EchoServer(port, host="127.0.0.3") as new:
                assert client.post("/mcp/", json=PING).status_code == 502
                names.addresses["sidecar.internal"] = "127.0.0.3"
                names.wait_until_asked("sidecar.internal", by=lambda: client.post("/mcp/"))
                assert client.post("/mcp/", json=PING).status_code == 200
                assert new.requests


def test_nginx_starts_while_the_names_behind_it_do_not_exist_yet(proxy):
    with NameServer({}) as names:
        changed = replace(
            proxy,
            sidecar="sidecar.internal:8001",
            web="web.internal:8000",
            resolver=f"resolver 127.0.0.1:{names.port} valid=1s ipv6=off;",
        )
        with nginx_for(changed) as client:
            response = client.post("/mcp/", json=PING)
            assert refusal(response) == (502, "unavailable")
