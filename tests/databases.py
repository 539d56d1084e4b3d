"""Databases of the tests: migrated once in a run and copied from then on, emptied without a flush.

Migrating takes seconds, and nearly everything that a test starts needs a migrated database. Who is
first makes the template; the processes of one run of tests know each other by its folder.
"""

import atexit
import fcntl
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.db import connections, transaction

from tests.newcomer import PROJECT, newcomers_environment

FILE_NAME = "portolan.sqlite3"
_FOLDER = "PORTOLAN_TEST_TEMPLATES"
# What migrating fills; no test changes it.
_KEPT = {"django_content_type", "auth_permission"}
_FULL_TEXT = ("search_code", "search_documents")


def templates() -> Path:
    """Return the folder of this run's templates; it is removed when its first process ends."""
    if _FOLDER not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="portolan-templates-"))
        os.environ[_FOLDER] = str(folder)
        atexit.register(_forget, folder)
    return Path(os.environ[_FOLDER])


def copy_database(path: Path) -> None:
    """Make a migrated database of SQLite at `path`."""

    def make(folder: Path) -> None:
        _manage("migrate", PORTOLAN_DATA_DIR=str(folder))

    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(_made("sqlite", make) / FILE_NAME, path)


def copy_static_files(data_folder: Path) -> None:
    """Put what `collectstatic` collects into a data folder."""

    def make(folder: Path) -> None:
        _manage("collectstatic", "--no-input", PORTOLAN_DATA_DIR=str(folder))

    shutil.copytree(_made("static", make) / "static", data_folder / "static")


def migrated_template(server_url: str) -> str:
    """Return the name of a migrated database of a PostgreSQL; nobody is connected to it."""

    def make(folder: Path) -> None:
        name = f"portolan_template_{secrets.token_hex(6)}"
        with psycopg.connect(server_url, autocommit=True) as link:
            link.execute(f'CREATE DATABASE "{name}"')
        url = urlsplit(server_url)._replace(path=f"/{name}").geturl()
        _manage("migrate", PORTOLAN_DATA_DIR=str(folder), PORTOLAN_DATABASE_URL=url)
        (folder / "server").write_text(server_url)
        (folder / "name").write_text(name)

    return (_made("postgres", make) / "name").read_text()


def _made(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that `make` filled, now or when this was asked before."""
    folder = templates() / name
    with (templates() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = templates() / f"{name}.{secrets.token_hex(4)}"
            making.mkdir()
            make(making)
            making.rename(folder)
    return folder


def _manage(*arguments: str, **variables: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *arguments, "--verbosity", "0"],
        cwd=PROJECT,
        env=newcomers_environment() | {"PORTOLAN_DEBUG": "1", **variables},
        check=True,
    )


def _forget(folder: Path) -> None:
    made = folder / "postgres"
    try:
        if made.exists():
            with psycopg.connect((made / "server").read_text(), autocommit=True) as link:
                link.execute(f'DROP DATABASE "{(made / "name").read_text()}" WITH (FORCE)')
    finally:
        shutil.rmtree(folder)


def empty_tables(using: str) -> None:
    """Delete every row that a test left, those of the full text included.

    A flush does so as well, and then has Django make all its content types and permissions anew,
    which takes longer than most tests. It also takes locks that a thread left over may hold.
    """
    link = connections[using]
    names = set(link.introspection.django_table_names(only_existing=True, include_views=False))
    names.add("posts_fulltext")
    if link.vendor == "postgresql":
        names |= {*_FULL_TEXT, *(f"{table}_terms" for table in _FULL_TEXT)}
    any_row = "SELECT '{0}' WHERE EXISTS (SELECT 1 FROM {0})"
    asked = " UNION ALL ".join(any_row.format(name) for name in sorted(names - _KEPT))
    with transaction.atomic(using=using), link.cursor() as cursor:
        cursor.execute(asked)
        for (name,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {name}")  # noqa: S608
        if link.vendor == "sqlite":
            for table in _FULL_TEXT:
                cursor.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")  # noqa: S608
