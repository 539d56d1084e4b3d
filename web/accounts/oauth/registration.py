"""What a client says about itself, brought into the form that this server grants.

Applied to dynamic registrations (RFC 7591) and to metadata documents alike.
"""

import json
from typing import Any

from web.accounts.oauth.redirects import refusal_of
from web.core.errors import InvalidInput, TooLarge
from web.core.limits import LIMITS

GRANT_TYPES = ["authorization_code", "refresh_token"]


def read_metadata(body: bytes) -> dict[str, Any]:
    """Return the client metadata of a request body.

    Raises InvalidInput for what is not a JSON object, TooLarge over `max_registration_bytes`.
    """
    if len(body) > LIMITS.max_registration_bytes:
        raise TooLarge(
            f"A client's metadata may have at most {LIMITS.max_registration_bytes} bytes."
        )
    try:
        metadata = json.loads(body)
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict):
        raise InvalidInput("The request body must be a JSON object.")
    if "\\u0000" in json.dumps(metadata):
        raise InvalidInput("Client metadata must not contain NUL characters.")
    return metadata


def granted_metadata(metadata: dict[str, Any], *, document: str = "") -> dict[str, Any]:
    """Return the metadata as this server grants it (RFC 7591 section 3.2.1).

    Grant types beyond those offered are left out, and so are redirect addresses that are not
    accepted as long as one remains; of none the first refusal is the error. Raises InvalidInput.
    """
    name = metadata.get("client_name", "")
    if not isinstance(name, str):
        raise InvalidInput("client_name must be text.")
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not uris or not all(isinstance(uri, str) for uri in uris):
        raise InvalidInput("redirect_uris must be a list of addresses.")
    refusals = {uri: refusal_of(uri, document=document, by_staff=False) for uri in uris}
    accepted = [uri for uri in dict.fromkeys(uris) if not refusals[uri]]
    if not accepted:
        raise InvalidInput(next(iter(refusals.values())))
    granted = {**metadata, "client_name": name, "redirect_uris": accepted}
    grant_types = metadata.get("grant_types", GRANT_TYPES)
    if not isinstance(grant_types, list) or "authorization_code" not in grant_types:
        raise InvalidInput("grant_types must be a list with authorization_code in it.")
    granted["grant_types"] = GRANT_TYPES
    return granted
