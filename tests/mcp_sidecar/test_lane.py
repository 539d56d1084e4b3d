"""The short lane answers byte for byte what the SDK and FastMCP answer."""

import json
import re
from typing import Any

import pytest
from mcp.shared import inbound
from mcp_types import jsonrpc, methods
from mcp_types import version as sdk_version

from mcp_sidecar import errors
from mcp_sidecar.servers.binding import fastmcp_server
from mcp_sidecar.servers.lesson import LESSON
from mcp_sidecar.transport import protocol
from tests.mcp_sidecar import probes
from tests.mcp_sidecar.conftest import (
    HANDSHAKE_VERSIONS,
    MODERN,
    Client,
    application,
    envelope,
    http_client,
)

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
    "clientInfo": {"name": "ü", "version": "1", "title": "T"},
}
TRAFFIC: list[tuple[str, Any]] = [
    ("initialize", HELLO),
    ("initialize", {**HELLO, "protocolVersion": "2099-01-01"}),
    ("initialize", {**HELLO, "capabilities": {"experimental": {"a": {"b": 1}}}}),
    ("initialize", {**HELLO, "capabilities": {"roots": {"listChanged": 5}}}),
    ("initialize", {**HELLO, "clientInfo": {"name": "x"}}),
    ("initialize", {**HELLO, "_meta": {"a": 1}}),
    ("initialize", {}),
    ("ping", None),
    ("ping", {}),
    ("ping", {"_meta": {"progressToken": "x"}}),
    ("ping", {"_meta": {"progressToken": 1.5}}),
    ("ping", {"_meta": None}),
    ("ping", {"more": 1}),
    ("tools/list", None),
    ("tools/list", {}),
    ("tools/list", {"cursor": "x"}),
    ("tools/list", {"cursor": None}),
    ("tools/list", {"_meta": {"progressToken": 1, "own": [1]}}),
    ("tools/call", {"name": "probe_echo", "arguments": {"word": 'a"\\\n\t\x00é€😀\u2028\x7f'}}),
    ("tools/call", {"name": "probe_echo", "arguments": {"word": "x"}, "_meta": {"a": {}}}),
    ("tools/call", {"name": "probe_echo", "arguments": None}),
    ("tools/call", {"name": "probe_echo", "arguments": {"wrod": 1, "word": [1]}}),
    ("tools/call", {"name": "probe_echo", "arguments": {"repository": "nope"}}),
    ("tools/call", {"name": "probe_echo", "arguments": {"repository": "alpha"}}),
    ("tools/call", {"name": "probe_row", "arguments": {"word": "é</x>"}}),
    ("tools/call", {"name": "probe_large", "arguments": {"number": "500"}}),
    ("tools/call", {"name": "probe_fail", "arguments": {"word": "not_found"}}),
    ("tools/call", {"name": "probe_fail", "arguments": {"word": "unavailable"}}),
    ("tools/call", {"name": "probe_fail", "arguments": {"word": "assertion"}}),
    ("tools/call", {"name": "probe_github", "arguments": {}}),
    ("tools/call", {"name": "nope", "arguments": {}}),
    ("tools/call", {"name": "nope", "arguments": {}, "task": {}}),
    ("tools/call", {"name": "probe_echo", "_meta": {"fastmcp": {"version": "9"}}}),
    ("tools/call", {"name": 1}),
    ("tools/call", {}),
    ("prompts/list", {}),
    ("resources/read", {"uri": "x://y"}),
    ("server/discover", {}),
    ("nope", {"a": 1}),
]
PATHS = ("/mcp/probes/", "/mcp/probes/repositories/alpha", "/mcp/lesson")
# A request id and an instant are new in every answer.
_NEW = re.compile(rb"[0-9a-f]{32}")


@pytest.fixture
async def both(transactional_db, repositories, state):
    """A client of a sidecar with the lane, and of one without."""
    fast, slow = application(), application(has_lane=False)
    async with (
        fast.running(),
        slow.running(),
        http_client(fast) as fast_http,
        http_client(slow) as slow_http,
    ):
        yield Client(fast_http), Client(slow_http)


