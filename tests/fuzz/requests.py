"""Requests whose paths and headers are hostile, with bodies that are mostly right."""

from typing import Final

from hypothesis import strategies as st

from tests.fuzz.case import JSON_HEADERS, Case
from tests.fuzz.values import ODD, PATHS, texts

PING: Final = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
MODERN_LIST: Final = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{'
    b'"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    b'"io.modelcontextprotocol/clientCapabilities":{}}}}'
)
PLACES: Final = (
    "/mcp",
    "/mcp/",
    "/mcp/lesson",
    "/mcp/repositories/harbour",
    "/mcp/work",
    "/mcp/operations",
    "/health",
    "/ready",
    "/metrics",
    "/.well-known/oauth-protected-resource/mcp",
)
KNOWN: Final = {
    "accept": ("application/json", "*/*", "text/html", "", ",;,", "application/json;q=0", ";q=a"),
    "content-type": ("application/json", "application/json; charset=utf-16", "text/plain", "", ";"),
    "content-encoding": ("gzip", "identity", "br", ""),
    "content-length": ("0", "-1", "x", "99999999999999999999", "1" * 5000, "+5", " 5"),
    "host": (
        "127.0.0.1:8001",
        "[::1]",
        "evil.example",
        "",
        "[",
        "localhost:99999999",
        "a:b:c",
        "[::1",
    ),
    "origin": (
        "http://127.0.0.1:1",
        "null",
        "http://[",
        "https://evil.example",
        "http://localhost:x",
    ),
    "authorization": (
        "Bearer ptl_x",
        "Bearer",
        "bearer  a",
        "Basic dTpw",
        "Bearer ghp_0123456789abcdefghij",
        "Bearer " + "x" * 5000,
        "Bearer a b",
    ),
    "x-github-token": ("ghp_0123456789abcdefghij", "x", ""),
    "mcp-protocol-version": ("2025-11-25", "2026-07-28", "", "2026-07-28,2025-11-25", "x" * 5000),
    "mcp-session-id": ("stale", "", "x" * 5000),
    "mcp-method": ("tools/list", "ping", "=?base64?cGluZw==?=", "=?base64?%%?=", ""),
    "mcp-name": ("add", "", "=?base64?/w==?="),
    "mcp-param-a": ("1", ""),
    "x-request-id": ("abc", "a b", "x" * 300, "\xff", ""),
    "x-forwarded-for": ("1.2.3.4", "x", ", ,", "::1%eth0"),
    "x-forwarded-host": ("evil.example",),
    "x-http-method-override": ("DELETE",),
    "access-control-request-method": ("POST",),
    "expect": ("100-continue",),
    "range": ("bytes=0-1",),
    "if-none-match": ("*",),
    "traceparent": ("00-" + "0" * 32 + "-" + "0" * 16 + "-01", "x"),
    "cookie": ("sessionid=x",),
}


def _latin(text: str) -> str:
    """What of a text a header can carry."""
    kept = text.encode("utf-8", "surrogatepass").decode("latin-1")
    return "".join(one for one in kept if one not in "\r\n\0")


def _value(name: str) -> st.SearchStrategy[tuple[str, str]]:
    return st.one_of(st.sampled_from(KNOWN[name]), texts().map(_latin)).map(
        lambda value: (name, value)
    )


def paths() -> st.SearchStrategy[str]:
    """Paths as an ASGI server gives them: decoded from any bytes, so without lone surrogates."""
    hostile = st.sampled_from((*PATHS, *ODD))
    found = st.one_of(
        st.sampled_from(PLACES),
        st.builds(lambda base, text: f"{base}/{text}", st.sampled_from(PLACES), hostile),
        st.builds(lambda text: f"/mcp/repositories/{text}", st.one_of(hostile, texts())),
        st.builds(lambda text: f"/.well-known/oauth-protected-resource/{text}", hostile),
        texts().map(lambda text: f"/{text}"),
    )
    return found.map(lambda path: path.encode("utf-8", "replace").decode())


def cases() -> st.SearchStrategy[Case]:
    """Requests with up to five headers wrong or given twice."""
    headers = st.lists(st.sampled_from([*KNOWN]).flatmap(_value), max_size=5)

    def made(method: str, path: str, query: str, more: list[tuple[str, str]], body: bytes) -> Case:
        names = {name for name, _value in more}
        kept = [pair for pair in JSON_HEADERS if pair[0] not in names]
        return Case(body, path, query, method, (*kept, *more))

    return st.builds(
        made,
        st.sampled_from(
            ("POST", "POST", "POST", "POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT", "X")
        ),
        paths(),
        st.sampled_from(("", "", "", "token=x", "a=%ff", "&&=", "TOKEN=1", "access%5Ftoken=x")),
        headers,
        st.sampled_from((PING, MODERN_LIST, b"", b"[" + PING + b"]", PING[:-1])),
    )
