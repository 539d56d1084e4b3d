"""Recording of tool calls, off the way of the calls: the queue of this process."""

from collections.abc import Iterable

from web.core.batches import BatchWriter
from web.core.limits import LIMITS
from web.operations.records import NewToolCall
from web.operations.services.recording import tool_calls_record

RECORDER: BatchWriter[NewToolCall] = BatchWriter(
    "usage",
    lambda calls: tool_calls_record(calls=calls),
    most_waiting=LIMITS.max_records_waiting,
)


def record_later(calls: Iterable[NewToolCall]) -> None:
    """Have the calls recorded within seconds, or once the database takes them; raises nothing."""
    RECORDER.add(calls)
