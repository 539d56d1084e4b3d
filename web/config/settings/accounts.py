"""Settings of sign-in, tokens, OAuth and e-mail."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from web.config.environment import load_environment
from web.core.limits import LIMITS

_ENVIRONMENT = load_environment()
_PUBLIC_URL = _ENVIRONMENT.public_url.rstrip("/")
_SECURE = _PUBLIC_URL.startswith("https://")

ACCOUNTS_APPS = ["axes", "oauth2_provider", "web.accounts"]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "accounts:account"
LOGOUT_REDIRECT_URL = "accounts:sign_in"
PASSWORD_RESET_TIMEOUT = LIMITS.password_reset_hours * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _SECURE
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"

AXES_HANDLER = "web.accounts.lockout.WeightedHandler"
AXES_FAILURE_LIMIT = LIMITS.sign_in_failures
AXES_COOLOFF_TIME = LIMITS.sign_in_pause_minutes / 60  # hours
AXES_LOCKOUT_PARAMETERS: list[str | list[str]] = [
    ["username", "ip_address"],
    "ip_address",
    "username",
]
AXES_LOCKOUT_CALLABLE = "web.accounts.lockout.locked_out"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True  # sign-ins are written into the audit
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "csrfmiddlewaretoken", "next"]

OAUTH2_PROVIDER_APPLICATION_MODEL = "accounts.OAuthClient"
OAUTH_REDIRECT_URIS = frozenset(_ENVIRONMENT.oauth_redirect_uris.replace(",", " ").split())
OAUTH2_PROVIDER: dict[str, Any] = {
    "OIDC_ISS_ENDPOINT": f"{_PUBLIC_URL}/o",
    "SCOPES_BACKEND_CLASS": "web.accounts.oauth.scopes.ServerScopes",
    "OAUTH2_SERVER_CLASS": "web.accounts.oauth.server.CodeServer",
    "OAUTH2_VALIDATOR_CLASS": "web.accounts.oauth.validator.ResourceValidator",
    "ACCESS_TOKEN_GENERATOR": "web.accounts.secrets.access_token",
    "REFRESH_TOKEN_GENERATOR": "web.accounts.secrets.refresh_token",
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": [
        "none",
        "client_secret_basic",
        "client_secret_post",
    ],
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": LIMITS.access_token_minutes * 60,
    "REFRESH_TOKEN_EXPIRE_SECONDS": LIMITS.refresh_token_days * 86400,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    # With tokens stored as digests there is nothing to repeat, so there is no grace period.
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https", "cursor"],
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
    "CIMD_ENABLED": _ENVIRONMENT.oauth_metadata_documents,
    "CIMD_MAX_DOCUMENT_SIZE": LIMITS.max_registration_bytes,
    "CIMD_REGISTRATION_PERMISSION_CLASSES": ["web.accounts.oauth.documents.CountedDocuments"],
    "CIMD_METADATA_FETCHER": "web.accounts.oauth.documents.DocumentFetcher",
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
}


def _mailer(url: str) -> dict[str, Any]:
    """Return Django's entry for PORTOLAN_EMAIL_URL; the console for an empty one."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return {
            "BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "OPTIONS": {"file_path": parts.path},
        }
    if parts.scheme in {"smtp", "smtps"}:
        query = dict(parse_qsl(parts.query))
        return {
            "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "OPTIONS": {
                "host": parts.hostname,
                "port": parts.port or (465 if parts.scheme == "smtps" else 587),
                "username": unquote(parts.username or ""),
                "password": unquote(parts.password or ""),
                "use_ssl": parts.scheme == "smtps",
                "use_tls": parts.scheme == "smtp" and query.get("tls", "1") != "0",
                "timeout": 10,
            },
        }
    return {"BACKEND": "django.core.mail.backends.console.EmailBackend"}


MAILERS = {"default": _mailer(_ENVIRONMENT.email_url)}
DEFAULT_FROM_EMAIL = _ENVIRONMENT.email_from or f"portolan@{urlsplit(_PUBLIC_URL).hostname}"
