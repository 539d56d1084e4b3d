"""R57 and R90: the database goes away, or another takes its place, while the sidecar is asked.

Over HTTP, of a sidecar that is a process of its own: answers are clean, and those of the next call
come from the database that is there.
"""

import json
import shutil
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.databases import FILE_NAME, copy_database
from tests.mcp_sidecar.conftest import refusal
from tests.mcp_sidecar.processes import python, running
from tests.messages import call
from tests.services import PostgresServer

INSIDE = ("Traceback", "psycopg", "sqlite", "SELECT", "Error(", "127.0.0.1", "/tmp", "File ")
MIGRATE = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""
TOKEN = """
from django.contrib.auth.models import User
from web.accounts.records import Actor
from web.accounts.services.tokens import token_create
user = User.objects.create_user("stan", is_staff=True)
made = token_create(
    actor=Actor.of(user), owner=user, name="t", scopes=["operations"], expires_days=None
)
print(made.secret)
"""


class Asked:
    """A sidecar, asked by the staff with a token that was made before all."""

    def __init__(self, http, token):
        self.http = http
        self.headers = {"authorization": f"Bearer {token}"}

    def call(self, path, tool, *, with_token=True, **arguments):
        headers = self.headers if with_token else {}
        return self.http.post(path, json=call(tool, **arguments), headers=headers)

    def is_known(self):
        response = self.call("/mcp/operations/", "list_users")
        assert response.status_code in {200, 401}, response.text
        return response.status_code == 200 and "`stan`" in response.text

    def assert_away(self):
        """Every way of asking is refused for now, and tells nothing of the inside."""
        users = self.call("/mcp/operations/", "list_users")
        repositories = self.call("/mcp/", "list_repositories", with_token=False)
        probe = self.call("/mcp/probes", "probe_query", number=1, with_token=False)
        answers = [repositories, probe]
        if users.status_code == 503:
            assert refusal(users) == (503, "unavailable")
            assert users.json()["error"]["data"]["request_id"] == users.headers["x-request-id"]
        else:  # PostgreSQL: who the token is of is remembered for half a second
            answers.append(users)
        for response in answers:
            result = response.json()["result"]
            assert result["isError"] is True
            assert "(code: unavailable)\n(request: " in result["content"][0]["text"]
        for response in (users, repositories, probe):
            told = json.dumps(response.json())
            assert not [word for word in INSIDE if word in told], told
        assert self.http.get("/ready").status_code == 503
        assert self.http.get("/health").text == "ok"


@contextmanager
def asked(folder, **more):
    if not more:
        copy_database(folder / FILE_NAME)
    token = python(folder, (MIGRATE if more else "") + TOKEN, **more)
    with (
        running(folder, **more) as sidecar,
        httpx.Client(base_url=sidecar.url, trust_env=False, timeout=60) as http,
    ):
        yield Asked(http, token)


def moved(folder, to):
    """Move the database's files to another folder."""
    to.mkdir()
    for path in list(folder.glob("portolan.sqlite3*")):
        shutil.move(path, to / path.name)


def brought_back(kept, folder):
    for path in folder.glob("portolan.sqlite3*"):
        path.unlink()
    for path in kept.iterdir():
        shutil.move(path, folder / path.name)
    kept.rmdir()


def test_another_file_that_takes_the_place_of_the_database_is_read_and_written_from_then_on(
    tmp_path,
):
    folder, backup = tmp_path / "data", tmp_path / "backup"
    folder.mkdir()
    backup.mkdir()
    copy_database(backup / FILE_NAME)  # of before the account was made
    with asked(folder) as sidecar:
        assert sidecar.is_known()
        moved(folder, tmp_path / "kept")
        shutil.copy(backup / "portolan.sqlite3", folder / "portolan.sqlite3")
        assert not sidecar.is_known()
        brought_back(tmp_path / "kept", folder)
        assert sidecar.is_known()


def test_a_file_that_is_gone_or_no_database_is_told_and_the_right_one_is_served_again(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    with asked(folder) as sidecar:
        assert sidecar.is_known()
        moved(folder, tmp_path / "kept")
        sidecar.assert_away()
        assert not (folder / "portolan.sqlite3").exists()  # none was made, empty
        (folder / "portolan.sqlite3").write_bytes(b"no database at all\n" * 1000)
        sidecar.assert_away()
        brought_back(tmp_path / "kept", folder)
        assert sidecar.is_known()


@pytest.mark.services
def test_postgresql_that_stops_or_crashes_is_told_and_served_again(tmp_path):
    outside = Path(tempfile.mkdtemp(prefix="portolan-postgres-"))  # PostgreSQL's account reads it
    outside.chmod(0o755)
    server = PostgresServer(outside / "server")
    try:
        server.create()
        with asked(tmp_path, PORTOLAN_DATABASE_URL=server.url) as sidecar:
            assert sidecar.is_known()
            for number in (signal.SIGINT, signal.SIGQUIT):
                server.stop(number)
                sidecar.assert_away()
                server.start()
                assert sidecar.is_known()
    finally:
        server.stop()
        shutil.rmtree(outside)
