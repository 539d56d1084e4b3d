"""Client-id metadata documents: fetched under the library's rules against request forgery.

https only, every resolved address public, the connection pinned to what was checked, no redirects,
bounded in time and size. Sources: draft-ietf-oauth-client-id-metadata-document-01,
`oauth2_provider.cimd`.
"""

import logging
from typing import Any

from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher
from oauth2_provider.settings import oauth2_settings

from web.accounts.oauth.registration import granted_metadata
from web.core.errors import InvalidInput

logger = logging.getLogger(__name__)

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


class DocumentFetcher(SafeMetadataFetcher):  # type: ignore[misc]
    """The library's fetcher, with what it fetched brought into the form that this server grants."""

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """Return the document at `client_id` and for how many seconds it holds; raise CIMDError."""
        try:
            metadata, max_age_seconds = super().fetch(client_id)
        except CIMDError as error:
            if client_id not in PUBLISHED:
                raise
            logger.warning("took the known document of %s: %s", client_id, error)
            name, redirect_uris = PUBLISHED[client_id]
            metadata = {
                "client_id": client_id,
                "client_name": name,
                "redirect_uris": redirect_uris,
            }
            max_age_seconds = oauth2_settings.CIMD_METADATA_MIN_AGE_SECONDS
        try:
            return granted_metadata(metadata, document=client_id), max_age_seconds
        except InvalidInput as error:
            raise CIMDError(str(error)) from error
