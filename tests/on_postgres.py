"""Tests that `make test-all` runs on PostgreSQL, in a process and a database of their own.

`make test` has run them on SQLite. A test that carries `on_postgres(*paths)` stands for all that is
below these paths: where PostgreSQL is there and it is collected, they are run by it and not beside
it as well, but for those marked `sqlite`, which try what only SQLite has.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reports.postgres import fresh_database

MARK = "on_postgres"


def run_on_postgres(test: pytest.Item) -> None:
    """Fail, with the end of the run's output, unless all that `test` stands for passes.

    Skips the test that asks where PORTOLAN_TEST_DATABASE_URL names no server.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not sqlite"]
    with fresh_database() as database:
        run = subprocess.run(
            [*command, *map(str, _paths(test))],
            env={**os.environ, "PORTOLAN_DATABASE_URL": database.url},
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]


def left_to_postgres(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return which of the collected tests another of them runs on PostgreSQL."""
    if not os.environ.get("PORTOLAN_TEST_DATABASE_URL"):
        return []
    paths = {path for item in items for path in _paths(item)}
    return [
        item
        for item in items
        if not paths.isdisjoint((item.path, *item.path.parents))
        and not item.get_closest_marker("sqlite")
        and not item.get_closest_marker(MARK)
    ]


def _paths(test: pytest.Item) -> list[Path]:
    return [path for mark in test.iter_markers(MARK) for path in mark.args]
