"""The product's own receivers of the sidecar's signals: one line in the log per call.

The records are made by hand: looking for the calling line, as a logger does, costs as much as all
the rest, and there is only this one. What signals carry holds no secrets any more.
"""

import logging
from typing import Any, Final

from django.dispatch import receiver

from mcp_sidecar.signals import mcpserver_called, mcpserver_tool_called
from web.core.logs import READY_FIELDS

calls: Final = logging.getLogger("portolan.calls")


@receiver(mcpserver_called, dispatch_uid="portolan.log_message")
def log_message(sender: object, **values: Any) -> None:
    """Write one line for an accepted message."""
    del sender
    _write(f"{values['server']} {values['method']}", values)


@receiver(mcpserver_tool_called, dispatch_uid="portolan.log_tool_call")
def log_tool_call(sender: object, **values: Any) -> None:
    """Write one line for a tool call."""
    del sender
    _write(f"{values['server']} {values['tool']}: {values['outcome']}", values)


def _write(message: str, values: dict[str, Any]) -> None:
    """Write a line with the values of a signal as fields, times in milliseconds."""
    if not calls.isEnabledFor(logging.INFO):
        return
    del values["signal"]
    values["milliseconds"] = round(values.pop("seconds") * 1000, 2)
    fields = {READY_FIELDS: values}
    calls.handle(
        calls.makeRecord(calls.name, logging.INFO, __file__, 0, message, (), None, extra=fields)
    )
