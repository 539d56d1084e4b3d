"""The audit: who did what, when, from where and why."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from web.accounts.models import AuditEvent
from web.accounts.records import Actor
from web.core.clock import now

_MAX_TARGET_CHARACTERS = 255
_EVENTS_AT_ONCE = 500


def audit_write(
    *,
    actor: Actor,
    action: str,
    target: str = "",
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Write one event, in the caller's transaction. `detail` must hold no secrets."""
    audit_write_each(actor=actor, action=action, targets={target: detail or {}}, reason=reason)


def audit_write_each(
    *, actor: Actor, action: str, targets: Mapping[str, Mapping[str, Any]], reason: str
) -> None:
    """Write one event per target, with its detail, in the caller's transaction."""
    moment, address = now(), _address_or_none(actor.address)
    through = {"credential": actor.credential} if actor.credential else {}
    events = [
        AuditEvent(
            at=moment,
            actor_id=actor.user_id,
            actor_name=actor.username,
            action=action,
            target=target[:_MAX_TARGET_CHARACTERS],
            address=address,
            reason=reason,
            detail={**detail, **through},
        )
        for target, detail in targets.items()
    ]
    AuditEvent.objects.bulk_create(events, batch_size=_EVENTS_AT_ONCE)


def _address_or_none(text: str) -> str | None:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
