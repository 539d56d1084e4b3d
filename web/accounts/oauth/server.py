"""The grants of OAuth 2.1 that are offered: authorization code with PKCE S256, refresh token."""

import re
from typing import Any

from oauthlib.oauth2 import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import code_challenge_method_s256

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes in base64url


class CodeServer(WebApplicationServer):  # type: ignore[misc]
    """oauthlib's server for web applications, without the PKCE method "plain".

    A challenge without a method means "plain" (RFC 7636 section 4.3), so it is refused as well.
    """

    def __init__(self, request_validator: Any, **options: Any) -> None:
        super().__init__(request_validator, **options)
        self.auth_grant._code_challenge_methods = {"S256": code_challenge_method_s256}
        self.auth_grant.custom_validators.post_auth.append(_refuse_what_is_no_digest)


def _refuse_what_is_no_digest(request: Any) -> dict[str, Any]:
    """Refuse a challenge that no verifier can meet before anyone is asked to agree."""
    if not _CHALLENGE.fullmatch(request.code_challenge):
        raise InvalidRequestError(
            "code_challenge must be a SHA-256 digest in base64url: 43 characters.",
            request=request,
        )
    return {}
