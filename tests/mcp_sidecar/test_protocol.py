"""The protocol at every version: a table of what is sent and what comes back."""

import json
from typing import Any

import pytest

from mcp_sidecar.version import VERSION
from tests.mcp_sidecar.conftest import HANDSHAKE_VERSIONS, MODERN, envelope
from tests.messages import PING
from web.core.limits import LIMITS

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}
DEEP = LIMITS.max_json_depth


def nested(levels: int) -> str:
    """A ping whose JSON has that many levels; the message and its params are two."""
    inner = "[" * (levels - 2) + "]" * (levels - 2)
    return f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{inner or 1}}}}}'


# name: (body, status, error code, id of the answer)
BAD_MESSAGES: dict[str, tuple[Any, int, int, Any]] = {
    "empty body": (b"", 400, -32700, None),
    "blank body": (b"  \n", 400, -32700, None),
    "no JSON": (b"{bad", 400, -32700, None),
    "two values": (b"{} {}", 400, -32700, None),
    "byte order mark": (b"\xef\xbb\xbf" + json.dumps(PING).encode(), 400, -32700, None),
    "UTF-16": (json.dumps(PING).encode("utf-16"), 400, -32700, None),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', 400, -32700, None),
    "lone surrogate": (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', 400, -32700, None),
    "NaN": (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', 400, -32700, None),
    "number out of range": (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', 400, -32700, None),
    "control character": (b'{"jsonrpc":"2.0","id":1,"method":"a\x01"}', 400, -32700, None),
    "number": (b"5", 400, -32600, None),
    "text": (b'"ping"', 400, -32600, None),
    "null": (b"null", 400, -32600, None),
    "empty object": ({}, 400, -32600, None),
    "id null": ({**PING, "id": None}, 400, -32600, None),
    "id 1.5": ({**PING, "id": 1.5}, 400, -32600, None),
    "id 1.0": ({**PING, "id": 1.0}, 400, -32600, None),
    "id true": ({**PING, "id": True}, 400, -32600, None),
    "id list": ({**PING, "id": [1]}, 400, -32600, None),
    "no jsonrpc": ({"id": 7, "method": "ping"}, 400, -32600, 7),
    "jsonrpc 1.0": ({**PING, "id": "x", "jsonrpc": "1.0"}, 400, -32600, "x"),
    "jsonrpc 2": ({**PING, "jsonrpc": 2}, 400, -32600, 1),
    "no method": ({"jsonrpc": "2.0", "id": 8}, 400, -32600, 8),
    "method number": ({**PING, "method": 5}, 400, -32600, 1),
    "method null": ({**PING, "method": None}, 400, -32600, 1),
    "params list": ({**PING, "params": [1]}, 400, -32600, 1),
    "params text": ({**PING, "params": "x"}, 400, -32600, 1),
    "too deep": (nested(DEEP + 1), 400, -32600, 1),
    "far too deep": (b"[" * 100_000 + b"]" * 100_000, 400, -32600, None),
}


@pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS, MODERN])
@pytest.mark.parametrize("case", BAD_MESSAGES)
async def test_a_message_that_is_none_is_refused_with_its_code_and_id(client, version, case):
    body, status, code, identifier = BAD_MESSAGES[case]
    headers = {} if version is None else {"mcp_protocol_version": version}
    response = await client.post("/mcp/lesson/", body, **headers)
    answer = response.json()
    assert (response.status_code, answer["error"]["code"]) == (status, code)
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == identifier
    assert response.headers["content-type"] == "application/json"
    assert "pydantic" not in response.text


@pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS, MODERN])
async def test_half_a_character_in_an_argument_is_a_problem_of_that_argument(client, version):
    result = await client.call("probe_echo", {"word": "cut \ud83d"}, version=version)
    assert result["isError"] is True
    first = result["content"][0]["text"].splitlines()[0]
    reason = "word: Text must be valid Unicode, without lone surrogates"
    assert first == f"invalid arguments for probe_echo: {reason}"
    batch = [{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "probe_echo", "arguments": {"word": "\ud83d"}}}]  # fmt: skip
    assert (await client.post("/mcp/probes", batch)).json()[0]["result"]["isError"] is True


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"\\ud800":1}}',
        b'{"jsonrpc":"2.0","id":1,"method":"\\ud800","params":{"arguments":{}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":"\\ud800","b":NaN}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"a":"\\ud800","b":1e999}}}',
        b'["\\ud800"]',
    ],
)
async def test_half_a_character_anywhere_else_is_a_parse_error(client, body):
    response = await client.post("/mcp/probes", body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)


