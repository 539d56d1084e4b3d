"""An installation of its own for tests: a data folder, and the real processes that use it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
_STATE = """
import io, json
from django.core.management import call_command
from tests.library import full_text_rows, index_state
from web.library.models import Chunk, Content, Repository
from web.library.selectors.syncs import sync_activity, was_interrupted

def print_state():
    texts = set(Chunk.objects.values_list("text_id", flat=True))
    project = Repository.objects.get(name="project")
    print(json.dumps({
        "state": sorted(map(repr, index_state("project").items())),
        "rows": full_text_rows() == texts,
        "unshown": Content.objects.filter(revisions=None).count(),
        "contents": Content.objects.count(),
        "stale": bool(project.stale_since),
        "started": bool(project.sync_started_at),
        "told": (sync_activity(project), was_interrupted(project)),
    }))

print_state()
"""
_SYNC = """
call_command("sync_repositories", stdout=io.StringIO())
print_state()
"""
_FORKS = """
import json, os, sys, threading, traceback, django
django.setup()
assert threading.active_count() == 1  # a fork has only the thread that forks
for line in sys.stdin:
    code, output = json.loads(line)
    if not (pid := os.fork()):
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        failed = 1
        try:
            exec(code, {"__name__": "__main__"})
            failed = 0
        except BaseException:
            traceback.print_exc(file=sys.stdout)
        finally:
            sys.stdout.flush()
            os._exit(failed)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Installation:
    """A data folder, its database, which is SQLite's by default, and the processes that use it."""

    python = (sys.executable,)

    def __init__(self, folder: Path, *, database_url: str = "") -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "web.config.settings.production",
            "PORTOLAN_DATA_DIR": str(folder),
            "PORTOLAN_DEBUG": "1",
            "PORTOLAN_ALLOW_LOCAL_REPOSITORIES": "1",
            "PORTOLAN_INDEX_BATCH_FILES": "10",
            "PORTOLAN_DATABASE_URL": database_url,
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start Python from the folder of the checkout."""
        return subprocess.Popen(
            [*self.python, *arguments],
            cwd=ROOT,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def manage(self, *arguments: str) -> str:
        """Run a management command, which must succeed; return its output."""
        process = self.start("manage.py", *arguments)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        return output

    def run(self, code: str) -> subprocess.Popen[str]:
        """Start code in a set up Django."""
        return self.start("-c", f"import django; django.setup()\n{code}")

    def state(self) -> dict[str, Any]:
        """Return the state of the index as a new process sees it."""
        (found,) = self._states(_STATE)
        return found

    def state_before_and_after_a_sync(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Sync everything in a new process; return what it sees of the index before and then."""
        before, after = self._states(_STATE + _SYNC)
        return before, after

    def outcome(self, code: str) -> tuple[int, str]:
        """Run code in a process of its own; return its exit code and its output.

        Where it failed, the output is of what went wrong.
        """
        process = self.run(code)
        output, errors = process.communicate()
        return process.returncode, errors if process.returncode else output

    def _states(self, code: str) -> list[dict[str, Any]]:
        exit_code, output = self.outcome(code)
        assert exit_code == 0, output
        return [json.loads(line) for line in output.splitlines()]


class ForkingInstallation(Installation):
    """One whose processes for `outcome` are forks of one that has set Django up, and no more.

    So each is a process of its own without the second that a start takes.
    """

    _parent: subprocess.Popen[str]

    @contextmanager
    def forking(self) -> Iterator[None]:
        """Have the process to fork inside the block; the installation's folder has to be there."""
        with subprocess.Popen(
            [*self.python, "-c", _FORKS],
            cwd=ROOT,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as self._parent:
            yield

    def outcome(self, code: str) -> tuple[int, str]:
        """Run code in a fork; return its exit code and its output, or what went wrong."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        output = self.folder / "output"
        print(json.dumps([code, str(output)]), file=self._parent.stdin, flush=True)
        return int(self._parent.stdout.readline()), output.read_text()
