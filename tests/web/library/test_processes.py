"""Real processes over one index, on both databases: killed in a sync, syncing at once."""

import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.databases import FILE_NAME, copy_database
from tests.gitrepos import GitRepository
from tests.reports.postgres import Database, fresh_database, migrated_database
from tests.web.library.installation import ForkingInstallation, Installation

_KILLED = """
import os, signal
from web.library.indexing import {module} as module
from web.library.services.sync import repository_sync
real, calls = module.{function}, []
def killed(*arguments, **options):
    calls.append(1)
    if len(calls) == {calls}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **options)
module.{function} = killed
repository_sync(name="project")
"""


_ADD_FORKS = """
import io
from django.core.management import call_command
for number in range(3):
    call_command(
        "add_repository", f"fork{{number}}", {origin!r}, sync=False, stdout=io.StringIO()
    )
"""
_LIST = "from django.core.management import call_command; call_command('list_repositories')"


@dataclass(frozen=True, slots=True)
class Installed:
    """An installation to copy: its folder and its database, its repository, the index's state."""

    folder: Path
    database: Database | None
    origin: Path
    state: Any


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.services)]
)
def installed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    """Yield an installation whose remote has changed since it was indexed."""
    folder = tmp_path_factory.mktemp("installation")
    origin = GitRepository(folder / "origin")
    origin.write({f"old{n}.py": f"OLD = {n}\n" for n in range(12)}).commit()
    with ExitStack() as stack:
        database = None
        if request.param == "postgres":
            database = stack.enter_context(migrated_database())
        installation = Installation(folder / "data", database_url=database.url if database else "")
        if database is None:
            copy_database(installation.folder / FILE_NAME)
        installation.manage("add_repository", "project", origin.url)
        origin.remove(*(f"old{n}.py" for n in range(6)))
        origin.write({f"new{n}.py": f"def new_{n}():\n    pass\n" for n in range(35)}).commit()
        yield Installed(folder / "data", database, folder / "origin", installation.state()["state"])


@pytest.fixture(scope="module")
def place(
    installed: Installed, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ForkingInstallation, Database | None]]:
    """Yield where the copies are made, one after the other."""
    folder = tmp_path_factory.mktemp("place") / "copy"
    shutil.copytree(installed.folder, folder)
    with ExitStack() as stack:
        database = stack.enter_context(fresh_database()) if installed.database else None
        copy = ForkingInstallation(folder, database_url=database.url if database else "")
        stack.enter_context(copy.forking())
        yield copy, database


@pytest.fixture
def installation(
    installed: Installed, place: tuple[ForkingInstallation, Database | None]
) -> Installation:
    """Return a fresh copy of the installation."""
    copy, database = place
    shutil.rmtree(copy.folder)
    shutil.copytree(installed.folder, copy.folder)
    if database and installed.database:
        database.become(installed.database.name)
    return copy


@pytest.mark.parametrize(
    ("point", "is_visible"),
    [
        (("sync", "update_mirror", 1), False),
        (("sync", "write_contents", 3), False),
        (("write", "_write_chunks", 2), False),
        (("publish", "raise_generation", 1), False),
        (("collect", "_delete", 1), True),
        (("sync", "tidy_mirror", 1), True),
    ],
)
def test_killed_sync_leaves_an_index_that_the_next_one_completes(
    point: tuple[str, str, int],
    is_visible: bool,
    installation: Installation,
    installed: Installed,
) -> None:
    module, function, calls = point
    code = _KILLED.format(module=module, function=function, calls=calls)
    assert installation.outcome(code)[0] == -signal.SIGKILL
    killed, after = installation.state_before_and_after_a_sync()
    assert (killed["state"] == installed.state) is not is_visible
    assert killed["started"]
    assert killed["told"] == ["", True]
    assert after["state"] != installed.state
    assert {name: after[name] for name in ("rows", "unshown", "contents", "stale", "started")} == {
        "rows": True,
        "unshown": 0,
        "contents": 6 + 35,
        "stale": False,
        "started": False,
    }


def test_processes_that_sync_at_once_lose_nothing(
    installation: Installation, installed: Installed
) -> None:
    added = installation.outcome(_ADD_FORKS.format(origin=str(installed.origin)))
    assert added[0] == 0, added
    processes = [
        installation.start("manage.py", "sync_repositories", *names)
        for names in (["project", "fork0"], ["fork0", "fork1"], ["fork2", "project"])
    ]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    after = installation.state()
    assert (after["rows"], after["unshown"], after["contents"]) == (True, 0, 41)
    exit_code, listed = installation.outcome(_LIST)
    assert (exit_code, listed.count(" 41 ")) == (0, 8), listed


def test_worker_takes_a_queued_sync(installation: Installation, installed: Installed) -> None:
    queue = "from web.library.services.sync import repository_sync_enqueue as queue"
    queued = installation.outcome(f"{queue}; queue(name='project')")
    assert queued[0] == 0, queued
    installation.manage("db_worker", "--batch", "--interval=0", "--no-startup-delay", "--no-reload")
    assert installation.state()["state"] != installed.state
