"""Personal access tokens: made, shown once, revoked."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from web.accounts.models import PersonalAccessToken, Scope
from web.accounts.records import Actor, TokenMade
from web.accounts.secrets import HINT_LENGTH, PERSONAL_PREFIX, digest_of, new_secret
from web.accounts.selectors.tokens import token_record, tokens_that_work
from web.accounts.services.audit import audit_write
from web.core.clock import now
from web.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from web.core.limits import LIMITS
from web.core.text import visible_line
from web.core.transactions import write_transaction

_MAX_NAME_CHARACTERS = 100
_MAX_DAYS = 3650


def token_create(
    *, actor: Actor, owner: Any, name: str, scopes: Iterable[str], expires_days: int | None
) -> TokenMade:
    """Make a token for `owner` that works for `expires_days` days, or until revoked for None.

    The result holds the secret, which is stored nowhere. Raises InvalidInput for a name, scope or
    number of days that will not do, NotAllowed for the scope operations of who is not staff,
    Conflict at `max_personal_access_tokens`.
    """
    name, scopes = visible_line(name), tuple(scopes)
    wanted = tuple(scope for scope in Scope.values if scope in set(scopes))
    _check(name=name, scopes=scopes, expires_days=expires_days)
    if Scope.OPERATIONS in wanted and not owner.is_staff:
        raise NotAllowed(
            f"Only staff can hold the scope operations, and {owner.get_username()} is not.",
            hint="Leave that scope out.",
        )
    secret = new_secret(PERSONAL_PREFIX)
    moment = now()
    with write_transaction("accounts"):
        row = PersonalAccessToken.objects.create(
            user=owner,
            name=name,
            digest=digest_of(secret),
            hint=secret[:HINT_LENGTH],
            scopes=list(wanted),
            created_at=moment,
            expires_at=None if expires_days is None else moment + timedelta(days=expires_days),
        )
        if tokens_that_work(owner).count() > LIMITS.max_personal_access_tokens:
            raise Conflict(
                f"There are already {LIMITS.max_personal_access_tokens} tokens that work.",
                hint="Revoke one that is not used any more.",
            )
        audit_write(
            actor=actor,
            action="token.created",
            target=f"personal:{row.pk} of {owner.get_username()}",
            detail={"name": name, "scopes": list(wanted), "expires_days": expires_days},
        )
    return TokenMade(token=token_record(row), secret=secret)


def _check(*, name: str, scopes: tuple[str, ...], expires_days: int | None) -> None:
    problems: dict[str, str] = {}
    unknown = sorted(set(scopes) - set(Scope.values))
    if not name or len(name) > _MAX_NAME_CHARACTERS:
        problems["name"] = f"A token needs a name of at most {_MAX_NAME_CHARACTERS} characters."
    if unknown or not set(scopes):
        problem = f"There is no scope {unknown[0][:_MAX_NAME_CHARACTERS]!r}. " if unknown else ""
        problems["scopes"] = f"{problem}Name at least one of: {', '.join(Scope.values)}."
    if expires_days is not None and not 1 <= expires_days <= _MAX_DAYS:
        problems["expires_days"] = f"A token works for 1 to {_MAX_DAYS} days."
    if problems:
        raise InvalidInput(" ".join(problems.values()), fields=problems)


def token_revoke(*, actor: Actor, owner_id: int, token_id: int, reason: str = "") -> None:
    """Make a token of `owner_id` stop working, from the next request on.

    Raises NotFound for one that is someone else's, unknown, or revoked already.
    """
    with write_transaction("accounts"):
        mine = PersonalAccessToken.objects.filter(pk=token_id, user_id=owner_id)
        if not mine.filter(revoked_at=None).update(revoked_at=now()):
            raise NotFound("There is no token of that id that works.")
        row = mine.select_related("user").get()
        audit_write(
            actor=actor,
            action="token.revoked",
            target=f"personal:{row.pk} of {row.user.get_username()}",
            reason=reason,
            detail={"name": row.name},
        )
