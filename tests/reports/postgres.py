"""A fresh database on the PostgreSQL server of the tests, and a look at who is connected to it."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.databases import migrated_template

SETTLE_SECONDS = 60


class Database:
    """One database; `url` is what PORTOLAN_DATABASE_URL takes."""

    def __init__(self, server_url: str) -> None:
        self.name = f"portolan_{secrets.token_hex(6)}"
        self._server_url = server_url
        self.url = urlsplit(server_url)._replace(path=f"/{self.name}").geturl()

    def comes_to(self, most: int) -> bool:
        """Return whether no more connections than these are open, or are soon.

        PostgreSQL ends the process of a connection some time after the client has closed it.
        """
        ends_at = time.monotonic() + SETTLE_SECONDS
        with psycopg.connect(self._server_url, autocommit=True) as link:
            query = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
            while link.execute(query, [self.name]).fetchall()[0][0] > most:
                if time.monotonic() > ends_at:
                    return False
        return True

    def terminate_connections(self) -> int:
        """End every connection of Portolan from the server's side; return how many there were."""
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        return len(self._asked(query))

    def become(self, template: str) -> None:
        """Make it anew as a copy of the one of that name, which nobody is connected to."""
        with psycopg.connect(self._server_url, autocommit=True) as link:
            link.execute(f'DROP DATABASE "{self.name}" WITH (FORCE)')
            link.execute(f'CREATE DATABASE "{self.name}" TEMPLATE "{template}"')

    def _asked(self, query: str) -> list[tuple[str, ...]]:
        with psycopg.connect(self._server_url, autocommit=True) as link:
            return link.execute(query, [self.name]).fetchall()


@contextmanager
def migrated_database() -> Iterator[Database]:
    """A migrated database that exists inside the block; the test is skipped without a server."""
    template = migrated_template(_server_url())
    with fresh_database(template=template) as database:
        yield database


def _server_url() -> str:
    server_url = os.environ.get("PORTOLAN_TEST_DATABASE_URL")
    if not server_url:
        pytest.skip("PORTOLAN_TEST_DATABASE_URL names no PostgreSQL")
    return server_url


@contextmanager
def fresh_database(*, template: str = "") -> Iterator[Database]:
    """A database that exists inside the block; the test is skipped where there is no server.

    It is empty, or a copy of the one of that name, which nobody is connected to.
    """
    server_url = _server_url()
    database = Database(server_url)
    with psycopg.connect(server_url, autocommit=True) as link:
        copied = f' TEMPLATE "{template}"' if template else ""
        link.execute(f'CREATE DATABASE "{database.name}"{copied}')
        try:
            yield database
        finally:
            link.execute(f'DROP DATABASE "{database.name}" WITH (FORCE)')
