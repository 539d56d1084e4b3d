"""The tests of the index, of search and of what reads them, on PostgreSQL."""

from pathlib import Path

import pytest

from tests.on_postgres import run_on_postgres

LIBRARY = Path(__file__).parent
REPORTS = LIBRARY.parents[1] / "reports"


@pytest.mark.services
def test_index_and_searches_behave_on_postgresql_as_on_sqlite() -> None:
    folders = [LIBRARY / name for name in ("search", "selectors", "services", "sites")]
    index = [LIBRARY / "indexing" / name for name in ("test_refs.py", "test_sync.py")]
    run_on_postgres([*folders, *index])


@pytest.mark.services
def test_reported_failures_stay_away_on_postgresql() -> None:
    run_on_postgres(sorted(REPORTS.glob("test_r6*.py")) + sorted(REPORTS.glob("test_r7*.py")))
