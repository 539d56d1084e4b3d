"""Accounts as staff see them: lists, and one with everything that can act as it."""

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Q, QuerySet
from oauth2_provider.models import get_refresh_token_model

from web.accounts.models import PersonalAccessToken
from web.accounts.principals import Principal
from web.accounts.records import UserDetail, UserListing, UserSummary
from web.accounts.selectors.audit import entries_about
from web.accounts.selectors.connections import connections_of
from web.accounts.selectors.tokens import tokens_of
from web.core.clock import now
from web.core.errors import NotFound
from web.core.limits import LIMITS
from web.core.paging import cursor_for, offset_of

_SEARCHED = ("username", "first_name", "last_name", "email")
_ENTRIES = 10
_MAX_ID = 2**31 - 1


def users_listed(
    *,
    principal: Principal,
    active: bool | None,
    staff: bool | None,
    search: str | None,
    last_login_before: datetime | None,
    limit: int,
    cursor: str | None,
) -> UserListing:
    """Return a page of accounts by name; a filter that is None lets every account through.

    `search` is a part of the name, the full name or the address, in any case. Raises NotAllowed
    for who is not staff, InvalidInput for a cursor of other filters.
    """
    principal.require_staff()
    filters = {
        "active": active,
        "staff": staff,
        "search": search,
        "last_login_before": last_login_before,
    }
    start = offset_of(cursor, filters=filters)
    found: QuerySet[Any] = get_user_model().objects.order_by("username", "pk")
    if active is not None:
        found = found.filter(is_active=active)
    if staff is not None:
        found = found.filter(is_staff=staff)
    if search and search.strip():
        found = found.filter(_names_like(search.strip()))
    if last_login_before is not None:
        found = found.filter(signed_in_before(last_login_before))
    rows = list(found[start : start + limit + 1])
    more = len(rows) > limit
    return UserListing(
        users=_summaries(rows[:limit]),
        total_count=found.count(),
        next_cursor=cursor_for(offset=start + limit, filters=filters) if more else None,
    )


def user_detail(*, principal: Principal, user_id: int) -> UserDetail:
    """Return an account with its tokens, applications and newest entries of the audit.

    Raises NotAllowed for who is not staff, NotFound for an id that is no account.
    """
    principal.require_staff()
    found = get_user_model().objects.select_related("profile")
    user: Any = found.filter(pk=user_id).first() if 0 < user_id <= _MAX_ID else None
    if user is None:
        raise NotFound(
            f"There is no account with the id {user_id}.", hint="list_users shows the ids."
        )
    (summary,) = _summaries([user])
    profile = getattr(user, "profile", None)
    return UserDetail(
        summary=summary,
        time_zone=profile.time_zone if profile else "UTC",
        tokens=tokens_of(user),
        connections=connections_of(user),
        entries=entries_about(user.pk, user.get_username(), limit=_ENTRIES),
    )


def signed_in_before(moment: datetime) -> Q:
    """Return the condition of accounts whose last sign-in is older than `moment`.

    One that never signed in counts from the day it was made.
    """
    return Q(last_login__lt=moment) | Q(last_login=None, date_joined__lt=moment)


def _names_like(text: str) -> Q:
    """Return the condition of accounts that have a part of a name or address like `text`.

    SQLite folds the case of ASCII only, so the usual spellings of other letters are asked for.
    """
    text = unicodedata.normalize("NFKC", text)
    condition = Q()
    for spelling in {text, text.lower(), text.upper(), text.title()}:
        for name in _SEARCHED:
            condition |= Q(**{f"{name}__icontains": spelling})
    return condition


def _summaries(users: Iterable[Any]) -> tuple[UserSummary, ...]:
    users = list(users)
    ids = [user.pk for user in users]
    token_counts = _counted(living_tokens(ids), "pk")
    connection_counts = _counted(living_connections(ids), "application")
    return tuple(
        UserSummary(
            user_id=user.pk,
            username=user.get_username(),
            full_name=user.get_full_name(),
            email=user.email,
            is_active=user.is_active,
            is_staff=user.is_staff,
            joined_at=user.date_joined,
            last_login_at=user.last_login,
            token_count=token_counts.get(user.pk, 0),
            connection_count=connection_counts.get(user.pk, 0),
        )
        for user in users
    )


def living_tokens(user_ids: Sequence[int]) -> "QuerySet[PersonalAccessToken]":
    """Return the personal access tokens of accounts that were not revoked and are not expired."""
    alive = Q(expires_at=None) | Q(expires_at__gt=now())
    return PersonalAccessToken.objects.filter(alive, user_id__in=user_ids, revoked_at=None)


def living_connections(user_ids: Sequence[int]) -> QuerySet[Any]:
    """Return the refresh tokens with which applications can still renew access as accounts."""
    renewable_until = now() - timedelta(days=LIMITS.refresh_token_days)
    tokens: QuerySet[Any] = get_refresh_token_model().objects.filter(
        user_id__in=user_ids, revoked=None, access_token__expires__gt=renewable_until
    )
    return tokens


def _counted(rows: QuerySet[Any], name: str) -> dict[int, int]:
    """Return how many distinct `name` each account has."""
    by_user = rows.order_by().values_list("user_id")
    return dict(by_user.annotate(Count(name, distinct=True)))
