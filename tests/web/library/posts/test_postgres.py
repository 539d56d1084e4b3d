"""The very tests of this folder, on PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.services
def test_posts_behave_on_postgresql_as_on_sqlite():
    url = os.environ.get("PORTOLAN_TEST_DATABASE_URL")
    if not url:
        pytest.skip("PORTOLAN_TEST_DATABASE_URL names no PostgreSQL")
    folder = Path(__file__).parent
    others = [
        str(path) for path in sorted(folder.glob("test_*.py")) if path.name != Path(__file__).name
    ]

    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--create-db", *others],
        env={**os.environ, "PORTOLAN_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
