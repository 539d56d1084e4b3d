"""The audit: who did what, when, from where and why."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from web.accounts.models import AuditEvent
from web.accounts.records import Actor
from web.core.clock import now

_MAX_TARGET_CHARACTERS = 255


def audit_write(
    *,
    actor: Actor,
    action: str,
    target: str = "",
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Write one event, in the caller's transaction. `detail` must hold no secrets."""
    AuditEvent.objects.create(
        at=now(),
        actor_id=actor.user_id,
        actor_name=actor.username,
        action=action,
        target=target[:_MAX_TARGET_CHARACTERS],
        address=_address_or_none(actor.address),
        reason=reason,
        detail=dict(detail or {}),
    )


def _address_or_none(text: str) -> str | None:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
