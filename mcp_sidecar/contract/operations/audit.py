"""Entries of the audit as the tools of staff show them."""

from datetime import datetime

from mcp_sidecar.contract.base import Result
from mcp_sidecar.contract.rendering.freshness import instant
from mcp_sidecar.contract.text import span


class AuditItem(Result):
    """Something that was done; see the record AuditEntry."""

    entry_id: int
    at: datetime
    actor: str
    action: str
    target: str
    address: str
    reason: str


def audit_line(entry: AuditItem) -> str:
    """Return an entry on one line."""
    line = f"{instant(entry.at)} {span(entry.actor, 150)} {span(entry.action, 60)}"
    if entry.target:
        line += f" {span(entry.target, 255)}"
    if entry.address:
        line += f" from {span(entry.address, 45)}"
    return f"{line}: {span(entry.reason, 300)}" if entry.reason else line
