"""An installation of its own for tests: a data folder, and the real processes that use it."""

import json
import os
import subprocess
import sys
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

    def _states(self, code: str) -> list[dict[str, Any]]:
        process = self.run(code)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        return [json.loads(line) for line in output.splitlines()]
