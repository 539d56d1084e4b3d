"""The table itself, in the order of docs/protocol.md."""

import json
from typing import Any, Final

from tests.mcp_sidecar.conftest import envelope
from tests.protocol.table import Row
from web.core.limits import LIMITS

HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "table", "version": "1"},
}
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
LIST: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
RESPONSE: Final = {"jsonrpc": "2.0", "id": 1, "result": {}}
PONG: Final = "200 result, id 1"
# Neither of the methods below is known to both sides of the protocol.
NO_PING: Final = "404 -32601, id 1"


def ping(identifier: Any) -> dict[str, Any]:
    """A ping with that id."""
    return {**PING, "id": identifier}


def request(method: str, params: Any = None, identifier: Any = 1) -> dict[str, Any]:
    """A request."""
    message = {"jsonrpc": "2.0", "id": identifier, "method": method}
    return message if params is None else {**message, "params": params}


def call(tool: Any, arguments: Any = None) -> dict[str, Any]:
    """A call of a tool."""
    return request("tools/call", {"name": tool, "arguments": arguments})


def hello(**changed: Any) -> dict[str, Any]:
    """An initialize."""
    return request("initialize", {**HELLO, **changed})


def nested(levels: int) -> bytes:
    """A ping whose JSON has that many levels; the message and its params are two of them."""
    inner = "[" * (levels - 2) + "]" * (levels - 2)
    return f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{inner}}}}}'.encode()


def padded(size: int) -> bytes:
    """A list of the tools in a body of exactly that size."""
    return json.dumps(LIST).encode().ljust(size)


def refused(case: str, answer: str, *headers: tuple[str, str], **more: Any) -> Row:
    """A row about headers alone."""
    return Row(case, LIST, answer, headers=headers, **more)


