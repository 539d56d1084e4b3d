"""Reading the audit, which only grows: a page goes on behind the last entry of the one before."""

from datetime import datetime

from django.db.models import Q, QuerySet

from web.accounts.models import AuditEvent
from web.accounts.principals import Principal
from web.accounts.records import AuditEntry, AuditListing
from web.core.errors import NotFound
from web.core.paging import cursor_behind, number_of, place_of


def audit_listed(
    *,
    principal: Principal,
    actor: str | None,
    action: str | None,
    target: str | None,
    since: datetime | None,
    limit: int,
    cursor: str | None,
) -> AuditListing:
    """Return a page of the audit, newest first.

    `actor` is a name as it is, `action` a whole word such as `token.revoked` or its first part
    (`token`), `target` any part of it. Raises NotAllowed for who is not staff, NotFound for
    an action that no entry has, InvalidInput for a cursor of other filters.
    """
    principal.require_staff()
    filters = {"actor": actor, "action": action, "target": target, "since": since}
    place = place_of(cursor, filters=filters)
    found = AuditEvent.objects.all()
    if actor:
        found = found.filter(actor_name__iexact=actor)
    if action:
        found = found.filter(Q(action=action) | Q(action__startswith=f"{action.rstrip('.')}."))
    if target:
        found = found.filter(target__icontains=target)
    if since:
        found = found.filter(at__gte=since)
    behind = found if place is None else found.filter(pk__lt=number_of(place))
    rows = list(behind.order_by("-pk")[: limit + 1])
    if action and not rows and place is None:
        _require_noted(action)
    more = len(rows) > limit
    return AuditListing(
        entries=tuple(_entry(row) for row in rows[:limit]),
        total_count=found.count(),
        next_cursor=cursor_behind(str(rows[limit - 1].pk), filters=filters) if more else None,
    )


def _require_noted(action: str) -> None:
    """Raise NotFound for an action that no entry has, which may be misspelled."""
    noted = AuditEvent.objects.order_by().values_list("action", flat=True).distinct()
    known = sorted(set(noted))
    if not any(f"{one}.".startswith(f"{action.rstrip('.')}.") for one in known):
        raise NotFound(
            f"No entry has the action {action[:100]!r}.",
            hint=f"Actions in the audit are: {', '.join(known)}."
            if known
            else "The audit has no entries yet.",
        )


def entries_about(user_id: int, username: str, *, limit: int) -> tuple[AuditEntry, ...]:
    """Return the newest entries by an account or about it."""
    about = Q(target=f"user:{user_id} {username}") | Q(target__endswith=f" of {username}")
    found: QuerySet[AuditEvent] = AuditEvent.objects.filter(Q(actor_id=user_id) | about)[:limit]
    return tuple(_entry(row) for row in found)


def _entry(row: AuditEvent) -> AuditEntry:
    return AuditEntry(
        entry_id=row.pk,
        at=row.at,
        actor=row.actor_name,
        action=row.action,
        target=row.target,
        address=row.address or "",
        reason=row.reason,
    )
