"""The HTTP side of an MCP endpoint: who may ask, in which form, and in which form it is answered.

Streamable HTTP, stateless, JSON answers only. What reaches the dispatcher is a caller and one valid
message; a batch is taken apart here. docs/protocol.md lists every case.
"""

import logging
import re
from collections.abc import Mapping
from functools import lru_cache
from secrets import token_hex
from typing import Any, Final
from urllib.parse import quote

from django.conf import settings

from mcp_sidecar import bridge, counters, tracing
from mcp_sidecar.auth import Caller, Unauthorized, caller_of
from mcp_sidecar.errors import (
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    ProtocolError,
    unforeseen,
)
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.transport import messages, origins
from mcp_sidecar.transport.batches import answered_batch
from mcp_sidecar.transport.body import ClientLeftError, read_body
from mcp_sidecar.transport.credentials import check_singles, query_holds_a_token
from mcp_sidecar.transport.dispatch import Dispatcher
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
from web.accounts.principals import Principal
from web.core.errors import PortolanError
from web.core.limits import LIMITS
from web.core.logs import CALLER, REQUEST_ID, request_id_from
from web.core.redaction import without_tokens

logger = logging.getLogger(__name__)

RETRY_AFTER: Final = (b"retry-after", b"%d" % bridge.RETRY_AFTER_SECONDS)
SERVED_MEDIA: Final = frozenset(
    {"application/json", "application/*", "text/event-stream", "text/*", "*/*"}
)
_NO_WEIGHT: Final = re.compile(r"q\s*=\s*0(\.0{0,3})?")
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
            status, body, more = refusal.status, refusal.body, (JSON, *refusal.headers)
        except PortolanError as error:
            away = Refusal(503, error.code, str(error), headers=(RETRY_AFTER,))
            status, body, more = away.status, away.body, (JSON, *away.headers)
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
            raise self._no_repository(scope, exchange.caller.principal)
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
        query = scope.get("query_string", b"")
        if query and query_holds_a_token(query):
            raise self._unauthorized(
                scope, "A token belongs into the Authorization header, never the address."
            )
        resource = resource_of(scope["path"])
        try:
            async with self.rate_limits.looking_up(headers, address, resource=resource):
                caller = await caller_of(
                    headers,
                    resource=resource,
                    scope=self.definition.token_scope,
                    mark=exchange.marked,
                )
        except Unauthorized as error:
            await self.rate_limits.note_wrong_token(address)
            raise self._unauthorized(scope, str(error)) from None
        if not self.definition.admits(caller.principal):
            raise self._not_admitted(scope, caller.principal)
        return caller

    def _no_repository(self, scope: Scope, principal: Principal) -> Refusal:
        """Return the refusal of a repository that is absent, or not for this caller: both alike.

        Who has not signed in is told where that could be done (RFC 9110 section 11.6.1).
        """
        refusal = not_found()
        if principal.user_id is None:
            token_scope = self.definition.token_scope
            challenge = _challenge("", path=scope["path"], token_scope=token_scope, code=None)
            refusal.headers = (challenge,)
        return refusal

    def _not_admitted(self, scope: Scope, principal: Principal) -> Refusal:
        """Return the refusal of a caller who is not of the server's audience.

        Without an account's token it is a 401 that leads to one. A token that may do something
        else is good, and gets a 403 (RFC 6750 section 3.1); one whose right to this was taken back
        does not count any more, and gets a 401.
        """
        audience, token_scope = self.definition.audience, self.definition.token_scope
        if principal.user_id is None:
            message = f"This server is for {audience}. Sign in, or send an account token."
            return unauthorized(message, path=scope["path"], token_scope=token_scope, code=None)
        if token_scope in principal.withdrawn_scopes:
            return self._unauthorized(scope, f"The token no longer counts here: only {audience}.")
        message = f"This server is for {audience}, by a token with the scope {token_scope}."
        return insufficient_scope(message, path=scope["path"], token_scope=token_scope)

    def _unauthorized(self, scope: Scope, message: str) -> Refusal:
        """Return the refusal of a credential, which says where to get one for this very address."""
        return unauthorized(message, path=scope["path"], token_scope=self.definition.token_scope)

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
            raise Refusal(503, "unavailable", "Too many calls are waiting.", headers=(RETRY_AFTER,))
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


