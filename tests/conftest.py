"""What holds for the whole suite."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_django
from django.db import connection
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from tests.library import forget_full_text


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


@receiver(post_migrate)
def empty_what_a_flush_leaves(using: str, **_signal: Any) -> None:
    """A test with transactions is followed by a flush, which knows the tables of models only."""
    forget_full_text(using)


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[None]:
    """End the sessions of threads that outlive their test; PostgreSQL drops no database in use."""
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
