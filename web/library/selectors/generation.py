"""The index generation: the number that tells one state of the index from the next."""

from django.db import connection


def index_generation() -> int:
    """Return the generation, 0 before anything was indexed. One short query, asked per call."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT generation FROM library_indexstate WHERE id = 1")
        row = cursor.fetchone()
    return int(row[0]) if row else 0