ADDRESSES: Final = (
    *(
        Row(f"`{path}`", LIST, PONG, path=path)
        for path in ("/mcp", "/mcp/", "/mcp/lesson", "/mcp/lesson/")
    ),
    *(
        Row(f"`{path}`", LIST, "404 not_found", path=path)
        for path in (
            "/mcp/nothing",
            "/mcp/mcp",
            "/mcp/repositories",
            "/mcp/repositories/absent",
            "/mcp/repositories/absent/",
            "/mcp/repositories/a/b",
            "/mcp/lesson/x",
            "/mcp/.well-known/oauth-protected-resource",
        )
    ),
    Row("`/mcp/operations/` without a token", LIST, "401 token_required", path="/mcp/operations/"),
    Row("a batch there: one refusal", [PING, PING], "401 token_required", path="/mcp/operations"),
    *(
        Row(f"{method}", b"", "405 method_not_allowed, Allow: POST", method=method)
        for method in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS")
    ),
    Row("HEAD", b"", "405, Allow: POST", method="HEAD"),
)
HEADERS: Final = (
    refused("no Accept", PONG, without=frozenset({"accept"})),
    *(
        refused(f"Accept: `{value}`", PONG, ("accept", value))
        for value in (
            "application/json",
            "*/*",
            "application/*",
            "text/event-stream",
            "application/json;q=0.9, text/event-stream",
            "text/html, */*;q=0.1",
        )
    ),
    *(
        refused(f"Accept: `{value}`", "406 not_acceptable", ("accept", value))
        for value in ("text/html", "application/xml", "application/json;q=0")
    ),
    refused("Accept in two headers", PONG, ("accept", "text/html"), ("accept", "application/json")),
    refused("no Content-Type", PONG, without=frozenset({"content-type"})),
    *(
        refused(f"Content-Type: `{value}`", PONG, ("content-type", value))
        for value in ("application/json; charset=utf-8", "Application/JSON")
    ),
    *(
        refused(f"Content-Type: `{value}`", "415 unsupported_media_type", ("content-type", value))
        for value in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx")
    ),
    refused("Content-Encoding: `identity`", PONG, ("content-encoding", "identity")),
    refused("Content-Encoding: `gzip`", "415 unsupported_media_type", ("content-encoding", "gzip")),
    refused("a stale Mcp-Session-Id", PONG, ("mcp-session-id", "stale")),
    refused("a foreign Host", "421 misdirected_request", ("host", "evil.example")),
    refused("a foreign Origin", "403 forbidden_origin", ("origin", "https://evil.example")),
    refused("Origin: `null`", "403 forbidden_origin", ("origin", "null")),
    refused("Origin of this machine", PONG, ("origin", "http://localhost:6274")),
    refused("a wrong token", "401 invalid_token", ("authorization", "Bearer ptl_wrong")),
    refused("another scheme", "401 invalid_token", ("authorization", "Basic dTpw")),
    refused("a GitHub token", PONG, ("authorization", "Bearer ghp_0123456789abcdefghij")),
    refused("a token in the query", "401 invalid_token", path="/mcp/lesson/?token=x"),
    refused("another query", PONG, path="/mcp/lesson/?x=1"),
    refused(
        "two tokens (nginx refuses them itself: 400 invalid_input)",
        "400 duplicate_header",
        ("authorization", "Bearer ptl_a"),
        ("authorization", "Bearer ptl_b"),
        nginx="400 invalid_input",
    ),
    refused(
        "two versions",
        "400 duplicate_header",
        ("mcp-protocol-version", "2025-06-18"),
        ("mcp-protocol-version", "2026-07-28"),
    ),
    *(
        refused(
            f"MCP-Protocol-Version: `{value}`", "400 -32022, id 1", ("mcp-protocol-version", value)
        )
        for value in ("2099-01-01", "nonsense", "2025-11-25, 2026-07-28")
    ),
    Row(
        "the same beside a notification",
        INITIALIZED,
        "400 -32022, id null",
        headers=(("mcp-protocol-version", "2099-01-01"),),
    ),
    Row(
        "the same beside an initialize",
        hello(protocolVersion="2099-01-01"),
        "200 result 2025-11-25, id 1",
        headers=(("mcp-protocol-version", "2099-01-01"),),
        is_bare=True,
    ),
)
BODIES: Final = (
    *(
        Row(case, body, "400 -32700, id null")
        for case, body in (
            ("empty", b""),
            ("blank", b" \n"),
            ("no JSON", b"{bad"),
            ("two values", b"{} {}"),
            ("a byte order mark", b"\xef\xbb\xbf" + json.dumps(PING).encode()),
            ("UTF-16", json.dumps(PING).encode("utf-16")),
            ("not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}'),
            ("NaN", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}'),
            (
                "a number out of range",
                b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}',
            ),
            ("a lone surrogate in a method", b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}'),
            ("a control character in a text", b'{"jsonrpc":"2.0","id":1,"method":"a\x01"}'),
        )
    ),
    *(
        Row(case, body, "400 -32600, id null")
        for case, body in (
            ("a number", b"5"),
            ("a text", b'"ping"'),
            ("null", b"null"),
            ("`{}`", {}),
            ("far too deep", b"[" * 100_000 + b"]" * 100_000),
        )
    ),
    Row(
        f"{LIMITS.max_json_depth} levels deep",
        nested(LIMITS.max_json_depth),
        PONG,
        "400 -32602, id 1",
    ),
    Row("one level more", nested(LIMITS.max_json_depth + 1), "400 -32600, id 1"),
    Row("of the largest size", padded(LIMITS.max_body_bytes), PONG, "400 -32602, id 1"),
    Row("one byte more", padded(LIMITS.max_body_bytes + 1), "413 too_large"),
    Row(
        "a key given twice: the last counts",
        b'{"jsonrpc":"2.0","id":1,"method":"nope","method":"ping"}',
        PONG,
        "400 -32602, id 1",
    ),
)
MESSAGES: Final = (
    *(
        Row(
            f"id `{json.dumps(identifier)}`",
            request("tools/list", identifier=identifier),
            f"200 result, id {json.dumps(identifier)}",
        )
        for identifier in (0, -1, 2**63, "", "ü", "1")
    ),
    *(
        Row(f"id `{json.dumps(identifier)}`", ping(identifier), "400 -32600, id null")
        for identifier in (None, 1.5, 1.0, True, [1], {})
    ),
    Row("no `jsonrpc`", {"id": 7, "method": "ping"}, "400 -32600, id 7", is_bare=True),
    Row("`jsonrpc` 1.0", {**PING, "jsonrpc": "1.0"}, "400 -32600, id 1"),
    Row("no method", {"jsonrpc": "2.0", "id": 8}, "400 -32600, id 8", is_bare=True),
    Row("a method that is no text", {**PING, "method": 5}, "400 -32600, id 1"),
    Row("params that are a list", {**PING, "params": [1]}, "400 -32600, id 1", is_bare=True),
    Row("params null", {**PING, "params": None}, PONG, NO_PING),
    Row("members that nobody knows", {**LIST, "more": 1}, PONG),
    Row("`ping`", PING, PONG, NO_PING),
    Row("an unknown method", request("nope"), "200 -32601, id 1", NO_PING),
    *(
        Row(f"`{method}`", request(method, {}), "200 -32601, id 1", NO_PING)
        for method in (
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "logging/setLevel",
            "completion/complete",
            "tasks/list",
        )
    ),
    Row("`server/discover`", request("server/discover", {}), "200 -32601, id 1", PONG),
    Row(
        "a notification's method with an id",
        request("notifications/initialized"),
        "200 -32601, id 1",
        NO_PING,
    ),
    Row(
        "`tools/list` with a cursor that is no text",
        request("tools/list", {"cursor": 5}),
        "200 -32602, id 1",
        "400 -32602, id 1",
    ),
)
HANDSHAKE: Final = (
    *(
        Row(
            f"offers {version}",
            hello(protocolVersion=version),
            f"200 result {version}, id 1",
            NO_PING,
        )
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    ),
    *(
        Row(
            f"offers `{version}`",
            hello(protocolVersion=version),
            "200 result 2025-11-25, id 1",
            NO_PING,
        )
        for version in ("2026-07-28", "2099-01-01", "", "newest")
    ),
    *(
        Row(case, body, "200 -32602, id 1", NO_PING, path="/mcp/")
        for case, body in (
            ("without params", request("initialize")),
            ("with empty params", request("initialize", {})),
            ("a version that is no text", hello(protocolVersion=5)),
            ("capabilities that are a list", hello(capabilities=[])),
            ("a client without a version", hello(clientInfo={"name": "x"})),
        )
    ),
    Row(
        "to the lesson, without params",
        request("initialize"),
        "200 result 2024-11-05, id 1",
        NO_PING,
    ),
    Row(
        "to the lesson, with empty params",
        request("initialize", {}),
        "200 result 2024-11-05, id 1",
        NO_PING,
    ),
    Row(
        "to the lesson, with some params",
        request("initialize", {"capabilities": {}}),
        "200 -32602, id 1",
        NO_PING,
    ),
)
NOTIFICATIONS: Final = (
    *(
        Row(case, {"jsonrpc": "2.0", **body}, "202")
        for case, body in (
            ("`notifications/initialized`", {"method": "notifications/initialized"}),
            (
                "`notifications/cancelled`",
                {"method": "notifications/cancelled", "params": {"requestId": 1}},
            ),
            (
                "`notifications/progress`",
                {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}},
            ),
            ("`notifications/roots/list_changed`", {"method": "notifications/roots/list_changed"}),
            ("one that is not valid: dropped", {"method": "notifications/progress", "params": {}}),
            (
                "one with params that are a list: dropped",
                {"method": "notifications/cancelled", "params": [1]},
            ),
            ("an unknown one: dropped", {"method": "notifications/nope"}),
            (
                "a request without an id: dropped",
                {"method": "tools/call", "params": {"name": "add"}},
            ),
        )
    ),
    Row("a posted response", RESPONSE, "202", "400 -32600, id null", is_bare=True),
    Row(
        "a posted error",
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        "202",
        "400 -32600, id null",
        is_bare=True,
    ),
)
NO_BATCH: Final = "400 -32600, id null"
BATCHES: Final = (
    Row("of one", [ping("a")], '200 [result, id "a"]', NO_BATCH),
    Row(
        "requests, notifications and responses mixed",
        [ping("b"), INITIALIZED, RESPONSE, ping("a")],
        '200 [result, id "b"; result, id "a"]',
        NO_BATCH,
    ),
    Row("an id given twice", [ping(1), ping(1)], "200 [result, id 1; result, id 1]", NO_BATCH),
    Row(
        "several bad messages",
        [
            ping(1),
            5,
            {},
            ["x"],
            {"jsonrpc": "2.0", "id": 3},
            request("nope", identifier=4),
            {**call("add", {"a": "x"}), "id": 5},
            ping(2),
        ],
        "200 [result, id 1; -32600, id null; -32600, id null; -32600, id null; -32600, id 3; "
        "-32601, id 4; isError, id 5; result, id 2]",
        NO_BATCH,
    ),
    Row(
        "`initialize` inside",
        [{**hello(), "id": 5}, ping(1)],
        "200 [-32600, id 5; result, id 1]",
        NO_BATCH,
    ),
    Row("only notifications", [INITIALIZED, INITIALIZED], "202", NO_BATCH),
    Row(
        "only a notification that is not valid",
        [{"jsonrpc": "2.0", "method": "notifications/nope"}],
        "202",
        NO_BATCH,
    ),
    Row("only responses", [RESPONSE], "202", NO_BATCH),
    Row("empty", [], NO_BATCH),
    Row("a batch in a batch", [[ping(1)]], "200 [-32600, id null]", NO_BATCH),
    Row("20 messages", [ping(1)] * 20, f"200 [{'; '.join(['result, id 1'] * 20)}]", NO_BATCH),
    Row("21 messages", [ping(1)] * 21, NO_BATCH),
    Row("21 notifications", [INITIALIZED] * 21, NO_BATCH),
    Row("cut off", b'[{"jsonrpc":"2.0","id":1,"method":"ping"},', "400 -32700, id null"),
)
BAD_PARAMS: Final = ("200 -32602, id 1", "400 -32602, id 1")
CALLS: Final = (
    Row("right", call("add", {"a": 1, "b": 2}), PONG),
    Row("numbers as text", call("add", {"a": "1", "b": "2"}), PONG),
    Row("a bad argument", call("add", {"a": "x", "b": 2}), "200 isError, id 1"),
    Row("half a character in an argument", call("shout", {"text": "\ud83d"}), "200 isError, id 1"),
    Row("an unknown argument", call("add", {"a": 1, "b": 2, "c": 3}), "200 isError, id 1"),
    Row("arguments null", call("add", None), "200 isError, id 1"),
    Row("an unknown tool", call("nope", {}), "200 -32601, id 1", NO_PING),
    Row(
        "a tool of another server", call("search_code", {"query": "x"}), "200 -32601, id 1", NO_PING
    ),
    Row("arguments that are a list", call("add", [1]), *BAD_PARAMS),
    Row("a name that is no text", call(5), BAD_PARAMS[0], "400 -32020, id 1"),
    Row("no name", request("tools/call", {}), *BAD_PARAMS),
    Row("no params", request("tools/call"), *BAD_PARAMS),
)


