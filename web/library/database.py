"""What the databases need of their own: a new one's settings, and PostgreSQL's way to take rows."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


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


def without_rowid(schema_editor: BaseDatabaseSchemaEditor, table: str) -> None:
    """Make an empty table, on SQLite, anew as one that is its own index, which is much smaller."""
    if schema_editor.connection.vendor != "sqlite":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
        (statement,) = cursor.fetchone()
    schema_editor.execute(f"DROP TABLE {table}")
    schema_editor.execute(f"{statement} WITHOUT ROWID")


def copy_rows(table: str, columns: Sequence[str], values: Iterable[Sequence[Any]]) -> None:
    """Insert rows into a table of PostgreSQL, many at once; names are literals of the code."""
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
    ):
        for row in values:
            copy.write_row(row)
