"""Who a token or a user is. Asked on every request, so nothing is remembered between two calls."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import OperationalError, connection, transaction
from django.db.models import Q
from oauth2_provider.models import get_access_token_model

from web.accounts.models import PersonalAccessToken, Scope
from web.accounts.principals import ANONYMOUS, Principal
from web.accounts.secrets import PERSONAL_PREFIX, digest_of
from web.accounts.selectors.resources import canonical_resource
from web.core.clock import now
from web.core.errors import NotFound

USE_NOTED_EVERY = timedelta(minutes=1)
_LOCK_WAIT_MILLISECONDS = 50
_OWNER = (
    "user_id",
    "user__username",
    "user__is_active",
    "user__is_staff",
    "user__profile__time_zone",
)


def principal_for_token(*, token: str, resource: str | None) -> Principal | None:
    """Return whose token this is; None for one that is unknown, expired, revoked or not for here.

    `resource` is the public address of the endpoint that was called, in either spelling. An OAuth
    token works only at the resource it was issued for; where `resource` is None only personal
    access tokens work. Tokens of inactive users are None, and scopes that the user may no longer
    hold are left out. One indexed query; one small write per minute for a personal access token.
    """
    if token.startswith(PERSONAL_PREFIX):
        return _principal_for_personal_token(token)
    audience = canonical_resource(resource) if resource is not None else None
    return _principal_for_oauth_token(token, audience) if audience is not None else None


def principal_for_user(username: str) -> Principal:
    """Return the member of that name with every scope it may hold, for a caller on this machine.

    Raises NotFound for a name that is unknown or whose account is not active.
    """
    user = (
        get_user_model()
        .objects.filter(username=username, is_active=True)
        .select_related("profile")
        .first()
    )
    if user is None:
        raise NotFound(
            f"There is no active account {username!r}.",
            hint="Name an account that exists; `manage.py invite EMAIL` makes an invitation.",
        )
    return principal_of(user)


def principal_of(user: Any) -> Principal:
    """Return the user of a session with every scope it may hold; ANONYMOUS without one."""
    if not user.is_authenticated or not user.is_active:
        return ANONYMOUS
    profile = getattr(user, "profile", None)
    return _principal(
        owner=(
            user.pk,
            user.get_username(),
            True,
            user.is_staff,
            profile.time_zone if profile else None,
        ),
        scopes=Scope.values,
        client_name="",
        credential="",
    )


def _principal_for_personal_token(token: str) -> Principal | None:
    row = (
        PersonalAccessToken.objects.filter(digest=digest_of(token), revoked_at=None)
        .order_by()
        .values_list("pk", "name", "scopes", "expires_at", "last_used_at", *_OWNER)[:1]
    )
    for pk, name, scopes, expires_at, last_used_at, *owner in row:
        moment = now()
        if not owner[2] or (expires_at is not None and expires_at <= moment):
            return None
        if last_used_at is None or moment - last_used_at >= USE_NOTED_EVERY:
            _note_use(pk, moment)
        return _principal(owner=owner, scopes=scopes, client_name=name, credential=f"personal:{pk}")
    return None


def _principal_for_oauth_token(token: str, audience: str) -> Principal | None:
    row = (
        get_access_token_model()
        .objects.filter(token_checksum=digest_of(token), user__is_active=True)
        .order_by()
        .values_list("pk", "scope", "expires", "resource", "application__name", *_OWNER)[:1]
    )
    for pk, scope, expires, resources, client_name, *owner in row:
        if expires <= now() or audience not in map(canonical_resource, resources):
            return None
        return _principal(
            owner=owner,
            scopes=scope.split(),
            client_name=client_name or "",
            credential=f"oauth:{pk}",
        )
    return None


def _principal(*, owner: Any, scopes: Any, client_name: str, credential: str) -> Principal:
    user_id, username, _is_active, is_staff, time_zone = owner
    held = frozenset(scopes) & frozenset(Scope.values)
    withdrawn = frozenset() if is_staff else held & {Scope.OPERATIONS.value}
    return Principal(
        user_id=user_id,
        is_member=True,
        is_staff=is_staff,
        scopes=held - withdrawn,
        withdrawn_scopes=withdrawn,
        username=username,
        time_zone=time_zone or "UTC",
        client_name=client_name,
        credential=credential,
    )


def _note_use(token_id: int, moment: datetime) -> None:
    """Write the last use, unless another process just did or the database is busy writing.

    Answering the caller matters more than this date, so on SQLite the wait for the write lock is
    short and a lost race is no error: the next call a minute later writes it.
    """
    due = Q(last_used_at=None) | Q(last_used_at__lte=moment - USE_NOTED_EVERY)
    stale = PersonalAccessToken.objects.filter(due, pk=token_id)
    if connection.vendor != "sqlite":
        stale.update(last_used_at=moment)
        return
    patience = settings.DATABASES["default"].get("OPTIONS", {}).get("timeout", 5) * 1000
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {_LOCK_WAIT_MILLISECONDS}")
    try:
        with transaction.atomic():
            stale.update(last_used_at=moment)
    except OperationalError:
        return
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {int(patience)}")