@pytest.mark.parametrize("version", [None, "2025-11-25", MODERN])
async def test_an_error_repeats_little_of_what_was_sent(client, version):
    for method, params in (("x" * 50_000, {}), ("tools/call", {"name": "x" * 50_000})):
        answer = await client.ask(method, params, version=version)
        assert answer["error"]["code"] == -32601
        assert len(json.dumps(answer)) < 1_000


async def test_json_may_be_nested_to_the_limit(client):
    response = await client.post("/mcp/lesson/", nested(DEEP))
    assert response.json()["error"]["code"] == -32602  # a list is no _meta; its depth is fine


@pytest.mark.parametrize("identifier", [0, -1, 2**63, 10**30, "", "ü\u2028\n", "1"])
async def test_an_id_comes_back_as_it_was_sent(client, identifier):
    answer = await client.ask("ping", id=identifier, path="/mcp/lesson")
    assert answer == {"jsonrpc": "2.0", "id": identifier, "result": {}}


async def test_of_a_key_given_twice_the_last_counts(client):
    body = b'{"jsonrpc":"2.0","id":1,"method":"nope","method":"ping"}'
    assert (await client.post("/mcp/lesson/", body)).json()["result"] == {}


@pytest.mark.parametrize("path", ["/mcp/", "/mcp/lesson/", "/mcp/probes/"])
@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
async def test_initialize_agrees_on_every_handshake_version(client, path, version):
    hello = {**HELLO, "protocolVersion": version}
    result = (await client.ask("initialize", hello, path=path, version=None))["result"]
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["serverInfo"]["version"] == VERSION
    assert result["serverInfo"].keys() == {
        "name",
        "title",
        "version",
        "description",
        "websiteUrl",
    }
    assert result["instructions"]


@pytest.mark.parametrize("offer", ["2099-01-01", "2026-07-28", "", "newest"])
async def test_an_unknown_offer_is_answered_with_the_newest_handshake_version(client, offer):
    hello = {**HELLO, "protocolVersion": offer}
    answer = await client.ask("initialize", hello, version=None)
    assert answer["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("params", [None, {}])
async def test_only_the_lesson_shakes_hands_without_params(client, params):
    lesson = await client.ask("initialize", params, path="/mcp/lesson", version=None)
    assert lesson["result"]["protocolVersion"] == "2024-11-05"
    for path in ("/mcp/", "/mcp/probes"):
        answer = await client.ask("initialize", params, path=path, version=None)
        assert answer["error"]["code"] == -32602


BAD_HANDSHAKES: dict[str, Any] = {
    "no version": {"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    "version number": {**HELLO, "protocolVersion": 5},
    "no capabilities": {"protocolVersion": "2025-11-25", "clientInfo": HELLO["clientInfo"]},
    "client without version": {**HELLO, "clientInfo": {"name": "t"}},
    "capabilities list": {**HELLO, "capabilities": []},
    "roots number": {**HELLO, "capabilities": {"roots": 5}},
}


@pytest.mark.parametrize("case", BAD_HANDSHAKES)
async def test_a_handshake_with_bad_params_is_refused(client, case):
    answer = await client.ask("initialize", BAD_HANDSHAKES[case], path="/mcp", version=None)
    assert answer["error"]["code"] == -32602
    assert "pydantic" not in json.dumps(answer)


RICH_HANDSHAKES: dict[str, Any] = {
    "capabilities": {
        **HELLO,
        "capabilities": {
            "roots": {"listChanged": True},
            "sampling": {},
            "elicitation": {"form": {}},
            "experimental": {"x": {"y": 5}},
        },
    },
    "icons": {
        **HELLO,
        "clientInfo": {"name": "t", "version": "1", "icons": [{"src": "https://x/y.png"}]},
    },
    "extra": {**HELLO, "_meta": {"progressToken": 1}, "more": True},
}


@pytest.mark.parametrize("case", RICH_HANDSHAKES)
async def test_a_handshake_may_say_more_of_the_client(client, case):
    answer = await client.ask("initialize", RICH_HANDSHAKES[case], path="/mcp", version=None)
    assert answer["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS])
@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("nope", None, -32601),
        ("tools/nope", {}, -32601),
        ("prompts/list", None, -32601),
        ("resources/list", None, -32601),
        ("logging/setLevel", {"level": "info"}, -32601),
        ("completion/complete", {}, -32601),
        ("server/discover", None, -32601),
        ("notifications/initialized", None, -32601),
        ("tools/call", {"name": "nope"}, -32601),
        ("tools/call", None, -32602),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": 5}, -32602),
        ("tools/call", {"name": "add", "arguments": [1]}, -32602),
        ("tools/call", {"name": "add", "arguments": "x"}, -32602),
        ("tools/list", {"cursor": 5}, -32602),
        ("ping", {"_meta": 5}, -32602),
    ],
)
async def test_unknown_methods_and_bad_params_have_their_codes(
    client, version, method, params, code
):
    response = await client.ask(method, params, path="/mcp/lesson/", version=version)
    assert response["error"]["code"] == code, response
    assert response["id"] == 1


async def test_params_of_a_call_may_be_null_or_absent(client):
    for params in (
        {"name": "probe_echo"},
        {"name": "probe_echo", "arguments": None},
        {"name": "probe_echo", "arguments": {}},
    ):
        answer = await client.ask("tools/call", params)
        assert answer["result"] == {"content": [{"type": "text", "text": ""}], "isError": False}
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None}
    assert (await client.post("/mcp/", body)).json()["result"] == {}