def modern(case: str, answer: str, *headers: tuple[str, str], meta: Any = None, **more: Any) -> Row:
    """A row about what only 2026-07-28 knows; the handshake versions take no notice of it."""
    body = call("add", {"a": 1, "b": 2})
    body["params"]["_meta"] = envelope() if meta is None else meta
    return Row(case, body, PONG, answer, headers=headers, is_bare=True, **more)


CALLED: Final = ("mcp-method", "tools/call")
ADDED: Final = ("mcp-name", "add")
MISMATCH: Final = "400 -32020, id 1"
ENVELOPES: Final = (
    modern("headers that mirror the body", PONG, CALLED, ADDED),
    modern("no Mcp-Method", MISMATCH, ADDED),
    modern("another Mcp-Method", MISMATCH, ("mcp-method", "tools/list"), ADDED),
    modern("no Mcp-Name", MISMATCH, CALLED),
    modern("another Mcp-Name", MISMATCH, CALLED, ("mcp-name", "shout")),
    modern("Mcp-Name twice", MISMATCH, CALLED, ADDED, ADDED),
    modern("another version in the envelope", MISMATCH, CALLED, ADDED, meta=envelope("2025-11-25")),
    modern("no envelope", "400 -32602, id 1", CALLED, ADDED, meta={}),
)
TABLE: Final[dict[str, tuple[Row, ...]]] = {
    "Addresses and methods": ADDRESSES,
    "Headers": HEADERS,
    "Bodies": BODIES,
    "Messages": MESSAGES,
    "`initialize`": HANDSHAKE,
    "Notifications and responses": NOTIFICATIONS,
    "Batches": BATCHES,
    "Tool calls": CALLS,
    "Envelope and mirrored headers": ENVELOPES,
}
ROWS: Final = [(group, row) for group, rows in TABLE.items() for row in rows]
