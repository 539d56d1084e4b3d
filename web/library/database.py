"""What a new database is told once, before its first table."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections


def prepare_new_database(*, using: str = DEFAULT_DB_ALIAS, **_: Any) -> None:
    """Let an empty SQLite database give back the space that a large sync frees.

    This is no matter of each connection: SQLite takes the write lock for it, so a connection
    opened while a sync writes would wait for the sync.
    """
    connection = connections[using]
    if connection.vendor != "sqlite" or connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA auto_vacuum = INCREMENTAL")
        cursor.execute("VACUUM")  # the database has a first page already, made for WAL