NOTIFICATIONS: dict[str, Any] = {
    "initialized": {"method": "notifications/initialized"},
    "cancelled": {"method": "notifications/cancelled", "params": {"requestId": 1}},
    "progress": {
        "method": "notifications/progress",
        "params": {"progressToken": 1, "progress": 0.5},
    },
    "unknown": {"method": "notifications/nope"},
    "a request without an id": {"method": "tools/call", "params": {"name": "probe_echo"}},
    "an initialize without an id": {"method": "initialize", "params": HELLO},
    "params of a wrong kind": {"method": "notifications/cancelled", "params": [1]},
    "params that miss something": {"method": "notifications/progress", "params": {}},
}


@pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS, MODERN])
@pytest.mark.parametrize("case", NOTIFICATIONS)
async def test_a_notification_is_accepted_without_a_body_and_changes_nothing(
    client, state, version, case
):
    headers = {} if version is None else {"mcp_protocol_version": version}
    message = {"jsonrpc": "2.0", **NOTIFICATIONS[case]}
    response = await client.post("/mcp/probes/", message, **headers)
    assert (response.status_code, response.content) == (202, b"")
    assert state.calls == []


@pytest.mark.parametrize(
    "posted",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}},
    ],
)
async def test_a_posted_response_is_ignored_and_at_2026_07_28_refused(client, posted):
    response = await client.post("/mcp/", posted)
    assert (response.status_code, response.content) == (202, b"")
    response = await client.post("/mcp/", posted, mcp_protocol_version=MODERN)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


async def test_discovery_at_2026_07_28_names_the_server_and_its_tools(client):
    result = (await client.ask("server/discover", {}, path="/mcp/lesson", version=MODERN))["result"]
    assert result["supportedVersions"] == [MODERN]
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["resultType"] == "complete"
    server = result["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert (server["name"], server["version"]) == ("portolan-lesson", VERSION)


async def test_lists_at_2026_07_28_say_how_long_they_may_be_kept(client):
    result = (await client.ask("tools/list", {}, path="/mcp/lesson", version=MODERN))["result"]
    assert (result["ttlMs"], result["cacheScope"]) == (60_000, "private")


@pytest.mark.parametrize("method", ["ping", "initialize", "nope", "prompts/list"])
async def test_what_2026_07_28_does_not_know_is_not_found(client, method):
    meta = {"_meta": envelope()}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": meta}
    response = await client.post(
        "/mcp/lesson", message, mcp_protocol_version=MODERN, mcp_method=method
    )
    assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


async def test_the_lists_of_tools_differ_between_servers_and_not_between_versions(client):
    lists = {}
    for path in ("/mcp/", "/mcp/lesson/", "/mcp/probes/"):
        for version in (None, *HANDSHAKE_VERSIONS, MODERN):
            answer = await client.ask("tools/list", path=path, version=version)
            lists.setdefault(path, []).append(answer["result"]["tools"])
    assert [tool["name"] for tool in lists["/mcp/lesson/"][0]] == ["add", "shout"]
    for same in lists.values():
        assert all(tools == same[0] for tools in same)
        assert all(tool.keys().isdisjoint({"_meta", "execution"}) for tool in same[0])
