"""Real processes over one data folder: killed in the middle of a sync, and syncing at once."""

import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from tests.web.library.installation import Installation

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


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Any]:
    """Return the folders of an installation and of its repository, and the index's state."""
    folder = tmp_path_factory.mktemp("installation")
    origin = GitRepository(folder / "origin")
    origin.write({f"old{n}.py": f"OLD = {n}\n" for n in range(12)}).commit()
    installation = Installation(folder / "data")
    installation.manage("migrate", "--verbosity=0")
    installation.manage("add_repository", "project", origin.url)
    origin.remove(*(f"old{n}.py" for n in range(6)))
    origin.write({f"new{n}.py": f"def new_{n}():\n    pass\n" for n in range(35)}).commit()
    return folder / "data", folder / "origin", installation.state()["state"]


@pytest.fixture
def installation(installed: tuple[Path, Path, Any], tmp_path: Path) -> Installation:
    """Return a copy of the installation, whose remote has changed since it was indexed."""
    shutil.copytree(installed[0], tmp_path / "copy")
    return Installation(tmp_path / "copy")


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
    installed: tuple[Path, Path, Any],
) -> None:
    module, function, calls = point
    code = _KILLED.format(module=module, function=function, calls=calls)
    process = installation.run(code)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    killed = installation.state()
    assert (killed["state"] == installed[2]) is not is_visible
    assert killed["started"]
    installation.manage("sync_repositories")
    after = installation.state()
    assert after["state"] != installed[2]
    assert {name: after[name] for name in ("rows", "unshown", "contents", "stale", "started")} == {
        "rows": True,
        "unshown": 0,
        "contents": 6 + 35,
        "stale": False,
        "started": False,
    }


def test_processes_that_sync_at_once_lose_nothing(
    installation: Installation, installed: tuple[Path, Path, Any]
) -> None:
    for number in range(3):
        installation.manage("add_repository", f"fork{number}", str(installed[1]), "--no-sync")
    processes = [
        installation.start("manage.py", "sync_repositories", *names)
        for names in (["project", "fork0"], ["fork0", "fork1"], ["fork2", "project"])
    ]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    after = installation.state()
    assert (after["rows"], after["unshown"], after["contents"]) == (True, 0, 41)
    listed = installation.manage("list_repositories")
    assert listed.count(" 41 ") == 8


def test_worker_takes_a_queued_sync(
    installation: Installation, installed: tuple[Path, Path, Any]
) -> None:
    queue = "from web.library.services.sync import repository_sync_enqueue as queue"
    _, errors = installation.run(f"{queue}; queue(name='project')").communicate()
    assert not errors
    installation.manage("db_worker", "--batch", "--interval=0", "--no-startup-delay", "--no-reload")
    assert installation.state()["state"] != installed[2]
