"""Whether this sidecar can answer: the checks behind /ready, each one word and never a detail."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable

from django.core.cache import caches
from django.db import connection

from mcp_sidecar import bridge
from mcp_sidecar.bootstrap import unapplied_migrations
from web.library.selectors.generation import index_generation

logger = logging.getLogger(__name__)

CHECK_SECONDS = 5.0


async def failing_checks(own_answer: Callable[[], Awaitable[bool]]) -> dict[str, bool]:
    """Return each check with whether it passed.

    `own_answer` sends a request with the public Host through the sidecar's own stack: a sidecar
    that would refuse its clients is not ready.
    """
    checks: dict[str, Callable[[], Awaitable[bool]]] = {
        "database": lambda: bridge.look_up(_database_answers),
        "migrations": lambda: bridge.look_up(_database_is_migrated),
        "cache": lambda: bridge.look_up(_cache_answers),
        "index": lambda: bridge.look_up(_index_answers),
        "endpoint": own_answer,
    }
    passed = await asyncio.gather(*(_passes(name, check) for name, check in checks.items()))
    return dict(zip(checks, passed, strict=True))


async def _passes(name: str, check: Callable[[], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await check()
    except Exception as error:
        logger.warning("the check %r fails: %s", name, type(error).__name__)
        return False


def _database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def _database_is_migrated() -> bool:
    return not unapplied_migrations()


def _cache_answers() -> bool:
    key, word = "portolan-ready", secrets.token_hex(8)
    store = caches["default"]
    store.set(key + word, word, timeout=10)
    return bool(store.get(key + word) == word)


def _index_answers() -> bool:
    return bool(index_generation() >= 0)
