"""The grants of OAuth 2.1 that are offered: authorization code with PKCE S256, refresh token."""

from typing import Any

from oauthlib.oauth2 import WebApplicationServer
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import code_challenge_method_s256


class CodeServer(WebApplicationServer):  # type: ignore[misc]
    """oauthlib's server for web applications, without the PKCE method "plain".

    A challenge without a method means "plain" (RFC 7636 section 4.3), so it is refused as well.
    """

    def __init__(self, request_validator: Any, **options: Any) -> None:
        super().__init__(request_validator, **options)
        self.auth_grant._code_challenge_methods = {"S256": code_challenge_method_s256}
