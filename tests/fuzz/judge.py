"""What may not happen, whatever is sent: the judge of every answer."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import jsonschema

from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.descriptor import descriptor
from mcp_sidecar.contract.text import escaped
from tests.fuzz.case import Answer, Case
from web.core.limits import LIMITS

MOST: Final = 40_000
# An error says less than a result; its message and data are no longer than this.
MOST_OF_AN_ERROR: Final = 2_000
STATUSES: Final = frozenset({200, 202, 204, 400, 401, 403, 404, 405, 406, 413, 415, 421})
CODES: Final = frozenset(
    {-32700, -32600, -32601, -32602, -32010, -32011, -32012, -32020, -32021, -32022}
)
FAILURES: Final = (
    "invalid_input|not_found|not_allowed|conflict|too_large|too_many_requests|unavailable"
    "|deadline_exceeded"
)
INSIDE: Final = re.compile(
    r"Traceback|File \"|site-packages|pydantic|sqlite|psycopg|fastmcp|django\.|/work/|/tmp/"
    r"|\w(Error|Exception)\b\(|object at 0x|Input(Should| should) match pattern"
)
NOTHING: Final = object()
_LONE_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def faults(case: Case, answer: Answer) -> Iterator[str]:
    """Yield what is wrong with the answer to a case, each a kind of failure in a few words."""
    if answer.status not in STATUSES:
        yield f"status {answer.status}"
        return
    yield from _wrong_headers(answer)
    if case.method == "HEAD" or not answer.body:
        if answer.body == b"" and answer.status == 200 and case.method != "HEAD":
            yield "200 without a body"
        return
    if case.path in {"/health", "/metrics"}:
        return
    try:
        value = json.loads(answer.body.decode(), parse_constant=_refuse)
    except ValueError:
        yield "the answer is no JSON"
        return
    if answer.header(b"content-type") != b"application/json":
        yield "the answer does not say that it is JSON"
    if isinstance(value, dict) and "error" in value and "jsonrpc" not in value:
        if not isinstance(value.get("message"), str) or len(answer.body) > MOST_OF_AN_ERROR:
            yield "a refusal of another shape"
        return
    if isinstance(value, dict) and {"checks", "resource"} & value.keys():
        return
    if isinstance(value, dict) and _is_refused(value):
        yield from _wrong_error(case, value["error"])
    else:
        yield from _wrong_messages(case, value)
    if case.tool:
        yield from _wrong_result(case, value)


def _is_refused(value: Any) -> bool:
    """Return whether HTTP refused the message before it was read: its error has a code in words."""
    data = value.get("error", {}).get("data")
    return value.get("id") is None and isinstance(data, dict) and "code" in data


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _wrong_headers(answer: Answer) -> Iterator[str]:
    for name, value in answer.headers:
        if re.search(rb"[\r\n\0]", name + value):
            yield f"a header is split: {name.decode('latin-1')}"
        if len(value) > 8192:
            yield f"a header is very long: {name.decode('latin-1')}"
    if answer.header(b"mcp-session-id") is not None:
        yield "a session was issued"


def _wrong_messages(case: Case, value: Any) -> Iterator[str]:
    answers = value if isinstance(value, list) else [value]
    for one in answers:
        if not isinstance(one, dict) or one.get("jsonrpc") != "2.0" or "id" not in one:
            yield "no JSON-RPC response"
            return
        if ("result" in one) == ("error" in one):
            yield "neither result nor error, or both"
        if "error" in one:
            yield from _wrong_error(case, one["error"])
    expected = _expected_ids(case)
    if expected is None:
        return
    if isinstance(expected, list):
        ids = [one["id"] for one in answers] if isinstance(value, list) else None
        if ids is not None and not _same(ids, expected):
            yield "the responses of a batch are not those that are due"
    elif _LONE_SURROGATE.search(case.body) and value.get("error", {}).get("code") == -32700:
        pass  # outside of arguments it makes the whole body unreadable
    elif isinstance(value, dict) and not _same(value["id"], expected):
        yield "the id is not the one that was sent"


def _tells_of_the_inside(case: Case, text: str) -> bool:
    """Whether a text holds a word of the inside that was not sent."""
    return any(found.group().encode() not in case.body for found in INSIDE.finditer(text))


def _wrong_error(case: Case, error: Any) -> Iterator[str]:
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        yield "an error of another shape"
        return
    if error.get("code") not in CODES:
        yield f"error code {error.get('code')}"
    if len(json.dumps(error)) > MOST_OF_AN_ERROR:
        yield f"an error over its bound: {error['code']}"
    if _tells_of_the_inside(case, error["message"]):
        yield f"an error tells of the inside: {error['code']}"


def _same(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same, 1 and 1.0 and true being three."""
    return type(left) is type(right) and (
        all(map(_same, left, right)) and len(left) == len(right)
        if isinstance(left, list)
        else left == right
    )


