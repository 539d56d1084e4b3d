"""On PostgreSQL: the very tests of the project's tools and of what staff change, with races."""

from pathlib import Path

import pytest

from tests.on_postgres import run_on_postgres

FILES = (
    "test_project_tools.py",
    "test_user_tools.py",
    "test_user_changes.py",
    "test_source_tools.py",
)


@pytest.mark.services
@pytest.mark.on_postgres(*(Path(__file__).with_name(name) for name in FILES))
def test_tools_answer_and_change_on_postgresql_as_on_sqlite(request):
    run_on_postgres(request.node)
