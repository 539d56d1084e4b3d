"""Statements on the index's tables: many rows at a time, with ids that are known beforehand.

Rows go in by `executemany` or `COPY` with ids reserved beforehand: an index has hundreds of
thousands of chunks and symbols, and their ids are needed by the full-text tables. All that writes
runs under the write transaction named INDEX_WRITER, so that no two writers reserve the same ids.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import batched
from typing import Any

from django.db import connection

from web.core.transactions import write_transaction
from web.library.database import copy_rows

INDEX_WRITER = "index"
IDS_PER_QUERY = 500
_GROWN_TABLES = ("library_symbol", "library_symbolname", "library_chunk", "library_content")


def index_transaction() -> AbstractContextManager[None]:
    """Return the transaction in which the index is written; one at a time everywhere."""
    return write_transaction(INDEX_WRITER)


def reserved_ids(table: str, count: int) -> range:
    """Return `count` consecutive ids that no row of the table ever had or will have otherwise."""
    if not count:
        return range(0)
    if connection.vendor == "sqlite":
        last = next(rows("SELECT seq FROM sqlite_sequence WHERE name = %s", [table]), (0,))[0]
        return range(last + 1, last + 1 + count)
    (sequence,) = next(rows("SELECT pg_get_serial_sequence(%s, 'id')", [table]))
    (last,) = next(rows("SELECT setval(%s, nextval(%s) + %s - 1)", [sequence, sequence, count]))
    return range(last + 1 - count, last + 1)


def insert(table: str, columns: Sequence[str], values: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows; table and columns are literals of the code, JSON is text."""
    if not values:
        return
    if connection.vendor == "postgresql":
        copy_rows(table, columns, values)
        return
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks(columns)})", values
        )


@contextmanager
def unmapped_database() -> Iterator[None]:
    """Keep SQLite from mapping its file into memory while an index is written.

    The pages that writing passes over would count as memory of the process.
    """
    if connection.vendor != "sqlite":
        yield
        return
    (before,) = next(rows("PRAGMA mmap_size"), (0,))
    list(rows("PRAGMA mmap_size = 0"))
    try:
        yield
    finally:
        list(rows(f"PRAGMA mmap_size = {int(before)}"))


def compact() -> None:
    """Close the gaps that a large sync leaves in SQLite's file, in short transactions."""
    if connection.vendor == "sqlite":
        for table in _GROWN_TABLES:
            list(rows(f"REINDEX {table}"))
        list(rows("PRAGMA incremental_vacuum"))


def rows(statement: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement, list(parameters))
        yield from cursor.fetchall()


def changed(statement: str, parameters: Sequence[Any] = ()) -> int:
    """Run a statement that writes; return how many rows it changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, list(parameters))
        return int(cursor.rowcount)


def marks(values: Sequence[Any]) -> str:
    """Return as many placeholders as there are values."""
    return ", ".join(["%s"] * len(values))


def pairs_of(
    table: str, columns: str, column: str, wanted: Sequence[str]
) -> Iterator[tuple[str, int]]:
    """Yield two columns of the rows in which one column has any of the values."""
    for some in batched(wanted, IDS_PER_QUERY):
        yield from rows(f"SELECT {columns} FROM {table} WHERE {column} IN ({marks(some)})", some)
