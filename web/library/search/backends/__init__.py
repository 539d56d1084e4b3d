"""Full-text backends: one interface, chosen by the database in use."""

from django.db import connection

from web.library.search.backends.base import SearchBackend


def backend() -> SearchBackend:
    """Return the backend of the configured database."""
    if connection.vendor == "sqlite":
        from web.library.search.backends.sqlite import SqliteBackend

        return SqliteBackend()
    raise NotImplementedError(f"There is no search backend for {connection.vendor} yet.")