def messages(
    method: str, params: Any, version: str | None
) -> tuple[dict[str, Any], dict[str, str]]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": "ä", "method": method}
    headers = {} if version is None else {"mcp_protocol_version": version}
    if version == MODERN:
        params = {**(params or {}), "_meta": envelope()}
        headers |= {"mcp_method": method}
        if isinstance(params.get("name"), str):
            headers |= {"mcp_name": params["name"]}
    if params is not None:
        message["params"] = params
    return message, headers


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("version", [None, *HANDSHAKE_VERSIONS, MODERN])
async def test_both_ways_answer_byte_for_byte_alike(both, path, version):
    for method, params in TRAFFIC:
        message, headers = messages(method, params, version)
        for more in ({}, {"authorization": "Bearer ghp_0123456789abcdefghij"}):
            # The second time the lane answers from what it remembers.
            answers = [
                await client.post(path, message, **headers, **more) for client in (*both, *both)
            ]
            assert len({answer.status_code for answer in answers}) == 1, (method, params)
            bodies = {_NEW.sub(b"<new>", answer.content) for answer in answers}
            assert len(bodies) == 1, (method, params, bodies)


CALL = {"name": "probe_echo", "arguments": {"word": "x"}}
MODERN_CASES: dict[str, tuple[str, Any, dict[str, Any], list[tuple[str, str]]]] = {
    "agreeing": (
        "tools/call",
        CALL,
        {},
        [("mcp-method", "tools/call"), ("mcp-name", "probe_echo")],
    ),
    "other name": ("tools/call", CALL, {}, [("mcp-method", "tools/call"), ("mcp-name", "x")]),
    "no name": ("tools/call", CALL, {}, [("mcp-method", "tools/call")]),
    "no method": ("tools/list", {}, {}, []),
    "other method": ("tools/list", {}, {}, [("mcp-method", "tools/call")]),
    "method twice": ("tools/list", {}, {}, [("mcp-method", "tools/list")] * 2),
    "name twice": (
        "tools/call",
        CALL,
        {},
        [("mcp-method", "tools/call"), ("mcp-name", "probe_echo"), ("mcp-name", "probe_echo")],
    ),
    "encoded name": (
        "tools/call",
        CALL,
        {},
        [("mcp-method", "tools/call"), ("mcp-name", "=?base64?cHJvYmVfZWNobw==?=")],
    ),
    "a mirrored argument": (
        "tools/call",
        CALL,
        {},
        [("mcp-method", "tools/call"), ("mcp-name", "probe_echo"), ("mcp-param-word", "x")],
    ),
    "a name beside a list": (
        "tools/list",
        {},
        {},
        [("mcp-method", "tools/list"), ("mcp-name", "x")],
    ),
    "a session": ("tools/list", {}, {}, [("mcp-method", "tools/list"), ("mcp-session-id", "x")]),
    "no capabilities": (
        "tools/list",
        {},
        {"io.modelcontextprotocol/clientCapabilities": None},
        [("mcp-method", "tools/list")],
    ),
    "bad capabilities": (
        "tools/list",
        {},
        {"io.modelcontextprotocol/clientCapabilities": {"roots": 5}},
        [("mcp-method", "tools/list")],
    ),
    "bad client": (
        "tools/list",
        {},
        {"io.modelcontextprotocol/clientInfo": {"name": 5}},
        [("mcp-method", "tools/list")],
    ),
    "other version": (
        "tools/list",
        {},
        {"io.modelcontextprotocol/protocolVersion": "2025-11-25"},
        [("mcp-method", "tools/list")],
    ),
    "log level": (
        "server/discover",
        {},
        {"io.modelcontextprotocol/logLevel": "info"},
        [("mcp-method", "server/discover")],
    ),
    "own keys": (
        "server/discover",
        {},
        {"own": 1, "progressToken": 5},
        [("mcp-method", "server/discover")],
    ),
    "bad token": (
        "server/discover",
        {},
        {"progressToken": [5]},
        [("mcp-method", "server/discover")],
    ),
    "more params": ("server/discover", {"x": 1}, {}, [("mcp-method", "server/discover")]),
    "a cursor": ("tools/list", {"cursor": "x"}, {}, [("mcp-method", "tools/list")]),
}


