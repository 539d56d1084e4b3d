"""The HTTP side of an MCP endpoint: who may ask, in which form, and in which form it is answered.

Streamable HTTP, stateless, JSON answers only. What reaches the dispatcher is a caller and one valid
message; a batch is taken apart here. docs/protocol.md lists every case.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from secrets import token_hex
from typing import Any, Final

from mcp_sidecar import bridge, counters, tracing
from mcp_sidecar.auth import Caller, Unauthorized, caller_of
from mcp_sidecar.errors import (
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    ProtocolError,
    note_away,
    unforeseen,
)
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.transport import messages, origins
from mcp_sidecar.transport.batches import answered_batch
from mcp_sidecar.transport.body import ClientLeftError, read_body
from mcp_sidecar.transport.challenges import (
    no_repository,
    not_admitted,
    resource_of,
    unauthorized,
)
from mcp_sidecar.transport.credentials import query_holds_a_token
from mcp_sidecar.transport.dispatch import Dispatcher
from mcp_sidecar.transport.headers import check_media, check_origin, check_singles
from mcp_sidecar.transport.messages import Malformed, Notification, PostedResponse, Request
from mcp_sidecar.transport.protocol import (
    HANDSHAKE_VERSIONS,
    KNOWN_VERSIONS,
    MODERN_STATUS,
    MODERN_VERSIONS,
    NEWEST_HANDSHAKE,
    UNSTATED_VERSION,
)
from mcp_sidecar.transport.rate_limits import RateLimits, address_of
from mcp_sidecar.transport.responses import (
    JSON,
    HeaderList,
    Receive,
    Refusal,
    Scope,
    Send,
    respond,
)
from web.core.errors import PortolanError
from web.core.limits import LIMITS
from web.core.logs import CALLER, REQUEST_ID, request_id_from
from web.core.redaction import without_tokens

logger = logging.getLogger(__name__)

Answer = tuple[int, bytes, HeaderList]
ACCEPTED: Final[Answer] = (202, b"", ())
FIRST_REFUSAL: Final = 400


class Gate:
    """One server over HTTP: its endpoint over all repositories, and that of each one."""

    def __init__(self, dispatcher: Dispatcher, rate_limits: RateLimits) -> None:
        self.dispatcher = dispatcher
        self.definition = dispatcher.definition
        self.rate_limits = rate_limits

    async def serve(
        self, repository: str | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one HTTP request to the endpoint of `repository`, None for that over all."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request_id = _request_id(headers.get(b"x-request-id"))
        REQUEST_ID.set(request_id)
        route = self.definition.path_of(None if repository is None else "{name}")
        with tracing.request_span(scope["method"], route, headers, request_id=request_id):
            await self._serve(repository, scope, receive, send, headers=headers)

    async def _serve(
        self,
        repository: str | None,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        headers: Mapping[bytes, bytes],
    ) -> None:
        request_id = REQUEST_ID.get()
        always: HeaderList = ((b"x-request-id", request_id.encode()),)
        origin = headers.get(b"origin")
        if origin is not None and origins.origin_is_served(origin):
            always += origins.cors_headers(origin)
        try:
            status, body, more = await self._answer(repository, scope, receive, headers, request_id)
        except ClientLeftError:
            return
        except Refusal as refusal:
            status, body, more = _refused(refusal)
        except PortolanError as error:
            note_away(error, request_id=request_id, where="the gate")
            later = _later(error.message, code=error.code)
            later.data["request_id"] = request_id
            status, body, more = _refused(later)
        except Exception as error:
            failure = unforeseen(error, request_id=request_id, where="the gate")
            status, body, more = 500, messages.error_json(messages.NULL, failure), (JSON,)
        if status >= FIRST_REFUSAL:
            counters.refusals[status] += 1
        tracing.note_status(status)
        await respond(send, status, body, always + more)

    async def _answer(
        self,
        repository: str | None,
        scope: Scope,
        receive: Receive,
        headers: Mapping[bytes, bytes],
        request_id: str,
    ) -> Answer:
        check_singles(scope["headers"], headers)
        check_origin(headers)
        if scope["method"] != "POST":
            return _not_a_post(scope["method"], headers)
        exchange = Exchange(self.definition, repository, request_id=request_id)
        address = address_of(scope)
        exchange.caller = await self._caller(exchange, scope, headers, address)
        CALLER.set(exchange.caller.label)
        await self.rate_limits.take(exchange.caller, address)
        if repository is not None and not await exchange.endpoint_exists():
            raise no_repository(self.definition, exchange.caller.principal, path=scope["path"])
        check_media(headers, scope["headers"])
        body = await read_body(receive, headers)
        exchange.body_bytes = len(body)
        try:
            value = messages.decoded(body)
        except ProtocolError as error:
            return 400, messages.error_json(messages.NULL, error), (JSON,)
        version = headers.get(b"mcp-protocol-version")
        stated = UNSTATED_VERSION if version is None else version.decode("latin-1")
        if isinstance(value, list):
            if 1 < len(value) <= LIMITS.max_batch_size:
                await self.rate_limits.take(exchange.caller, address, len(value) - 1)
            return await self._batch(exchange, value, body, stated)
        return await self._single(exchange, value, body, stated, scope)

    async def _caller(
        self, exchange: Exchange, scope: Scope, headers: Mapping[bytes, bytes], address: str
    ) -> Caller:
        path, token_scope = scope["path"], self.definition.token_scope
        query = scope.get("query_string", b"")
        if query and query_holds_a_token(query):
            message = "A token belongs into the Authorization header, never the address."
            raise unauthorized(message, path=path, token_scope=token_scope)
        resource = resource_of(path)
        try:
            async with self.rate_limits.looking_up(headers, address, resource=resource):
                caller = await caller_of(
                    headers, resource=resource, scope=token_scope, mark=exchange.marked
                )
        except Unauthorized as error:
            await self.rate_limits.note_wrong_token(address)
            raise unauthorized(str(error), path=path, token_scope=token_scope) from None
        if not self.definition.admits(caller.principal):
            raise not_admitted(self.definition, caller.principal, path=path)
        return caller

    async def _single(
        self, exchange: Exchange, value: Any, body: bytes, stated: str, scope: Scope
    ) -> Answer:
        message = messages.read(value, body)
        if isinstance(message, Malformed):
            return 400, messages.error_json(message.id_json, message.error), (JSON,)
        version, is_modern = stated, stated in MODERN_VERSIONS
        if not is_modern and stated not in HANDSHAKE_VERSIONS:
            # The version of an initialize is an offer, whatever the header says beside it.
            if not isinstance(message, Request) or message.method != "initialize":
                id_json = message.id_json if isinstance(message, Request) else messages.NULL
                return 400, messages.error_json(id_json, _unsupported(stated)), (JSON,)
            version = NEWEST_HANDSHAKE
        if isinstance(message, Notification):
            self.dispatcher.accept(exchange, message, version=version)
            return ACCEPTED
        if isinstance(message, PostedResponse):
            if is_modern:
                error = ProtocolError(INVALID_REQUEST, "Invalid Request: a response was posted")
                return 400, messages.error_json(messages.NULL, error), (JSON,)
            return ACCEPTED
        pairs = None
        if is_modern:
            pairs = [
                (name.decode("latin-1"), text.decode("latin-1").strip(" \t"))
                for name, text in scope["headers"]
            ]
        reply = await self.dispatcher.answer(exchange, message, version=version, headers=pairs)
        if exchange.is_refused:
            raise _later("The server is busy: too many calls are waiting.", id_json=message.id_json)
        status = 200
        if is_modern and reply.error is not None:
            status = MODERN_STATUS.get(reply.error, 200)
        return status, reply.body, (JSON,)

    async def _batch(
        self, exchange: Exchange, values: list[Any], body: bytes, version: str
    ) -> Answer:
        try:
            if version in MODERN_VERSIONS:
                raise ProtocolError(
                    INVALID_REQUEST,
                    f"Invalid Request: {version} knows no batches; send one message",
                )
            if version not in HANDSHAKE_VERSIONS:
                raise _unsupported(version)
            answers = await answered_batch(self.dispatcher, exchange, values, body, version=version)
        except ProtocolError as error:
            return 400, messages.error_json(messages.NULL, error), (JSON,)
        return ACCEPTED if answers is None else (200, answers, (JSON,))


def _request_id(header: bytes | None) -> str:
    return token_hex(16) if header is None else request_id_from(header.decode("latin-1"))


def _refused(refusal: Refusal) -> Answer:
    """Return a refusal as it is answered; where nothing is, it looks as at any other address."""
    body = refusal.body if refusal.status == HTTPStatus.NOT_FOUND else refusal.error_body
    return refusal.status, body, (JSON, *refusal.headers)


def _later(what: str, *, code: str = "unavailable", id_json: bytes = messages.NULL) -> Refusal:
    """Return the refusal of a message that is right, and may be answered a moment later."""
    seconds = bridge.RETRY_AFTER_SECONDS
    message = f"{what} Send it again in {seconds} s."
    return Refusal(503, code, message, retry_after_seconds=seconds, id_json=id_json)


def _not_a_post(method: str, headers: Mapping[bytes, bytes]) -> Answer:
    """Answer the preflight of a page that may ask; refuse every other method."""
    is_preflight = b"origin" in headers and b"access-control-request-method" in headers
    if method == "OPTIONS" and is_preflight:
        requested = headers.get(b"access-control-request-headers", b"")
        return 204, b"", origins.preflight_headers(requested)
    raise Refusal(
        405, "method_not_allowed", "Send messages with POST.", headers=((b"allow", b"POST"),)
    )


def _unsupported(version: str) -> ProtocolError:
    known = ", ".join(KNOWN_VERSIONS)
    return ProtocolError(
        UNSUPPORTED_PROTOCOL_VERSION,
        f"Unsupported protocol version in MCP-Protocol-Version. Supported: {known}",
        # As server/discover lists them: a client that meets this error speaks no handshake.
        {"supported": list(MODERN_VERSIONS), "requested": without_tokens(version[:100])},
    )
