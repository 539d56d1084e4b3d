"""The product's own receivers of the sidecar's signals: one line in the log per call.

The records are made by hand: looking for the calling line, as a logger does, costs as much as all
the rest, and there is only this one. What signals carry holds no secrets any more.
"""

import logging
from typing import Any, Final

from django.dispatch import receiver

from mcp_sidecar.signals import Call, ToolCall, mcpserver_calls
from web.core.logs import READY_FIELDS, lines_together

log: Final = logging.getLogger("portolan.calls")


@receiver(mcpserver_calls, dispatch_uid="portolan.log_calls")
def log_calls(sender: object, *, calls: tuple[Call, ...], **_more: Any) -> None:
    """Write one line for each accepted message and each tool call."""
    del sender
    if log.isEnabledFor(logging.INFO):
        with lines_together():
            for call in calls:
                _write(call)


def _write(call: Call) -> None:
    """Write a line with the values of a call as fields, times in milliseconds."""
    values = call._asdict()
    values["milliseconds"] = round(values.pop("seconds") * 1000, 2)
    del values["at"]
    if isinstance(call, ToolCall):
        message = f"{call.server} {call.tool}: {call.outcome}"
    else:
        message = f"{call.server} {call.method}"
    extra = {READY_FIELDS: values}
    record = log.makeRecord(log.name, logging.INFO, __file__, 0, message, (), None, extra=extra)
    record.created = call.at
    log.handle(record)
