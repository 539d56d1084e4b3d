"""A SQLite database: what a new one is told, and what connecting to a busy one costs."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from web.library.models import Content, Repository

INCREMENTAL = 2
OLDER = ("library", "0010_postgres_search")


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the alias of an empty database that is set up as the product's own."""
    configured = settings.DATABASES["default"]
    if "sqlite" not in configured["ENGINE"]:
        pytest.skip("a property of SQLite")
    entry = {**connections["default"].settings_dict, "NAME": str(tmp_path / "fresh.sqlite3")}
    entry["OPTIONS"] = {**configured["OPTIONS"], "timeout": 0.1}
    monkeypatch.setitem(connections.databases, "fresh", entry)
    yield "fresh"
    connections["fresh"].close()
    del connections["fresh"]


@pytest.mark.django_db(databases="__all__")
def test_a_new_database_gives_back_what_is_freed(fresh: str, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        call_command("migrate", "library", database=fresh, verbosity=0)
        with connections[fresh].cursor() as cursor:
            assert cursor.execute("PRAGMA auto_vacuum").fetchone()[0] == INCREMENTAL


@pytest.mark.django_db
def test_the_table_of_entries_is_its_own_index() -> None:
    if connections["default"].vendor != "sqlite":
        pytest.skip("a property of SQLite")
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT wr FROM pragma_table_list WHERE name = 'library_entry'")
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db(databases="__all__")
def test_a_connection_opens_while_another_process_writes(
    fresh: str, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock():
        connection = connections[fresh]
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE thing (id integer)")
        connection.close()
        writer = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM thing")
                assert cursor.fetchone() == (0,)
        finally:
            writer.execute("ROLLBACK")
            writer.close()


@pytest.mark.django_db(databases="__all__")
def test_an_index_of_an_older_release_is_emptied_and_said_to_be_stale(
    fresh: str, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock():
        executor = MigrationExecutor(connections[fresh])
        executor.migrate([OLDER])
        older = executor.loader.project_state([OLDER]).apps
        repositories = older.get_model("library", "Repository").objects.using(fresh)
        synced = repositories.create(name="synced", url="/srv/synced.git", synced_at=timezone.now())
        repositories.create(name="waiting", url="/srv/waiting.git")
        contents = older.get_model("library", "Content").objects.using(fresh)
        contents.create(oid="0" * 40, format="python", home=synced)
        call_command("migrate", "library", database=fresh, verbosity=0)
        assert not Content.objects.using(fresh).exists()
        stale = dict(Repository.objects.using(fresh).values_list("name", "sync_hint"))
        assert "Sync the repository" in stale["synced"]
        assert stale["waiting"] == ""
