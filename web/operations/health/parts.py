"""The checks without which a process can answer nothing: database, migrations, index, cache."""

import secrets

from django.core.cache import caches
from django.db import connection

from web.core.migrations import unapplied_migrations
from web.library.selectors.generation import index_generation
from web.operations.health.findings import Check, Finding

_SHOWN_MIGRATIONS = 5


def _database() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return Finding("ok", f"The database ({connection.display_name}) answers.")


def _migrations() -> Finding:
    missing = unapplied_migrations()
    if not missing:
        return Finding("ok", "The database has all migrations.")
    return Finding(
        "failing",
        f"The database lacks {len(missing)} migrations.",
        "Run: python manage.py migrate",
        tuple(missing[:_SHOWN_MIGRATIONS]),
    )


def _index() -> Finding:
    return Finding("ok", f"The index can be read; its generation is {index_generation()}.")


def _cache() -> Finding:
    key, word = f"portolan-health-{secrets.token_hex(8)}", secrets.token_hex(8)
    store = caches["default"]
    store.set(key, word, timeout=10)
    if store.get(key) != word:
        raise ValueError("the cache forgets at once")
    store.delete(key)
    return Finding("ok", "The cache keeps what it is given.")


DATABASE = Check(
    "database",
    _database,
    Finding(
        "failing",
        "The database does not answer.",
        "See that it runs and that PORTOLAN_DATABASE_URL is right; search_logs shows the error.",
    ),
)
MIGRATIONS = Check(
    "migrations",
    _migrations,
    Finding("failing", "The migrations cannot be read.", "See the check of the database first."),
)
INDEX = Check(
    "index",
    _index,
    Finding("failing", "The index cannot be read.", "See the checks of database and migrations."),
)
CACHE = Check(
    "cache",
    _cache,
    Finding(
        "failing",
        "The cache does not answer: calls are answered without it, and slower.",
        "See that Redis runs and that PORTOLAN_REDIS_URL is right.",
    ),
)
