"""The count that several sidecars share: in Redis, by the library `limits`.

Only imported where there is a Redis. One that does not answer is left alone for a few seconds, so
that calls do not wait for it one after the other; each process counts for itself meanwhile.
"""

import asyncio
import logging
import time
from typing import Final

from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from mcp_sidecar.transport.rate_counts import Grant
from web.core.limits import LIMITS

logger = logging.getLogger(__name__)

CONNECTIONS: Final = 8
PAUSE_SECONDS: Final = 5.0
SHORTEST_WAIT_SECONDS: Final = 0.1
NAMESPACE: Final = "portolan-rate"


class RedisCount:
    """A `SharedCount` in the Redis at `url`, to be closed on the event loop that used it."""

    def __init__(self, url: str) -> None:
        self._pool = BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            timeout=LIMITS.redis_answer_seconds,
            socket_timeout=LIMITS.redis_answer_seconds,
            socket_connect_timeout=LIMITS.redis_answer_seconds,
            retry=Retry(NoBackoff(), 0),
        )
        storage = RedisStorage(
            "redis://",
            implementation="redispy",
            key_prefix=NAMESPACE,
            connection_pool=self._pool,  # type: ignore[arg-type]  # as its documentation says
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)
        self._away_until = 0.0
        self._is_away = False

    async def __call__(self, key: str, limit: int, least: int, most: int) -> Grant | None:
        """Grant `most` or else `least` of `limit` a minute; None where Redis does not answer."""
        if time.monotonic() < self._away_until:
            return None
        try:
            async with asyncio.timeout(LIMITS.redis_answer_seconds):
                grant = await self._granted(key, RateLimitItemPerMinute(limit), least, most)
        except Exception as error:
            self._is_gone(error)
            return None
        if self._is_away:
            self._is_away = False
            logger.warning("Redis answers again; rate limits are shared by all sidecars")
        return grant

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()

    async def _granted(
        self, key: str, item: RateLimitItemPerMinute, least: int, most: int
    ) -> Grant:
        for amount in dict.fromkeys((most, least)):
            if await self._limiter.hit(item, key, cost=amount):
                return Grant(amount)
        stats = await self._limiter.get_window_stats(item, key)
        return Grant(0, max(SHORTEST_WAIT_SECONDS, stats.reset_time - time.time()))

    def _is_gone(self, error: Exception) -> None:
        self._away_until = time.monotonic() + PAUSE_SECONDS
        if not self._is_away:
            self._is_away = True
            logger.warning(
                "Redis does not answer (%s): each sidecar counts rate limits for itself meanwhile",
                type(error).__name__,
            )
