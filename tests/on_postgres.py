"""Tests that are run once more, on PostgreSQL, in a process and a database of their own."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.reports.postgres import fresh_database


def run_on_postgres(paths: Iterable[Path]) -> None:
    """Fail, with the end of the run's output, unless every test below these paths passes.

    Skips the test that asks where PORTOLAN_TEST_DATABASE_URL names no server.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    with fresh_database() as database:
        run = subprocess.run(
            [*command, *map(str, paths)],
            env={
                **os.environ,
                "PORTOLAN_DATABASE_URL": database.url,
                "PORTOLAN_SERVICES_REQUIRED": "",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
