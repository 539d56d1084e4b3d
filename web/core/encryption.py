"""Secrets that the platform itself has to read again: encrypted wherever they are stored.

Fernet (AES-128-CBC with HMAC-SHA256) under keys derived from SECRET_KEY by HKDF, one per purpose:
what is stored for one purpose is nothing for another. What only has to be recognised, such as
a token of a member, is stored as a digest instead (`web.accounts.secrets`).
"""

import base64
import functools

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from web.core.errors import Unavailable

_KEY_BYTES = 32


def encrypted(secret: str, *, purpose: str) -> str:
    """Return the secret as it is stored, in ASCII; every time another text."""
    return _box(purpose).encrypt(secret.encode()).decode("ascii")


def decrypted(stored: str, *, purpose: str) -> str:
    """Return the secret that `encrypted` made the text of, for the same purpose.

    Raises Unavailable when the secret key is another one now, or the text was changed.
    """
    try:
        return _box(purpose).decrypt(stored.encode("utf-8", "replace")).decode()
    except InvalidToken as error:
        raise Unavailable(
            "A stored secret cannot be read: it was made with another key.",
            hint="Set PORTOLAN_SECRET_KEY back to that key, or set the secret again.",
        ) from error


def _box(purpose: str) -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([_fernet(key, purpose) for key in keys])


@functools.lru_cache(maxsize=32)
def _fernet(secret_key: str, purpose: str) -> Fernet:
    derived = HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=purpose.encode())
    return Fernet(base64.urlsafe_b64encode(derived.derive(secret_key.encode())))
