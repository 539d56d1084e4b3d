"""PostgreSQL: the tests of the index and of search on it, and what a server has to allow."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.on_postgres import run_on_postgres
from tests.reports.postgres import Database, fresh_database
from tests.web.library.installation import Installation

LIBRARY = Path(__file__).parent
REPORTS = LIBRARY.parents[1] / "reports"


@pytest.mark.services
@pytest.mark.on_postgres(
    *(LIBRARY / name for name in ("search", "selectors", "services", "sites")),
    *(LIBRARY / "indexing" / name for name in ("test_refs.py", "test_sync.py")),
    LIBRARY / "test_migrations.py",
)
def test_index_and_searches_behave_on_postgresql_as_on_sqlite(
    request: pytest.FixtureRequest,
) -> None:
    run_on_postgres(request.node)


@pytest.mark.services
@pytest.mark.on_postgres(
    *(path for name in ("r6[2-9]", "r7", "r81") for path in sorted(REPORTS.glob(f"test_{name}*")))
)
def test_reported_failures_stay_away_on_postgresql(request: pytest.FixtureRequest) -> None:
    run_on_postgres(request.node)


@pytest.fixture
def lowly(tmp_path: Path) -> Iterator[tuple[Database, Installation]]:
    """Yield a database, and an installation whose role may make tables there and nothing else."""
    role, password = f"lowly_{secrets.token_hex(4)}", secrets.token_hex(12)
    with fresh_database() as database:
        parts = urlsplit(database.url)
        address = f"{role}:{password}@{parts.hostname}:{parts.port}"
        with psycopg.connect(database.url, autocommit=True) as link:
            link.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{password}'")
            try:
                link.execute(f"GRANT CREATE ON SCHEMA public TO {role}")
                url = parts._replace(netloc=address).geturl()
                yield database, Installation(tmp_path / "data", database_url=url)
            finally:
                link.execute(f"DROP OWNED BY {role}")
                link.execute(f"DROP ROLE {role}")


@pytest.mark.services
@pytest.mark.parametrize("schema", ["public", "extensions"])
def test_a_role_without_rights_is_told_what_the_administrator_has_to_do(
    lowly: tuple[Database, Installation], schema: str
) -> None:
    database, installation = lowly
    process = installation.start("manage.py", "migrate", "library", "--verbosity=0")
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "CREATE EXTENSION pg_trgm" in errors
    assert database.name in errors
    assert "Traceback" not in errors
    with psycopg.connect(database.url, autocommit=True) as link:
        if schema != "public":
            link.execute(f"CREATE SCHEMA {schema}")
            link.execute(f"GRANT USAGE ON SCHEMA {schema} TO PUBLIC")
        link.execute(f"CREATE EXTENSION pg_trgm SCHEMA {schema}")
    installation.manage("migrate", "library", "--verbosity=0")
