"""The product's own receivers of the sidecar's signals: one line in the log per call."""

import logging
from typing import Any

from django.dispatch import receiver

from mcp_sidecar.signals import mcpserver_called, mcpserver_tool_called

calls = logging.getLogger("portolan.calls")


@receiver(mcpserver_called, dispatch_uid="portolan.log_message")
def log_message(sender: object, **values: Any) -> None:
    """Write one line for an accepted message."""
    del sender
    calls.info("%s %s", values["server"], values["method"], extra=_fields(values))


@receiver(mcpserver_tool_called, dispatch_uid="portolan.log_tool_call")
def log_tool_call(sender: object, **values: Any) -> None:
    """Write one line for a tool call."""
    del sender
    message = "%s %s: %s"
    calls.info(message, values["server"], values["tool"], values["outcome"], extra=_fields(values))


def _fields(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a signal as fields of a log record, in milliseconds where it is time."""
    fields = {name: value for name, value in values.items() if name not in {"signal", "seconds"}}
    fields["milliseconds"] = round(values["seconds"] * 1000, 2)
    return fields
