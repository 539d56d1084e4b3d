"""What staff change, on PostgreSQL: the very tests of their tools, races among them."""

from pathlib import Path

import pytest

from tests.on_postgres import run_on_postgres

FILES = ("test_user_tools.py", "test_user_changes.py", "test_source_tools.py")


@pytest.mark.services
def test_staff_change_accounts_and_sources_on_postgresql_as_on_sqlite():
    run_on_postgres(Path(__file__).with_name(name) for name in FILES)
