"""The very tests of this folder, on PostgreSQL."""

from pathlib import Path

import pytest

from tests.on_postgres import run_on_postgres

THIS = Path(__file__)


@pytest.mark.services
@pytest.mark.on_postgres(*sorted(set(THIS.parent.glob("test_*.py")) - {THIS}))
def test_operations_behave_on_postgresql_as_on_sqlite(request: pytest.FixtureRequest) -> None:
    run_on_postgres(request.node)
