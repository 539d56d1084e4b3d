"""A member's personal access tokens."""

from typing import Any

from django.db.models import Q, QuerySet

from web.accounts.models import PersonalAccessToken
from web.accounts.records import TokenRecord
from web.core.clock import now


def tokens_of(user: Any) -> tuple[TokenRecord, ...]:
    """Return the tokens of a member that were not revoked, newest first, expired ones included."""
    rows = PersonalAccessToken.objects.filter(user=user, revoked_at=None)
    return tuple(token_record(row) for row in rows)


def tokens_that_work(user: Any) -> "QuerySet[PersonalAccessToken]":
    """Return the rows of the tokens that would be accepted now; for services of accounts."""
    alive = Q(expires_at=None) | Q(expires_at__gt=now())
    return PersonalAccessToken.objects.filter(alive, user=user, revoked_at=None)


def token_record(row: PersonalAccessToken) -> TokenRecord:
    """Return a row as a record."""
    return TokenRecord(
        token_id=row.pk,
        name=row.name,
        hint=row.hint,
        scopes=tuple(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        is_expired=row.expires_at is not None and row.expires_at <= now(),
    )
