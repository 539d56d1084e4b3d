"""The product's own receivers of the sidecar's signals: a line in the log per call, and a record.

The lines are made by hand: looking for the calling line, as a logger does, costs as much as all
the rest, and there is only this one. What signals carry holds no secrets any more.
"""

import logging
from datetime import UTC, datetime
from typing import Any, Final

from django.conf import settings
from django.dispatch import receiver

from mcp_sidecar.signals import Call, ToolCall, mcpserver_calls
from web.core.logs import READY_FIELDS, lines_together
from web.operations.recorder import record_later
from web.operations.records import NewToolCall

log: Final = logging.getLogger("portolan.calls")


@receiver(mcpserver_calls, dispatch_uid="portolan.log_calls")
def log_calls(sender: object, *, calls: tuple[Call, ...], **_more: Any) -> None:
    """Write one line for each accepted message and each tool call."""
    del sender
    if log.isEnabledFor(logging.INFO):
        with lines_together():
            for call in calls:
                _write(call)


@receiver(mcpserver_calls, dispatch_uid="portolan.record_calls")
def record_calls(sender: object, *, calls: tuple[Call, ...], **_more: Any) -> None:
    """Have the tool calls recorded for the usage pages, unless the installation wants none."""
    del sender
    if settings.RECORD_CALLS:
        record_later([_to_record(call) for call in calls if isinstance(call, ToolCall)])


def _to_record(call: ToolCall) -> NewToolCall:
    values = call._asdict()
    return NewToolCall(**{**values, "at": datetime.fromtimestamp(call.at, UTC)})


def _write(call: Call) -> None:
    """Write a line with the values of a call as fields, times in milliseconds."""
    values = call._asdict()
    values["milliseconds"] = round(values.pop("seconds") * 1000, 2)
    del values["at"]
    if isinstance(call, ToolCall):
        del values["query"]  # it is one of the arguments
        message = f"{call.server} {call.tool}: {call.outcome}"
    else:
        message = f"{call.server} {call.method}"
    extra = {READY_FIELDS: values}
    record = log.makeRecord(log.name, logging.INFO, __file__, 0, message, (), None, extra=extra)
    record.created = call.at
    log.handle(record)
