"""Accounts deactivated and activated by staff, many at once and all or nothing.

Whoever is deactivated is refused from the next request on: sessions, tokens and applications are
all asked for the account's state each time.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import batched
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Q

from web.accounts.records import Actor, UsersChanged
from web.accounts.selectors.users import living_connections, living_tokens, signed_in_before
from web.accounts.services.audit import audit_write_each
from web.accounts.services.staff import (
    SAMPLE,
    check_acts_as_staff,
    check_not_own,
    check_scope,
    checked_reason,
    unknown_ids,
)
from web.core.errors import Conflict
from web.core.transactions import write_transaction

_ROWS_AT_ONCE = 500


def users_set_active(
    *,
    actor: Actor,
    ids: Sequence[int] | None,
    last_login_before: datetime | None,
    active: bool,
    reason: str,
    dry_run: bool,
) -> UsersChanged:
    """Activate or deactivate the accounts of one scope, and return a summary.

    The scope is either `ids`, or all accounts whose last sign-in is older than `last_login_before`
    (the day they were made where they never signed in) except the actor's own. Accounts that are
    as wanted stay untouched, so a repetition changes nothing. Rows are locked in the order of their
    keys. Raises InvalidInput without exactly one scope or a reason, NotFound for an id that is no
    account, NotAllowed for who is not staff (any more) and for the actor's own id, Conflict where
    no active member of the staff would be left.
    """
    check_scope(ids=ids, ids_name="ids", before=last_login_before, before_name="last_login_before")
    reason = checked_reason(reason)
    with write_transaction("accounts"):
        check_acts_as_staff(actor)
        if ids is not None:
            check_not_own(actor, ids, field="ids")
        wanted, staff = _locked(actor, ids, last_login_before)
        changing = [user for user in wanted if user.is_active != active]
        changed_ids = [user.pk for user in changing]
        if not active and staff and not staff - set(changed_ids):
            raise Conflict(
                "No active member of the staff would be left; nothing was changed.",
                hint="Leave one of them out.",
            )
        changed = _summary(changed_ids, wanted, active=active, dry_run=dry_run)
        if dry_run or not changing:
            return changed
        for some in batched(changed_ids, _ROWS_AT_ONCE):
            get_user_model().objects.filter(pk__in=some).update(is_active=active)
        scope = {"ids": len(ids)} if ids else {"last_login_before": str(last_login_before)}
        audit_write_each(
            actor=actor,
            action="user.activated" if active else "user.deactivated",
            targets={f"user:{user.pk} {user.get_username()}": scope for user in changing},
            reason=reason,
        )
    return changed


def _locked(
    actor: Actor, ids: Sequence[int] | None, last_login_before: datetime | None
) -> tuple[list[Any], set[int]]:
    """Return the accounts of the scope and the ids of all active staff, locked by key."""
    condition = Q(pk__in=ids) if ids is not None else Q()
    if last_login_before is not None:
        condition = signed_in_before(last_login_before)
    active_staff = Q(is_active=True, is_staff=True)
    users = get_user_model().objects.select_for_update().order_by("pk")
    rows: list[Any] = list(users.filter(condition | active_staff))
    staff = {user.pk for user in rows if user.is_active and user.is_staff}
    if ids is None:
        return [row for row in rows if _is_before(row, last_login_before, actor)], staff
    wanted = [row for row in rows if row.pk in set(ids)]
    if missing := sorted(set(ids) - {row.pk for row in wanted}):
        raise unknown_ids(missing)
    return wanted, staff


def _is_before(user: Any, moment: datetime | None, actor: Actor) -> bool:
    seen: datetime = user.last_login or user.date_joined
    return moment is not None and seen < moment and user.pk != actor.user_id


def _summary(
    changed_ids: list[int], wanted: list[Any], *, active: bool, dry_run: bool
) -> UsersChanged:
    tokens = connections = 0
    for some in batched(changed_ids, _ROWS_AT_ONCE):
        tokens += living_tokens(some).count()
        pairs = living_connections(some).order_by().values("user_id", "application_id")
        connections += pairs.distinct().count()
    return UsersChanged(
        is_active=active,
        is_dry_run=dry_run,
        changed_count=len(changed_ids),
        unchanged_count=len(wanted) - len(changed_ids),
        sample_ids=tuple(changed_ids[:SAMPLE]),
        token_count=tokens,
        connection_count=connections,
    )