def _expected_ids(case: Case) -> Any:
    """The id, or the ids of a batch, that the answer has to carry; None where nobody can say."""
    try:
        value = json.loads(case.body.decode("utf-8"), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        if not 1 <= len(value) <= LIMITS.max_batch_size:
            return None
        found = [_id_due(one) for one in value]
        return [one for one in found if one is not NOTHING]
    found_one = _id_due(value)
    return None if found_one is NOTHING else found_one


def _id_due(message: Any) -> Any:
    """The id of the response that a message of a batch gets, NOTHING where none is due."""
    if not isinstance(message, dict):
        return None
    identifier = message.get("id")
    if not isinstance(identifier, str | int) or isinstance(identifier, bool):
        identifier = None
    if message.get("jsonrpc") == "2.0":
        if "method" not in message and ("result" in message or "error" in message):
            return NOTHING
        if isinstance(message.get("method"), str) and "id" not in message:
            return NOTHING
    return identifier


@cache
def _output_schema(server: str, tool: str) -> Mapping[str, Any] | None:
    contract = next(one for one in CONTRACTS_BY_SERVER[server] if one.name == tool)
    return descriptor(contract, ("x",)).get("outputSchema")


def _wrong_result(case: Case, value: Any) -> Iterator[str]:
    result = value.get("result") if isinstance(value, dict) else None
    if result is None:
        error = value.get("error", {}) if isinstance(value, dict) else {}
        if error.get("code") != -32600:  # nested too deep
            yield f"{case.tool}: a call has no result but {error.get('code')}"
        return
    content = result["content"]
    if len(content) != 1 or content[0].get("type") != "text" or result.keys() - {
        "content", "isError", "structuredContent", "resultType", "_meta"
    }:  # fmt: skip
        yield f"{case.tool}: a result of another shape"
        return
    text: str = content[0]["text"]
    structured = result.get("structuredContent")
    size = len(text) + (
        0 if structured is None else len(json.dumps(structured, ensure_ascii=False))
    )
    if size > MOST:
        yield f"{case.tool}: a result over its bound"
    if escaped(text)[1]:
        yield f"{case.tool}: invisible characters in a result"
    if result["isError"]:
        if structured is not None:
            yield f"{case.tool}: an error with structured content"
        if not re.search(rf"\(code: ({FAILURES})\)(\n\(request: [\w.-]+\))?$", text):
            yield f"{case.tool}: an error without its code"
        if _tells_of_the_inside(case, text):
            yield f"{case.tool}: an error tells of the inside"
        return
    schema = _output_schema(case.server, case.tool)
    if (schema is None) != (structured is None):
        yield f"{case.tool}: structured content does not go with the schema"
    if schema is not None and structured is not None:
        try:
            jsonschema.validate(structured, schema)
        except jsonschema.ValidationError:
            yield f"{case.tool}: structured content against its schema"
