"""JSON-RPC messages: read, judged and written. No network, no FastMCP, no Django.

The rules are those of JSON-RPC 2.0 with MCP's narrowing: an id is a string or an integer, params
are an object.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec
from pydantic_core import to_json

from mcp_sidecar.errors import INVALID_REQUEST, PARSE_ERROR, ProtocolError
from web.core.limits import LIMITS

_decode = msgspec.json.Decoder().decode

NULL: Final = b"null"
_LONE_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
TOO_DEEP: Final = f"JSON may be nested {LIMITS.max_json_depth} levels deep"


class Request(NamedTuple):
    """A message that wants an answer. `id_json` is its id as JSON, as it goes back."""

    id_json: bytes
    id: str | int
    method: str
    params: dict[str, Any] | None


class Notification(NamedTuple):
    """A message that wants no answer."""

    method: str
    params: object


@dataclass(frozen=True, slots=True)
class PostedResponse:
    """An answer to something this server never asked."""


class Malformed(NamedTuple):
    """A message that is none, with what its sender is told."""

    id_json: bytes
    error: ProtocolError


Message = Request | Notification | PostedResponse | Malformed


def decoded(body: bytes) -> Any:
    """Return the JSON value of a body in UTF-8 without a byte order mark.

    Raises ProtocolError: -32700 for what is no JSON, NaN and numbers out of range included, and for
    a lone surrogate anywhere but in the arguments of a call; -32600 for what is nested far too
    deep.
    """
    try:
        return _decode(body)
    except RecursionError:
        raise _invalid(TOO_DEEP) from None
    except (msgspec.MsgspecError, ValueError):
        if _LONE_SURROGATE.search(body):
            return _with_lone_surrogates(body)
        raise ProtocolError(PARSE_ERROR, "Parse error") from None


def _with_lone_surrogates(body: bytes) -> Any:
    """Return a body whose arguments hold half a character, as clients cut texts of emoji.

    The tool then refuses the argument by its name, under the id of the request.
    """
    try:
        value = json.loads(body.decode(), parse_constant=_refused, parse_float=_finite)
        for message in value if isinstance(value, list) else [value]:
            to_json({**message, "params": {**message["params"], "arguments": None}})
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ProtocolError(PARSE_ERROR, "Parse error") from None
    return value


def _refused(constant: str) -> None:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def encoded(value: Any) -> bytes:
    """Return `value` as JSON; numbers look as in results, which pydantic writes."""
    return to_json(value)


def read(value: Any, body: bytes) -> Message:
    """Judge one decoded message; `body` is the text it came in, at least."""
    if not isinstance(value, dict):
        return Malformed(NULL, _invalid("A message must be a JSON object"))
    identifier = value.get("id")
    id_json = _id_json(identifier)
    if problem := _envelope_problem(value):
        return Malformed(id_json, _invalid(problem))
    if "method" not in value:
        return PostedResponse()
    if "id" not in value:
        return Notification(value["method"], value.get("params"))
    if problem := _request_problem(value, id_json, body):
        return Malformed(id_json, _invalid(problem))
    return Request(id_json, identifier, value["method"], value.get("params"))  # type: ignore[arg-type]


def _envelope_problem(value: dict[str, Any]) -> str:
    if value.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    is_response = "method" not in value and ("result" in value or "error" in value)
    if not is_response and not isinstance(value.get("method"), str):
        return "method must be a string"
    return ""


def _request_problem(value: dict[str, Any], id_json: bytes, body: bytes) -> str:
    if id_json is NULL:
        return "id must be a string or an integer"
    if value.get("params") is not None and not isinstance(value["params"], dict):
        return "params must be an object"
    return TOO_DEEP if is_too_deep(value, body) else ""


def is_too_deep(value: Any, body: bytes) -> bool:
    """Return whether lists and objects are nested deeper than the limit."""
    most = LIMITS.max_json_depth
    if body.count(b"{") + body.count(b"[") <= most:
        return False
    level = [value]
    for _depth in range(most):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def result_json(id_json: bytes, result: bytes) -> bytes:
    """Return the response that carries `result`, which is JSON."""
    return b'{"jsonrpc":"2.0","id":' + id_json + b',"result":' + result + b"}"


def error_json(id_json: bytes, error: ProtocolError) -> bytes:
    """Return the response that carries `error`."""
    return b'{"jsonrpc":"2.0","id":' + id_json + b',"error":' + encoded(error.body) + b"}"


def _id_json(identifier: object) -> bytes:
    if isinstance(identifier, str):
        return encoded(identifier)
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return str(identifier).encode()
    return NULL


def _invalid(problem: str) -> ProtocolError:
    return ProtocolError(INVALID_REQUEST, f"Invalid Request: {problem}")
