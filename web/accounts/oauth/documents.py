"""Client-id metadata documents: fetched as everything else that somebody else chose.

`web.core.fetching` holds the rules against request forgery. Beyond them a document is fetched over
https only, without following any redirect. Source: draft-ietf-oauth-client-id-metadata-document-01.
"""

import logging
from typing import Any

from oauth2_provider.cimd import CIMDError, _effective_max_age, _validate_client_id_url
from oauth2_provider.settings import oauth2_settings

from web.accounts.oauth.registration import granted_metadata, read_metadata
from web.accounts.throttle import count_request
from web.core.errors import PortolanError, TooManyRequests
from web.core.fetching import fetch
from web.core.limits import LIMITS

logger = logging.getLogger(__name__)

_MEDIA_TYPES = ("application/json", "application/*+json")
# For installations that cannot reach these documents: no way out, or a bot check in front of them.
# What they allow is no more than what redirects.WELL_KNOWN and loopback allow anyone.
_LOOPBACK = ["http://127.0.0.1/callback", "http://localhost/callback"]
PUBLISHED = {
    "https://claude.ai/oauth/mcp-oauth-client-metadata": (
        "Claude",
        ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    ),
    "https://claude.ai/oauth/claude-code-client-metadata": ("Claude Code", _LOOPBACK),
    "https://chatgpt.com/oauth/codex/client.json": ("Codex", _LOOPBACK),
    "https://vscode.dev/oauth/client-metadata.json": (
        "Visual Studio Code",
        ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
    ),
}


class DocumentFetcher:
    """What django-oauth-toolkit asks for a document (`CIMD_METADATA_FETCHER`)."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """Return the document at `client_id`, as this server grants it, and its life in seconds.

        Raises CIMDError for whatever is wrong with the address, the way to it, or the document.
        """
        _validate_client_id_url(client_id)
        try:
            metadata, max_age_seconds = _published(client_id)
            return granted_metadata(metadata, document=client_id), max_age_seconds
        except PortolanError as error:
            raise CIMDError(error.words) from error


class CountedDocuments:
    """Who may have a document fetched (`CIMD_REGISTRATION_PERMISSION_CLASSES`): anyone, so many.

    Every new address costs a request to somebody else's server and perhaps a row, and whoever has
    not signed in can name one.
    """

    def has_permission(self, request: Any, _client_id: str) -> bool:
        """Count a document that is not known yet against the caller's address and this hour."""
        try:
            count_request(
                kind="client_document",
                address=str(request.headers.get("REMOTE_ADDR", "")),
                limit=LIMITS.max_client_registrations_per_hour,
            )
        except TooManyRequests as error:
            logger.warning("a client's metadata document is not fetched: %s", error)
            return False
        return True


def _published(client_id: str) -> tuple[dict[str, Any], int]:
    """Return the document at its address; that of a well-known client also without a way there."""
    try:
        fetched = fetch(
            client_id,
            content_types=_MEDIA_TYPES,
            max_bytes=oauth2_settings.CIMD_MAX_DOCUMENT_SIZE,
            max_redirects=0,
            timeout_seconds=oauth2_settings.CIMD_FETCH_TIMEOUT_SECONDS,
        )
        return read_metadata(fetched.body), _effective_max_age(fetched.cache_control)
    except PortolanError as error:
        if client_id not in PUBLISHED:
            raise
        logger.warning("took the known document of %s: %s", client_id, error)
        name, redirect_uris = PUBLISHED[client_id]
        known = {"client_id": client_id, "client_name": name, "redirect_uris": redirect_uris}
        return known, oauth2_settings.CIMD_METADATA_MIN_AGE_SECONDS