@pytest.mark.parametrize("case", MODERN_CASES)
async def test_envelopes_and_headers_are_judged_alike(both, case):
    method, params, meta, headers = MODERN_CASES[case]
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        "params": {**params, "_meta": {**envelope(), **meta}},
    }
    answers = [
        await client.http.post(
            PATHS[0],
            content=json.dumps(message),
            headers=[("mcp-protocol-version", MODERN), *headers],
        )
        for client in both
    ]
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].content == answers[1].content


async def test_a_batch_is_answered_byte_for_byte_alike(both):
    batch = [messages(method, params, None)[0] for method, params in TRAFFIC]
    for start in range(0, len(batch), 20):
        fast, slow = [await client.post(PATHS[0], batch[start : start + 20]) for client in both]
        assert _NEW.sub(b"", fast.content) == _NEW.sub(b"", slow.content)


@pytest.mark.parametrize("definition", [LESSON, probes.PROBES])
async def test_the_gate_answers_what_fastmcps_own_http_application_answers(
    both, definition, repositories
):
    theirs = fastmcp_server(definition).http_app(path="/", stateless_http=True, json_response=True)
    async with theirs.lifespan(theirs), http_client(theirs) as http:
        for method, params in TRAFFIC:
            if method == "initialize" and not params:
                continue  # the lesson takes the handshake of the tutorial
            for version in (*HANDSHAKE_VERSIONS, MODERN):
                message, headers = messages(method, params, version)
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                accept = {"accept": "application/json", "content-type": "application/json"}
                answer = await http.post("/", content=json.dumps(message), headers=named | accept)
                ours = await both[0].post(definition.path, message, **headers)
                expected = _NEW.sub(b"", json.dumps(answer.json(), sort_keys=True).encode())
                got = _NEW.sub(b"", json.dumps(ours.json(), sort_keys=True).encode())
                assert (ours.status_code, got) == (answer.status_code, expected)


def test_the_constants_are_those_of_the_sdk():
    assert protocol.HANDSHAKE_VERSIONS == sdk_version.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.MODERN_VERSIONS == sdk_version.MODERN_PROTOCOL_VERSIONS
    assert protocol.KNOWN_VERSIONS == sdk_version.KNOWN_PROTOCOL_VERSIONS
    assert protocol.NEWEST_HANDSHAKE == sdk_version.LATEST_HANDSHAKE_VERSION
    assert protocol.UNSTATED_VERSION == methods.types.DEFAULT_NEGOTIATED_VERSION
    assert protocol.VERSION_META_KEY == methods.types.PROTOCOL_VERSION_META_KEY
    assert dict(inbound.ERROR_CODE_HTTP_STATUS) == protocol.MODERN_STATUS
    names = [name for name in vars(errors) if name.isupper() and hasattr(jsonrpc, name)]
    assert len(names) == 8
    assert all(getattr(errors, name) == getattr(jsonrpc, name) for name in names)


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, MODERN])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("notifications/initialized", None),
        ("notifications/initialized", {"_meta": {}}),
        ("notifications/cancelled", {"requestId": "x", "reason": "y"}),
        ("notifications/cancelled", {"requestId": [1]}),
        ("notifications/progress", {"progressToken": 1, "progress": 2, "total": 3}),
        ("notifications/progress", {"progressToken": 1}),
        ("notifications/roots/list_changed", {}),
        ("notifications/nope", None),
    ],
)
def test_a_notification_is_valid_where_the_sdk_takes_it(version, method, params):
    try:
        methods.validate_client_notification(method, version, params)
        valid = True
    except (KeyError, ValueError):
        valid = False
    assert protocol.is_valid_notification(method, params, version=version) == valid
