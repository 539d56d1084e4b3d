"""The secrets that Portolan hands out: 256 random bits behind a prefix, kept only as a digest.

The prefix lets people, secret scanners and our own logs recognise a token on sight. With that many
random bits a plain SHA-256 cannot be guessed back, so no slow password hash is needed.
"""

import hashlib
import secrets
from typing import Any

PERSONAL_PREFIX = "ptl_"
ACCESS_PREFIX = "pto_"
REFRESH_PREFIX = "ptr_"
INVITATION_PREFIX = "pti_"
HINT_LENGTH = 8
_RANDOM_BYTES = 32


def new_secret(prefix: str) -> str:
    """Return a fresh secret that starts with `prefix`."""
    return prefix + secrets.token_urlsafe(_RANDOM_BYTES)


def digest_of(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256 in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def access_token(_request: Any) -> str:
    """Return a fresh OAuth access token."""
    return new_secret(ACCESS_PREFIX)


def refresh_token(_request: Any, **_options: Any) -> str:
    """Return a fresh OAuth refresh token."""
    return new_secret(REFRESH_PREFIX)
