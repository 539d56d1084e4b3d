"""Connected applications: access taken back, and what nobody uses forgotten."""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Exists, OuterRef
from oauth2_provider.models import (
    get_access_token_model,
    get_grant_model,
    get_refresh_token_model,
)

from web.accounts.models import OAuthClient
from web.accounts.records import Actor
from web.accounts.services.audit import audit_write
from web.core.clock import now
from web.core.errors import NotFound
from web.core.transactions import write_transaction

UNUSED_AFTER = timedelta(days=7)


def connection_revoke(*, actor: Actor, owner_id: int, connection_id: int, reason: str = "") -> None:
    """Take back all access that a member gave an application, from the next request on.

    Raises NotFound when the member has given it none.
    """
    with write_transaction("accounts"):
        if not access_end(owner_id, [connection_id]):
            raise NotFound("There is no connected application of that id.")
        client = OAuthClient.objects.get(pk=connection_id)
        audit_write(
            actor=actor,
            action="connection.revoked",
            target=f"client:{client.pk} {client.name}",
            reason=reason,
        )


def access_end(owner_id: int, client_ids: Iterable[int]) -> bool:
    """End all access of clients as a member, codes on their way included, in the transaction.

    Returns whether there was any.
    """
    theirs = {"user_id": owner_id, "application_id__in": list(client_ids)}
    moment = now()
    refresh_tokens = get_refresh_token_model().objects.filter(revoked=None, **theirs)
    renewable = refresh_tokens.update(revoked=moment, updated=moment)
    deleted, _ = get_access_token_model().objects.filter(**theirs).delete()
    get_grant_model().objects.filter(**theirs).delete()
    return bool(renewable or deleted)


def clients_forget_unused() -> int:
    """Delete clients that registered themselves a week ago and never got a member's consent.

    Anyone may register, so what is not used must not stay. Returns how many were deleted.
    """
    used = [
        Exists(model.objects.filter(application=OuterRef("pk"), user__isnull=False))
        for model in (get_refresh_token_model(), get_grant_model())
    ]
    unused = OAuthClient.objects.exclude(
        registration_source=OAuthClient.RegistrationSource.MANUAL
    ).filter(~used[0], ~used[1], created__lt=now() - UNUSED_AFTER)
    clients = list(unused)
    for client in clients:
        client.delete()
    return len(clients)
