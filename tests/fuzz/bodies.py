"""Bodies for the gate: bytes, near-valid JSON-RPC, batches, depth, keys given twice."""

import json
from typing import Any, Final

from hypothesis import strategies as st

from tests.fuzz.case import JSON_HEADERS, Case
from tests.fuzz.values import NUMBERS, texts, values
from tests.mcp_sidecar.conftest import HANDSHAKE_VERSIONS, MODERN, envelope

HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "1"},
}
METHODS: Final = (
    "ping",
    "initialize",
    "tools/list",
    "tools/call",
    "server/discover",
    "prompts/list",
    "resources/read",
    "logging/setLevel",
    "completion/complete",
    "tasks/get",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/nope",
    "rpc.discover",
    "",
)
# What is put into a valid body at a random place.
SPLINTERS: Final = (
    b"\xff",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\\ud800",
    b"\\u0000",
    b"NaN",
    b"Infinity",
    b"-",
    b"1e999",
    b"9" * 400,
    b"9" * 5000,
    b'"',
    b"\\",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"null",
    b"\n",
    b"\r\n",
    b"\x0b",
    b"\xc2\x85",
    b"//x",
    b'"id":1,',
    b'"jsonrpc":"2.0",',
)


def ids() -> st.SearchStrategy[Any]:
    """Ids of every type, most of them right."""
    return st.one_of(
        st.integers(0, 9), st.text(max_size=5), st.sampled_from(NUMBERS), texts(), values()
    )


def params() -> st.SearchStrategy[Any]:
    """Params: those of some method, or anything."""
    names = st.sampled_from(("add", "shout", "search_code", "list_repositories", "nope", ""))
    call = st.fixed_dictionaries(
        {"name": st.one_of(names, values())},
        optional={"arguments": values(), "_meta": values(), "task": values()},
    )
    meta = st.one_of(
        st.just(envelope()),
        values(),
        st.builds(
            lambda key, value: {**envelope(), key: value},
            st.sampled_from(
                (*envelope(), "progressToken", "io.modelcontextprotocol/logLevel", "x")
            ),
            values(),
        ),
    )
    return st.one_of(
        st.just(HELLO),
        st.builds(lambda key, value: {**HELLO, key: value}, st.sampled_from([*HELLO]), values()),
        call,
        st.fixed_dictionaries({"_meta": meta}, optional={"cursor": values(), "name": names}),
        st.builds(lambda more, meta: {**more, "_meta": meta}, call, meta),
        values(),
    )


def messages() -> st.SearchStrategy[Any]:
    """Messages: requests, notifications, responses, with one member wrong now and then."""
    methods = st.one_of(st.sampled_from(METHODS), texts())
    request = st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "id": ids(), "method": methods}, optional={"params": params()}
    )
    notification = st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "method": methods}, optional={"params": params()}
    )
    anything = st.fixed_dictionaries(
        {},
        optional={
            "jsonrpc": st.one_of(st.just("2.0"), values()),
            "id": ids(),
            "method": st.one_of(methods, values()),
            "params": params(),
            "result": values(),
            "error": values(),
            "more": values(),
        },
    )
    return st.one_of(request, request, notification, anything, values())


def _written(value: Any, *, is_ascii: bool, indent: int | None) -> bytes:
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    return text.encode("utf-8", "surrogatepass")


def _splintered(body: bytes, places: list[tuple[float, int, bytes]]) -> bytes:
    for place, removed, added in places:
        at = int(place * len(body))
        body = body[:at] + added + body[at + removed :]
    return body


def _with_keys_twice(message: Any, key: str, value: Any) -> bytes:
    first = json.dumps({key: value})
    second = json.dumps(message if isinstance(message, dict) and message else {"jsonrpc": "2.0"})
    return (first[:-1] + ", " + second[1:]).encode()


def _deep(levels: int, opening: str) -> bytes:
    closing = {"[": "]", '{"a":': "}"}[opening]
    inner = opening * levels + "1" + closing * levels
    return f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{inner}}}}}'.encode()


def contents() -> st.SearchStrategy[bytes]:
    """Bodies."""
    value = st.one_of(messages(), messages(), st.lists(messages(), max_size=4))
    many = st.builds(
        lambda one, count: [one] * count, messages(), st.sampled_from((19, 20, 21, 300))
    )
    written = st.builds(
        _written,
        st.one_of(value, value, value, many),
        is_ascii=st.booleans(),
        indent=st.sampled_from((None, None, 1)),
    )
    places = st.lists(
        st.tuples(
            st.floats(0, 1),
            st.sampled_from((0, 0, 1, 5)),
            st.one_of(st.sampled_from(SPLINTERS), st.binary(max_size=3)),
        ),
        min_size=1,
        max_size=2,
    )
    return st.one_of(
        written,
        written,
        written,
        st.builds(_splintered, written, places),
        st.builds(_splintered, written, places),
        st.builds(
            _with_keys_twice, messages(), st.sampled_from(("id", "method", "params")), values()
        ),
        st.builds(_deep, st.integers(50, 3000), st.sampled_from(("[", '{"a":'))),
        st.binary(max_size=60),
        st.builds(
            lambda text, code: text.encode(code, "replace"),
            texts(),
            st.sampled_from(("utf-16", "utf-32", "latin-1")),
        ),
    )


def _mirrored(body: bytes) -> list[tuple[str, str]]:
    """The headers that a well-behaved client of 2026-07-28 sends with this body."""
    try:
        value = json.loads(body)
        method, name = value.get("method"), (value.get("params") or {}).get("name")
    except (ValueError, AttributeError, RecursionError):
        return []
    pairs = (("mcp-method", method), ("mcp-name", name))
    return [
        (header, text)
        for header, text in pairs
        if isinstance(text, str) and text.isascii() and text.isprintable()
    ]


def _case(body: bytes, version: str | None, path: str, is_mirrored: bool) -> Case:
    headers = [*JSON_HEADERS]
    if version is not None:
        headers.append(("mcp-protocol-version", version))
    if version == MODERN and is_mirrored:
        headers += _mirrored(body)
    return Case(body, path, headers=tuple(headers))


def cases() -> st.SearchStrategy[Case]:
    """Bodies at every version, on several endpoints."""
    return st.builds(
        _case,
        contents(),
        st.sampled_from((None, *HANDSHAKE_VERSIONS, MODERN, MODERN, "2099-01-01")),
        st.sampled_from(("/mcp", "/mcp/lesson/", "/mcp/repositories/harbour/")),
        st.booleans(),
    )
