"""MCP over standard input and output: one JSON-RPC message, or batch, per line.

Requests are answered as they are done, up to a bound at once; initialize is answered before the
next line is read. Handshake clients and those of 2026-07-28 are told apart by each message, so a
client may probe `server/discover` first and shake hands afterwards.
"""

import asyncio
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any, Final

from mcp_sidecar.auth import Caller, caller_now
from mcp_sidecar.errors import INVALID_REQUEST, ProtocolError, unavailable, unforeseen
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.transport import messages
from mcp_sidecar.transport.batches import answered_batch
from mcp_sidecar.transport.dispatch import Dispatcher
from mcp_sidecar.transport.messages import Malformed, Notification, Request
from mcp_sidecar.transport.protocol import (
    HANDSHAKE_VERSIONS,
    NEWEST_HANDSHAKE,
    NEWEST_MODERN,
    UNSTATED_VERSION,
    VERSION_META_KEY,
)
from mcp_sidecar.wire import Wire
from web.core.errors import PortolanError
from web.core.limits import LIMITS
from web.core.logs import CALLER, REQUEST_ID

logger = logging.getLogger(__name__)

MAX_AT_ONCE: Final = 32
FINISHING_SECONDS: Final = 3.0


class StdioServer:
    """Serves one client on a pair of descriptors, until it closes its end."""

    def __init__(
        self, dispatcher: Dispatcher, *, repository: str | None, caller: Caller, wire: Wire
    ) -> None:
        self._dispatcher = dispatcher
        self._repository = repository
        self._caller = caller
        self._wire = wire
        self._version = UNSTATED_VERSION
        self._room = asyncio.Semaphore(MAX_AT_ONCE)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="stdout")
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_AT_ONCE)

    async def serve(self) -> None:
        """Answer every line; return when the client has closed its end, or no longer reads.

        Calls that still run then have a few seconds to be answered.
        """
        CALLER.set(self._caller.label)
        loop = asyncio.get_running_loop()
        Thread(target=self._read, args=(loop,), name="stdin", daemon=True).start()
        running: set[asyncio.Task[None]] = set()
        while (line := await self._lines.get()) is not None:
            if not line.strip():
                continue
            await self._room.acquire()
            task = asyncio.create_task(self._answer(line))
            running.add(task)
            task.add_done_callback(running.discard)
            if b'"initialize"' in line:
                await asyncio.wait({task})
        if running:
            await asyncio.wait(running, timeout=FINISHING_SECONDS)
        self._writer.shutdown(wait=False, cancel_futures=True)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines on a thread of its own: a pipe, a file and a terminal are read alike."""
        most = LIMITS.max_body_bytes + 1
        with open(self._wire.input, "rb", closefd=False) as stream:
            while line := stream.readline(most):
                if len(line) == most and not line.endswith(b"\n"):
                    _skip_line(stream)
                asyncio.run_coroutine_threadsafe(self._lines.put(line), loop).result()
        asyncio.run_coroutine_threadsafe(self._lines.put(None), loop).result()

    async def _answer(self, line: bytes) -> None:
        exchange = Exchange(self._dispatcher.definition, self._repository, body_bytes=len(line))
        REQUEST_ID.set(exchange.request_id)
        try:
            try:
                answer = await self._answered(exchange, line)
            except Exception as error:
                failure = unforeseen(error, request_id=exchange.request_id, where="a line")
                answer = _failed(line, failure)
            if answer is not None:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._writer, self._write, answer + b"\n")
        except Exception:
            logger.exception("an answer could not be written")
        finally:
            self._room.release()

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._wire.output, data) :]
        except OSError:
            logger.info("the client no longer reads")

    async def _answered(self, exchange: Exchange, line: bytes) -> bytes | None:
        try:
            if len(line) > LIMITS.max_body_bytes:
                raise ProtocolError(
                    INVALID_REQUEST,
                    f"Invalid Request: a message may have at most {LIMITS.max_body_bytes} bytes",
                )
            value = messages.decoded(line)
            message = None if isinstance(value, list) else messages.read(value, line)
            try:
                exchange.caller = await caller_now(self._caller, at=exchange.marked())
            except PortolanError as error:
                failure = unavailable(error, request_id=exchange.request_id, where="a line")
                id_json = message.id_json if isinstance(message, Request) else messages.NULL
                return messages.error_json(id_json, failure)
            if message is None:
                return await answered_batch(
                    self._dispatcher, exchange, value, line, version=self._version
                )
        except ProtocolError as error:
            return messages.error_json(messages.NULL, error)
        return await self._single(exchange, message)

    async def _single(self, exchange: Exchange, message: messages.Message) -> bytes | None:
        if isinstance(message, Malformed):
            return messages.error_json(message.id_json, message.error)
        if isinstance(message, Notification):
            self._dispatcher.accept(exchange, message, version=self._version)
        if not isinstance(message, Request):
            return None
        reply = await self._dispatcher.answer(exchange, message, version=self._version_of(message))
        if message.method == "initialize" and reply.error is None:
            self._version = _negotiated(message.params)
        return reply.body

    def _version_of(self, request: Request) -> str:
        """Return the version a request speaks: its own envelope's, or that of the handshake."""
        meta = (request.params or {}).get("_meta")
        is_modern = isinstance(meta, dict) and VERSION_META_KEY in meta
        return NEWEST_MODERN if is_modern and request.method != "initialize" else self._version


def _negotiated(params: dict[str, Any] | None) -> str:
    offered = (params or {}).get("protocolVersion", HANDSHAKE_VERSIONS[0])
    return offered if offered in HANDSHAKE_VERSIONS else NEWEST_HANDSHAKE


def _failed(line: bytes, failure: ProtocolError) -> bytes | None:
    """Return the answer to a line that nobody foresaw, so that no client waits for ever."""
    try:
        message = messages.read(messages.decoded(line), line)
    except ProtocolError:
        return messages.error_json(messages.NULL, failure)
    if isinstance(message, Request | Malformed):
        return messages.error_json(message.id_json, failure)
    return None


def _skip_line(stream: Any) -> None:
    while (part := stream.readline(65_536)) and not part.endswith(b"\n"):
        pass
