"""Bounds on what strangers may ask for: so many per address and hour, counted in the cache.

With Redis all processes share the count; without it each process counts for itself.
"""

import logging

from django.core.cache import cache

from web.accounts.secrets import digest_of
from web.core.clock import now
from web.core.errors import TooManyRequests

logger = logging.getLogger(__name__)

_HOUR_SECONDS = 3600


def count_request(*, kind: str, address: str, limit: int) -> None:
    """Count one request of this kind; raise TooManyRequests over `limit` in this clock hour.

    A cache that does not answer counts nothing: these requests are rare, and sign-in itself is
    guarded by the database.
    """
    seconds = int(now().timestamp())
    key = f"accounts:{kind}:{digest_of(address)[:32]}:{seconds // _HOUR_SECONDS}"
    try:
        cache.add(key, 0, timeout=_HOUR_SECONDS)
        count = cache.incr(key)
    except Exception:
        logger.warning("the cache does not count requests of kind %s", kind, exc_info=True)
        return
    if count > limit:
        raise TooManyRequests(
            f"Too many requests of this kind came from your address: at most {limit} an hour.",
            retry_after_seconds=_HOUR_SECONDS - seconds % _HOUR_SECONDS,
            hint="Try again later.",
        )
