"""One place that says how every failure looks to an MCP client.

- A tool's own failure (`web.core.errors`) is a result with `isError`: `failure_text`.
- What the protocol forbids is a JSON-RPC error: the codes below.
- What nobody foresaw is -32603 "Internal error" with the request id and nothing else: `unforeseen`
  writes it to the log, once.
- What HTTP refuses before a message is answered is a JSON-RPC error too, because clients show those
  and nothing else; only an address where nothing is says `{"error": code, "message": sentence}`.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from mcp_sidecar.bridge import Busy
from mcp_sidecar.contract.failures import failure_text as contract_failure_text
from web.core.errors import DeadlineExceeded, PortolanError, Unavailable
from web.core.redaction import without_tokens

logger = logging.getLogger(__name__)

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
MISSING_REQUIRED_CLIENT_CAPABILITY: Final = -32021
UNSUPPORTED_PROTOCOL_VERSION: Final = -32022
# Of the range that JSON-RPC and MCP leave to implementations (-32000 to -32019).
UNAVAILABLE: Final = -32010
"""A part of the platform does not answer now, or is busy: of a tool call only by HTTP 5xx."""
TOO_MANY_REQUESTS: Final = -32011
"""The caller has to wait before the next message (HTTP 429)."""
REFUSED: Final = -32012
"""HTTP refuses the message, whatever it says; `data.code` and the status say why."""

MOST_REPEATED: Final = 100
"""So many characters of what a client sent are repeated to it in an error."""


class ProtocolError(Exception):
    """A request that is answered with a JSON-RPC error instead of a result."""

    def __init__(
        self, code: int, message: str, data: Any = None, *, tool_outcome: str = "internal_error"
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.tool_outcome = tool_outcome

    @property
    def body(self) -> dict[str, Any]:
        """The `error` member of the JSON-RPC response."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            body["data"] = self.data
        return body


def unforeseen(error: BaseException, *, request_id: str, where: str) -> ProtocolError:
    """Log what nobody foresaw, with its traceback, and return what the client is told."""
    logger.error("unforeseen failure in %s (request %s)", where, request_id, exc_info=error)
    return ProtocolError(INTERNAL_ERROR, "Internal error", {"request_id": request_id})


def note_away(error: PortolanError, *, request_id: str, where: str) -> None:
    """Log a part of the platform that does not answer, with the traceback; others are expected."""
    if isinstance(error, Unavailable) and not isinstance(error, Busy):
        logger.error("%s (request %s in %s)", error, request_id, where, exc_info=error)


def unavailable(error: PortolanError, *, request_id: str, where: str) -> ProtocolError:
    """Return the JSON-RPC error for an expected failure outside of a tool call; log it."""
    note_away(error, request_id=request_id, where=where)
    return ProtocolError(UNAVAILABLE, error.words, {"code": error.code, "request_id": request_id})


def unknown_tool(name: str, *, lacks_github_token: bool = False) -> ProtocolError:
    """Return the error for a tool that does not exist, or is not offered to this caller.

    Of one that a GitHub token would show (`lacks_github_token`) it says how to send it.
    """
    message = f"Unknown tool: {without_tokens(name[:MOST_REPEATED])}"
    if lacks_github_token:
        message += (
            ". It is there for requests with the caller's own GitHub token: send it in the header "
            "X-GitHub-Token, or alone as Authorization: Bearer"
        )
    return ProtocolError(METHOD_NOT_FOUND, message, tool_outcome="unknown_tool")


def unknown_method(method: str) -> ProtocolError:
    """Return the error for a method that does not exist, or is not announced."""
    return ProtocolError(METHOD_NOT_FOUND, "Method not found", _cut(method))


def repeated(code: int, message: str, data: Any) -> ProtocolError:
    """Return an error that a library words, bounded: it may repeat what the client sent."""
    if isinstance(data, Mapping):
        data = {name: _cut(value) for name, value in data.items()}
    return ProtocolError(code, without_tokens(message[: 4 * MOST_REPEATED]), _cut(data))


def _cut(value: Any) -> Any:
    return without_tokens(value[:MOST_REPEATED]) if isinstance(value, str) else value


def failure_text(error: PortolanError, *, request_id: str) -> str:
    """Return what a model reads of a tool's own failure: what happened, what to do next, the code.

    A failure of the platform also names the request, so that a person finds it in the logs.
    """
    text = contract_failure_text(error)
    if isinstance(error, Unavailable | DeadlineExceeded):
        text = f"{text}\n(request: {request_id})"
    return without_tokens(text)
