"""What a row of the table is, how it is sent, and how an answer is written down in a few words."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.mcp_sidecar.conftest import HANDSHAKE_VERSIONS, MODERN, envelope

Pairs = tuple[tuple[str, str], ...]
VERSIONS: Final = (None, *HANDSHAKE_VERSIONS, MODERN)
JSON_PAIRS: Final[Pairs] = (
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One case.

    `body` is sent as it is where it is bytes, else as JSON. A request goes at 2026-07-28 with its
    envelope and the headers that mirror it, unless `is_bare`. `handshake` and `modern` are the
    answers as `seen` writes them, `modern` None where it is the same. `headers` take the place of
    those of the same name that clients send; the headers `without` are left out. `nginx` is the
    answer of a proxy that refuses the request itself.
    """

    case: str
    body: Any
    handshake: str
    modern: str | None = None
    path: str = "/mcp/lesson/"
    method: str = "POST"
    headers: Pairs = ()
    without: frozenset[str] = frozenset()
    is_bare: bool = False
    nginx: str | None = None

    def expected(self, version: str | None, *, through_nginx: bool = False) -> str:
        """The answer at a version."""
        if through_nginx and self.nginx is not None:
            return self.nginx
        return self.modern if version == MODERN and self.modern is not None else self.handshake

    def sent(self, version: str | None) -> tuple[bytes, Pairs]:
        """The body and the headers at a version."""
        body, headers = self.body, [pair for pair in JSON_PAIRS if pair[0] not in self.without]
        named = {name for name, _value in self.headers}
        if version is not None and "mcp-protocol-version" not in named:
            headers.append(("mcp-protocol-version", version))
        if version == MODERN and isinstance(body, dict) and not self.is_bare and "id" in body:
            params = body.get("params")
            body = {**body, "params": {**(params or {}), "_meta": envelope()}}
            headers += _mirrors(body)
        headers = [pair for pair in headers if pair[0] not in named] + [*self.headers]
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return content, tuple(headers)


def _mirrors(body: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    method, name = body.get("method"), body["params"].get("name")
    if isinstance(method, str):
        yield "mcp-method", method
    if isinstance(name, str):
        yield "mcp-name", name


def seen(status: int, headers: Mapping[str, str], body: bytes) -> str:
    """Write an answer down: status, then what it says; everything else about it is checked."""
    assert "mcp-session-id" not in headers
    assert "location" not in headers
    allowed = f", Allow: {headers['allow']}" if "allow" in headers else ""
    if not body:
        return f"{status}{allowed}"
    assert headers["content-type"] == "application/json", headers
    value = json.loads(body)
    if isinstance(value, list):
        return f"{status} [{'; '.join(map(_response, value))}]"
    if "jsonrpc" in value:
        refused = value.get("error", {}).get("data")
        if isinstance(refused, dict) and "code" in refused:
            assert value["id"] is None
            return f"{status} {refused['code']}{allowed}"
        return f"{status} {_response(value)}"
    assert value.keys() == {"error", "message"}, value
    return f"{status} {value['error']}{allowed}"


def _response(value: Mapping[str, Any]) -> str:
    assert value["jsonrpc"] == "2.0"
    identifier = json.dumps(value["id"])
    if "error" in value:
        assert value["error"]["message"]
        return f"{value['error']['code']}, id {identifier}"
    result = value["result"]
    kind = "result"
    if result.get("isError"):
        kind = "isError"
    elif "protocolVersion" in result:
        kind = f"result {result['protocolVersion']}"
    return f"{kind}, id {identifier}"
