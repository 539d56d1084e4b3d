"""R57 and R23: a database that is read but takes no writes, as on a full or read-only disk."""

import json
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.core.errors import Unavailable
from web.library.services.sync import repository_rebuild, repository_sync

pytestmark = pytest.mark.django_db(transaction=True)
INSIDE = ("Traceback", "sqlite", "INSERT", "Error(", "readonly", "/tmp", "File ")


@contextmanager
def no_writes():
    if connection.vendor != "sqlite":
        pytest.skip("a switch of SQLite")
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = ON")
        try:
            yield
        finally:
            cursor.execute("PRAGMA query_only = OFF")


def registered():
    document = {"redirect_uris": ["http://127.0.0.1/"], "client_name": "Chart reader"}
    return Client(raise_request_exception=False).post(
        "/o/register/", json.dumps(document), content_type="application/json"
    )


def test_a_client_that_registers_is_told_in_json_to_come_again(caplog):
    with no_writes():
        response = registered()
    assert (response.status_code, response.json()["error"]) == (503, "temporarily_unavailable")
    assert response["Retry-After"]
    assert response["Access-Control-Allow-Origin"] == "*"
    assert not [word for word in INSIDE if word in response.content.decode()]
    assert len([one for one in caplog.records if one.exc_info]) == 1
    assert registered().status_code == 201


@pytest.mark.parametrize("work", [repository_sync, repository_rebuild])
def test_a_sync_that_cannot_be_noted_as_begun_says_so_and_works_again_later(tmp_path, work):
    origin = GitRepository(tmp_path / "origin").write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    with no_writes(), pytest.raises(Unavailable) as failed:
        work(name="project")
    assert failed.value.hint
    assert not [word for word in INSIDE if word in str(failed.value)]
    assert work(name="project").repository == "project"
