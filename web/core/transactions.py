"""Transactions: one that writes may write from its start on, one that reads sees one state."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

# To compile a statement or to share it out among processes takes longer than to run it, and the
# planner takes an index for useless where a condition is long.
_SHORT_READS = """
    SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
        set_config('max_parallel_workers_per_gather', '0', true)
"""


@contextmanager
def write_transaction(name: str) -> Iterator[None]:
    """Run the block in one transaction; blocks of the same `name` run one after the other.

    On SQLite the transaction begins with BEGIN IMMEDIATE: a block that reads before it writes
    waits at its start instead of failing in its middle ("database is locked"). On PostgreSQL it
    holds an advisory lock of that name until it ends. Inside another transaction the block is a
    savepoint of it.
    """
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with _immediate(), transaction.atomic():
            yield
        return
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [name])
        yield


@contextmanager
def read_transaction() -> Iterator[None]:
    """Run a block, or each call of a function, that only reads: all of it sees the same state.

    SQLite does so anyway; PostgreSQL is told to, to refuse writes, and to plan for many short
    reads. Inside another transaction the block is part of that one.
    """
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute(_SHORT_READS)
        yield


@contextmanager
def _immediate() -> Iterator[None]:
    """Have the connection begin transactions with BEGIN IMMEDIATE."""
    connection.ensure_connection()
    sqlite: Any = connection
    before = sqlite.transaction_mode
    sqlite.transaction_mode = "IMMEDIATE"
    try:
        yield
    finally:
        sqlite.transaction_mode = before
