"""One valid request in, one JSON-RPC response out: the same way for HTTP, batches and stdio."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mcp_sidecar import tracing
from mcp_sidecar.errors import ProtocolError, unforeseen
from mcp_sidecar.servers.definition import ServerDefinition
from mcp_sidecar.servers.exchange import Exchange, enter, leave
from mcp_sidecar.servers.notes import note_message
from mcp_sidecar.transport import messages
from mcp_sidecar.transport.lane import Lane
from mcp_sidecar.transport.messages import Notification, Request
from mcp_sidecar.transport.protocol import is_valid_notification

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from mcp_sidecar.transport.sdk import SDK, Headers

ServerOf = Callable[[ServerDefinition], "FastMCP"]
TUTORIAL_HANDSHAKE: Final[dict[str, Any]] = {
    "protocolVersion": "2024-11-05",
    "capabilities": {},
    "clientInfo": {"name": "tutorial", "version": "0"},
}


class Reply(NamedTuple):
    """A JSON-RPC response as JSON, with the code of its error where it is one."""

    body: bytes
    error: int | None = None


class Dispatcher:
    """Answers the requests of one server: the lane what it knows, the SDK the rest.

    `server_of` makes a FastMCP server that has more than the definition says; it has no lane.
    """

    def __init__(
        self,
        definition: ServerDefinition,
        *,
        server_of: ServerOf | None = None,
        has_lane: bool = True,
    ) -> None:
        self.definition = definition
        self._server_of = server_of
        is_plain = server_of is None and definition.capabilities == {"tools"}
        self._lane = Lane(definition) if has_lane and is_plain else None
        self._sdk: SDK | None = None
        self._loading = asyncio.Lock()

    async def answer(
        self,
        exchange: Exchange,
        request: Request,
        *,
        version: str,
        headers: "Headers | None" = None,
    ) -> Reply:
        """Return the response to a request of the protocol `version`.

        `headers` are the HTTP headers that a request of 2026-07-28 must agree with, names in
        lowercase; None where there are none. Raises nothing.
        """
        request = self._completed(request)
        with tracing.message_span(self.definition.name, request.method, request.params):
            reply = await self._answered(exchange, request, version, headers)
            if reply.error is not None:
                tracing.note_error(reply.error)
            return reply

    async def _answered(
        self, exchange: Exchange, request: Request, version: str, headers: "Headers | None"
    ) -> Reply:
        try:
            result = None
            if self._lane is not None:
                result = await self._lane.result(
                    exchange, request, version=version, headers=headers
                )
            if result is None:
                result = await self._by_sdk(exchange, request, version, headers)
            return Reply(messages.result_json(request.id_json, result))
        except ProtocolError as error:
            failure = error
        except Exception as error:
            failure = unforeseen(error, request_id=exchange.request_id, where=request.method)
        return Reply(messages.error_json(request.id_json, failure), failure.code)

    def accept(self, exchange: Exchange, notification: Notification, *, version: str) -> None:
        """Note a notification; one that is not valid is dropped. Nothing else happens."""
        if is_valid_notification(notification.method, notification.params, version=version):
            note_message(exchange, notification.method, started=time.monotonic())

    async def load(self) -> "SDK":
        """Return the SDK's side of the server, made by the first to ask, without blocking."""
        if self._sdk is None:
            async with self._loading:
                if self._sdk is None:
                    self._sdk = await asyncio.to_thread(self._make)
        return self._sdk

    def _make(self) -> "SDK":
        from mcp_sidecar.servers.binding import fastmcp_server
        from mcp_sidecar.transport.sdk import SDK

        return SDK((self._server_of or fastmcp_server)(self.definition))

    async def _by_sdk(
        self, exchange: Exchange, request: Request, version: str, headers: "Headers | None"
    ) -> bytes:
        sdk = await self.load()
        entered = enter(exchange)
        try:
            return messages.encoded(await sdk.result(request, version=version, headers=headers))
        finally:
            leave(entered)

    def _completed(self, request: Request) -> Request:
        """Give a handshake without params those of the tutorial, where the server takes it so."""
        if (
            self.definition.takes_bare_initialize
            and request.method == "initialize"
            and not request.params
        ):
            return request._replace(params=TUTORIAL_HANDSHAKE)
        return request
