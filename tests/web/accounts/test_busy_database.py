"""A token is accepted while another process writes: its last use waits, the caller does not."""

import sqlite3
import subprocess
import sys

from tests.databases import FILE_NAME, copy_database
from tests.newcomer import PROJECT, newcomers_environment

PATIENCE_SECONDS = 28  # below the 30 s for which an ordinary write waits for the lock
MAKE = """
from django.contrib.auth.models import User
from web.accounts.records import Actor
from web.accounts.services.tokens import token_create
user = User.objects.create_user("mira", password="x")
made = token_create(
    actor=Actor.of(user), owner=user, name="t", scopes=["work"], expires_days=None
)
print(made.secret)
"""
USE = """
from django.db import connection
from web.accounts.models import PersonalAccessToken
from web.accounts.selectors import principal_for_token
principal = principal_for_token(token="{token}", resource=None)
print(principal.username, PersonalAccessToken.objects.get().last_used_at)
with connection.cursor() as cursor:
    print(cursor.execute("PRAGMA busy_timeout").fetchone()[0])
"""


def python(folder, code, *, timeout=None):
    environment = newcomers_environment() | {
        "PORTOLAN_DATA_DIR": str(folder),
        "PORTOLAN_DEBUG": "1",
    }
    return subprocess.run(
        [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", code],
        cwd=PROJECT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=timeout,
    ).stdout.split("\n")


def test_a_busy_database_delays_no_caller(tmp_path):
    copy_database(tmp_path / FILE_NAME)
    token = python(tmp_path, MAKE)[0]
    writer = sqlite3.connect(tmp_path / "portolan.sqlite3", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        used = python(tmp_path, USE.format(token=token), timeout=PATIENCE_SECONDS)
        assert used[:2] == ["mira None", "30000"]
    finally:
        writer.execute("ROLLBACK")
        writer.close()
    assert python(tmp_path, USE.format(token=token))[0] != "mira None"
