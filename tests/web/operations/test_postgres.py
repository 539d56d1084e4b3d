"""The very tests of this folder, on PostgreSQL."""

from pathlib import Path

import pytest

from tests.on_postgres import run_on_postgres


@pytest.mark.services
def test_operations_behave_on_postgresql_as_on_sqlite() -> None:
    this = Path(__file__)
    run_on_postgres(path for path in sorted(this.parent.glob("test_*.py")) if path != this)