def not_found() -> Refusal:
    """Return the refusal of an address where nothing is, or nothing for this caller."""
    return Refusal(404, "not_found", "There is nothing at this address.")


def unauthorized(
    message: str, *, path: str, token_scope: str | None, code: str | None = "invalid_token"
) -> Refusal:
    """Return the refusal of a credential; `code` None where there was none to be wrong."""
    challenge = _challenge(message, path=path, token_scope=token_scope, code=code)
    return Refusal(401, code or "token_required", message, headers=(challenge,))


def insufficient_scope(message: str, *, path: str, token_scope: str | None) -> Refusal:
    """Return the refusal of a token that is good, but not for what it was sent to."""
    code = "insufficient_scope"
    challenge = _challenge(message, path=path, token_scope=token_scope, code=code)
    return Refusal(403, code, message, headers=(challenge,))


def _challenge(
    message: str, *, path: str, token_scope: str | None, code: str | None
) -> tuple[bytes, bytes]:
    """Return the challenge of RFC 6750 section 3 and RFC 9728 section 5.1, for this very address.

    A request without any credential gets no error code (RFC 6750 section 3.1).
    """
    metadata = f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{quote(path)}"
    parts = ['realm="portolan"']
    if code is not None:
        parts += [f'error="{code}"', f'error_description="{message}"']
    parts.append(f'resource_metadata="{metadata}"')
    if token_scope is not None:
        parts.append(f'scope="{token_scope}"')
    return b"www-authenticate", f"Bearer {', '.join(parts)}".encode()


def resource_of(path: str) -> str:
    """Return the public address of an endpoint, which tokens are bound to."""
    return f"{settings.PUBLIC_URL}{path}"


def check_origin(headers: Mapping[bytes, bytes]) -> None:
    """Raise Refusal 421 for a foreign Host, 403 for the page of a foreign Origin."""
    if not origins.host_is_served(headers.get(b"host", b"")):
        raise Refusal(421, "misdirected_request", "This host name is not served here.")
    origin = headers.get(b"origin")
    if origin is not None and not origins.origin_is_served(origin):
        raise Refusal(403, "forbidden_origin", "Pages of this origin may not ask here.")


def check_media(headers: Mapping[bytes, bytes], pairs: HeaderList) -> None:
    """Raise Refusal 406 where no answer would be accepted, 415 for a body that is no plain JSON.

    `headers` are the same as `pairs`, by name.
    """
    accept = headers.get(b"accept")
    if len(headers) < len(pairs):  # a list may come in parts (RFC 9110 section 5.3)
        accept = b", ".join(value for name, value in pairs if name == b"accept")
    if accept is not None and not _accepts(accept):
        raise Refusal(
            406,
            "not_acceptable",
            "Answers are JSON. Send: Accept: application/json, text/event-stream",
        )
    if headers.get(b"content-encoding", b"identity").strip().lower() not in {b"identity", b""}:
        raise Refusal(
            415,
            "unsupported_media_type",
            "Bodies are not compressed here. Leave Content-Encoding out.",
        )
    content_type = headers.get(b"content-type")
    if content_type is not None and not _is_json(content_type):
        raise Refusal(
            415,
            "unsupported_media_type",
            "Messages are JSON. Send: Content-Type: application/json",
        )


@lru_cache(maxsize=512)
def _accepts(accept: bytes) -> bool:
    """Return whether an Accept header takes JSON, or the stream that MCP clients name beside it."""
    text = accept.decode("latin-1").lower()
    if not text.strip():
        return True
    for part in text.split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        if media in SERVED_MEDIA and not any(map(_NO_WEIGHT.fullmatch, parameters)):
            return True
    return False


@lru_cache(maxsize=512)
def _is_json(content_type: bytes) -> bool:
    return content_type.decode("latin-1").partition(";")[0].strip().lower() == "application/json"


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
