"""Full-text backends: one interface, chosen by the database in use."""

from django.db import connection

from web.library.search.backends.base import SearchBackend


def backend() -> SearchBackend:
    """Return the backend of the configured database."""
    if connection.vendor == "postgresql":
        from web.library.search.backends.postgres import PostgresBackend

        return PostgresBackend()
    from web.library.search.backends.sqlite import SqliteBackend

    return SqliteBackend()
