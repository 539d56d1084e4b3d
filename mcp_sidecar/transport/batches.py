"""JSON-RPC batches: a list of messages, answered by the list of the responses that are due."""

from typing import Any

from mcp_sidecar.errors import INVALID_REQUEST, ProtocolError
from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.transport import messages
from mcp_sidecar.transport.dispatch import Dispatcher
from mcp_sidecar.transport.messages import Malformed, Notification, Request
from web.core.limits import LIMITS


async def answered_batch(
    dispatcher: Dispatcher, exchange: Exchange, values: list[Any], body: bytes, *, version: str
) -> bytes | None:
    """Return the responses as a JSON list in the order of their messages; None where none is due.

    The messages are answered one after the other, all before the deadline of the exchange: a model
    may rely on the first being done before the second. Raises ProtocolError for an empty batch and
    one over the limit.
    """
    if not 1 <= len(values) <= LIMITS.max_batch_size:
        raise ProtocolError(
            INVALID_REQUEST,
            f"Invalid Request: a batch holds 1 to {LIMITS.max_batch_size} messages, "
            f"this one {len(values)}",
        )
    answers = []
    for value in values:
        answer = await _answered(dispatcher, exchange, messages.read(value, body), version)
        if answer is not None:
            answers.append(answer)
    return b"[" + b",".join(answers) + b"]" if answers else None


async def _answered(
    dispatcher: Dispatcher, exchange: Exchange, message: messages.Message, version: str
) -> bytes | None:
    if isinstance(message, Malformed):
        return messages.error_json(message.id_json, message.error)
    if isinstance(message, Notification):
        dispatcher.accept(exchange, message, version=version)
    if not isinstance(message, Request):
        return None
    if message.method == "initialize":
        error = ProtocolError(
            INVALID_REQUEST, "Invalid Request: initialize must not be part of a batch"
        )
        return messages.error_json(message.id_json, error)
    return (await dispatcher.answer(exchange, message, version=version)).body
