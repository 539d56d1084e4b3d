"""The applications that a member connected by OAuth."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Min
from oauth2_provider.models import get_refresh_token_model

from web.accounts.models import OAuthClient
from web.accounts.oauth.redirects import destination_of
from web.accounts.records import ConnectionRecord
from web.core.clock import now
from web.core.limits import LIMITS


def connections_of(user: Any) -> tuple[ConnectionRecord, ...]:
    """Return the applications that can still act or renew their access as the member, by name."""
    everything = get_refresh_token_model().objects.filter(user=user)
    renewable_until = now() - timedelta(days=LIMITS.refresh_token_days)
    alive = everything.filter(revoked=None, access_token__expires__gt=renewable_until)
    by_client: dict[OAuthClient, list[Any]] = defaultdict(list)
    for row in alive.select_related("application", "access_token").order_by(
        "application__name", "pk"
    ):
        by_client[row.application].append(row)
    since = dict(everything.order_by().values_list("application").annotate(Min("created")))
    return tuple(
        _connection(client, tokens, connected_at=since[client.pk])
        for client, tokens in by_client.items()
    )


def client_identity(client: OAuthClient) -> str:
    """Return in words what is known of a client beyond the name that it gave itself."""
    source = client.registration_source
    if source == OAuthClient.RegistrationSource.CIMD:
        return f"described by {urlsplit(client.client_id).hostname}"
    if source == OAuthClient.RegistrationSource.MANUAL:
        return "registered by the staff of this server"
    addresses = sorted({destination_of(uri) for uri in client.redirect_uris.split()})
    return f"registered by itself; leads to {', '.join(addresses)}"


def _connection(
    client: OAuthClient, tokens: list[Any], *, connected_at: datetime
) -> ConnectionRecord:
    return ConnectionRecord(
        connection_id=client.pk,
        name=client.name or "an application without a name",
        identity=client_identity(client),
        scopes=tuple(sorted({s for token in tokens for s in token.access_token.scope.split()})),
        resources=tuple(sorted({uri for token in tokens for uri in token.resource})),
        connected_at=connected_at,
        renewed_at=max(token.created for token in tokens),
    )
