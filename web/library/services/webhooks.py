"""Webhooks: the secrets that pushes are signed with, and what a signed push does."""

import logging
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from web.accounts.records import Actor
from web.accounts.services.audit import audit_write
from web.core import clock
from web.core.encryption import decrypted, encrypted
from web.core.errors import InvalidInput, NotAllowed, NotFound, Unavailable
from web.core.limits import LIMITS
from web.core.redaction import hide
from web.core.transactions import write_transaction
from web.library.git.urls import remote_key
from web.library.models import Repository, WebhookSecret
from web.library.services.repositories import repository_named
from web.library.services.sync import repository_sync_enqueue

logger = logging.getLogger(__name__)

_PURPOSE = "webhook secret"
_PREFIX = "ptw_"
_RANDOM_BYTES = 32
_NO_REPOSITORY = 0


@dataclass(frozen=True, slots=True)
class WebhookSecretMade:
    """A new secret, which is shown here and nowhere else; `previous_until` is None without one."""

    repository: str
    secret: str
    previous_until: datetime | None


def webhook_secret_make(
    *, actor: Actor, name: str, keep_previous: bool = True
) -> WebhookSecretMade:
    """Make a repository's webhook secret, or a new one.

    The secret before it goes on working for LIMITS.webhook_overlap_hours, so that no push is lost
    until the code host knows the new one; not at all without `keep_previous`, for one that leaked.
    Raises NotFound for an unknown name, InvalidInput for a site and a path of this machine.
    """
    repository = repository_named(name)
    if not remote_key(repository.url):
        raise InvalidInput(
            f"No code host tells of pushes to the address of {name}.",
            hint="Webhooks are for https and ssh remotes. Others are looked at by "
            "sync_repositories --watch.",
        )
    secret = _PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    now = clock.now()
    until = now + timedelta(hours=LIMITS.webhook_overlap_hours)
    with write_transaction("webhook secret"):
        before = WebhookSecret.objects.filter(repository=repository).first()
        overlaps = before is not None and keep_previous
        WebhookSecret.objects.update_or_create(
            repository=repository,
            defaults={
                "secret": encrypted(secret, purpose=_PURPOSE),
                "previous": before.secret if before is not None and overlaps else "",
                "previous_until": until if overlaps else None,
                "made_at": now,
            },
        )
        audit_write(
            actor=actor,
            action="webhook_secret.rotated" if before is not None else "webhook_secret.made",
            target=name,
            detail={"previous_works": overlaps},
        )
    hide(secret)
    return WebhookSecretMade(name, secret, until if overlaps else None)


def webhook_secret_remove(*, actor: Actor, name: str) -> None:
    """Take a repository's webhook secret away: its pushes are refused from now on.

    Raises NotFound for an unknown name, and for a repository without a secret.
    """
    repository = repository_named(name)
    with write_transaction("webhook secret"):
        removed, _ = WebhookSecret.objects.filter(repository=repository).delete()
        if not removed:
            raise NotFound(f"{name} has no webhook secret.")
        audit_write(actor=actor, action="webhook_secret.removed", target=name)


def signed_repositories(
    *, addresses: Iterable[str], signed_with: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the names of the repositories at the addresses that the event is signed for.

    That is all repositories at an address, however it is spelled, when one of them has the secret;
    an event that also names another's address says nothing of that one. Raises NotAllowed, in the
    same words, when there is none, when none has a secret, and when no secret fits.
    """
    known: dict[str, dict[int, str]] = {
        key: {} for address in addresses if (key := remote_key(address))
    }
    for repository_id, name, url in Repository.objects.values_list("pk", "name", "url"):
        if (key := remote_key(url)) in known:
            known[key][repository_id] = name
    signed: set[str] = set()
    tried = 0
    for repositories in known.values():
        fits = [signed_with(secret) for secret in _secrets_of(list(repositories))]
        tried += len(fits)
        if any(fits):
            signed |= set(repositories.values())
    if not tried:
        # An unknown repository takes the time of a wrong signature: to decrypt, and to sign.
        signed_with(encrypted(secrets.token_urlsafe(_RANDOM_BYTES), purpose=_PURPOSE))
    if not signed:
        raise NotAllowed(
            "The event is not signed with the secret of a repository that is known here.",
            hint="Check the secret and the address of the repository.",
        )
    return tuple(sorted(signed))


def push_received(*, names: Iterable[str]) -> None:
    """Queue a sync of each; one that was removed meanwhile is nothing to do."""
    for name in names:
        try:
            repository_sync_enqueue(name=name)
        except NotFound:
            continue


def _secrets_of(repository_ids: list[int]) -> list[str]:
    """Return the secrets that work now; one that cannot be read is left to the log.

    The database is asked for no repositories too, so that it takes the same time.
    """
    now = clock.now()
    stored: list[str] = []
    for row in WebhookSecret.objects.filter(repository__in=repository_ids or [_NO_REPOSITORY]):
        stored.append(row.secret)
        if row.previous_until and row.previous_until > now:
            stored.append(row.previous)
    found: list[str] = []
    for text in stored:
        try:
            found.append(decrypted(text, purpose=_PURPOSE))
        except Unavailable as error:
            logger.error("A webhook secret cannot be used: %s", error)
    return found
