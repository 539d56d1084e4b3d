"""Access of many accounts ended by staff, for good: their tokens and connected applications."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import batched
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Max, Q
from oauth2_provider.models import get_access_token_model, get_grant_model, get_refresh_token_model

from web.accounts.models import PersonalAccessToken
from web.accounts.records import AccessRevoked, Actor
from web.accounts.services.audit import audit_write_each
from web.accounts.services.connections import access_end
from web.accounts.services.staff import (
    SAMPLE,
    check_acts_as_staff,
    check_not_own,
    check_scope,
    checked_reason,
    unknown_ids,
)
from web.core.clock import now
from web.core.transactions import write_transaction

_ROWS_AT_ONCE = 500


@dataclass(slots=True)
class _Access:
    """What can act as one account: ids of personal access tokens, and of clients."""

    tokens: list[int] = field(default_factory=list)
    clients: list[int] = field(default_factory=list)


def access_revoke(
    *,
    actor: Actor,
    user_ids: Sequence[int] | None,
    unused_since: datetime | None,
    reason: str,
    dry_run: bool,
) -> AccessRevoked:
    """End access for good, from the next request on, and return a summary.

    The scope is either everything that acts as the accounts `user_ids`, or, of all accounts but the
    actor's own, every token that was last used (or made, where it never was) before `unused_since`
    and every application that last renewed its access before it. A repetition changes nothing. Rows
    are locked in the order of their keys. Raises InvalidInput without exactly one scope or a
    reason, NotFound for an id that is no account, NotAllowed for who is not staff (any more) and
    for the actor's own id.
    """
    check_scope(ids=user_ids, ids_name="user_ids", before=unused_since, before_name="unused_since")
    reason = checked_reason(reason)
    with write_transaction("accounts"):
        check_acts_as_staff(actor)
        if user_ids is not None:
            check_not_own(actor, user_ids, field="user_ids")
            _check_known(user_ids)
        ending = _access(actor, user_ids, unused_since)
        if not dry_run:
            _end(actor, ending, reason)
            get_grant_model().objects.filter(user_id__in=user_ids or ()).delete()
    tokens = sorted(token for access in ending.values() for token in access.tokens)
    return AccessRevoked(
        is_dry_run=dry_run,
        user_count=len(ending),
        token_count=len(tokens),
        connection_count=sum(len(access.clients) for access in ending.values()),
        sample_user_ids=tuple(sorted(ending)[:SAMPLE]),
        sample_token_ids=tuple(tokens[:SAMPLE]),
    )


def _check_known(user_ids: Sequence[int]) -> None:
    known = set(get_user_model().objects.filter(pk__in=user_ids).values_list("pk", flat=True))
    if missing := sorted(set(user_ids) - known):
        raise unknown_ids(missing)


def _access(
    actor: Actor, user_ids: Sequence[int] | None, unused_since: datetime | None
) -> dict[int, _Access]:
    """Return what is to end, by account, the tokens locked."""
    found: dict[int, _Access] = defaultdict(_Access)
    tokens = PersonalAccessToken.objects.filter(revoked_at=None)
    if user_ids is not None:
        tokens = tokens.filter(user_id__in=user_ids)
    if unused_since is not None:
        never_used = Q(last_used_at=None, created_at__lt=unused_since)
        tokens = tokens.filter(Q(last_used_at__lt=unused_since) | never_used)
        tokens = tokens.exclude(user_id=actor.user_id or 0)
    locked = tokens.select_for_update().order_by("pk").values_list("pk", "user_id")
    for token_id, user_id in locked:
        found[user_id].tokens.append(token_id)
    for (user_id, client_id), renewed_at in _connections(user_ids).items():
        is_in_use = unused_since is not None and renewed_at >= unused_since
        if not is_in_use and user_id != actor.user_id:
            found[user_id].clients.append(client_id)
    return dict(found)


def _connections(user_ids: Sequence[int] | None) -> dict[tuple[int, int], datetime]:
    """Return when each client last got a token, of those that can still act as an account."""
    refresh_tokens = get_refresh_token_model().objects.filter(revoked=None)
    access_tokens = get_access_token_model().objects.filter(expires__gt=now())
    renewed: dict[tuple[int, int], datetime] = {}
    for rows in (refresh_tokens, access_tokens):
        mine: Any = rows.filter(user__isnull=False, application__isnull=False).order_by()
        if user_ids is not None:
            mine = mine.filter(user_id__in=user_ids)
        for user_id, client_id, at in mine.values_list("user_id", "application_id").annotate(
            Max("created")
        ):
            pair = (user_id, client_id)
            renewed[pair] = max(at, renewed.get(pair, at))
    return renewed


def _end(actor: Actor, ending: dict[int, _Access], reason: str) -> None:
    tokens = [token for access in ending.values() for token in access.tokens]
    moment = now()
    for some in batched(tokens, _ROWS_AT_ONCE):
        PersonalAccessToken.objects.filter(pk__in=some).update(revoked_at=moment)
    for user_id in sorted(ending):
        if ending[user_id].clients:
            access_end(user_id, ending[user_id].clients)
    names = _names(ending)
    audit_write_each(
        actor=actor,
        action="access.revoked",
        targets={
            f"user:{user_id} {names[user_id]}": {"tokens": one.tokens, "clients": one.clients}
            for user_id, one in sorted(ending.items())
        },
        reason=reason,
    )


def _names(user_ids: Iterable[int]) -> dict[int, str]:
    names: dict[int, str] = {}
    users = get_user_model().objects
    for some in batched(user_ids, _ROWS_AT_ONCE):
        names.update(users.filter(pk__in=some).values_list("pk", "username"))
    return names
