"""What holds for the whole suite."""

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_django
from django.db import connection
from django.test import TransactionTestCase

from tests.databases import copy_database, empty_tables, migrated_template, templates
from tests.on_postgres import left_to_postgres

# By what they take in `make test-all`.
LONGEST_FIRST = (
    "tests/web/library/test_postgres.py",
    "tests/web/library/test_processes.py",
    "tests/deploy/test_make_run.py",
    "tests/conformance/test_suite.py",
    "tests/web/library/posts/test_postgres.py",
    "tests/mcp_sidecar/tools/test_on_postgres.py",
    "tests/web/operations/test_postgres.py",
    "tests/reports/test_r36_leaks.py",
    "tests/reports/test_r90_three_workers.py",
    "tests/reports/test_r90_who_gets_what.py",
    "tests/browser/test_clients_through_nginx.py",
    "tests/browser/test_sign_in_and_consent.py",
    "tests/reports/test_r57_database_away.py",
    "tests/reports/test_r30_rate_limits.py",
    "tests/web/accounts/test_fastmcp_client.py",
    "tests/conformance/test_inspector_in_a_browser.py",
    "tests/mcp_sidecar/test_stdio.py",
    "tests/mcp_sidecar/test_process.py",
    "tests/reports/test_r14_to_r36_http.py",
    "tests/reports/test_r89_tokens_at_the_endpoints.py",
    "tests/conformance/test_public_clients.py",
    "tests/deploy/test_questions.py",
    "tests/mcp_sidecar/test_protocol.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where every service is required, a test of services that skips itself has failed."""
    report = yield
    required = os.environ.get("PORTOLAN_SERVICES_REQUIRED") == "1"
    if required and report.skipped and item.get_closest_marker("services"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but make test-all skips nothing"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart() -> Generator[None]:
    """Have workers of pytest-xdist, and what they start, know the databases to copy.

    And have what is started heed Ctrl-C, which a shell lets its background ignore.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    templates()
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out what another test runs on PostgreSQL, and begin with the files that take longest.

    So no worker is left with one of these at the end.
    """
    if left := left_to_postgres(items):
        config.hook.pytest_deselected(items=left)
        taken_out = {id(item) for item in left}
        items[:] = [item for item in items if id(item) not in taken_out]
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))


def _emptied(test: TransactionTestCase) -> None:
    for using in test._databases_names(include_mirrors=False):
        empty_tables(using)


# What Django does after each test with transactions.
TransactionTestCase._fixture_teardown = _emptied  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Whether the database of these tests is a copy that is there already."""
    return connection.vendor == "sqlite" and "PYTEST_XDIST_WORKER" in os.environ


@pytest.fixture(scope="session")
def django_db_createdb() -> bool:
    """Never: what is there is a fresh copy."""
    return False


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Where several processes run tests side by side, none migrates a database of its own."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    test = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        copy_database(Path(test["NAME"]))
    elif server_url := os.environ.get("PORTOLAN_TEST_DATABASE_URL"):
        test["TEMPLATE"] = migrated_template(server_url)


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[None]:
    """Begin without what migrating queues, and end the sessions of threads that outlive their test.

    PostgreSQL drops no database in use.
    """
    with django_db_blocker.unblock():
        empty_tables(connection.alias)
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture
def data_folder(settings: Any, tmp_path: Path) -> Path:
    """Give the test a data folder of its own, and leave to copy repositories of this machine."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.ALLOW_LOCAL_REPOSITORIES = True
    folder: Path = settings.DATA_DIR
    return folder
