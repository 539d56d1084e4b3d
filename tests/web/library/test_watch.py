"""`sync_repositories --watch` as a real process: repositories, feeds and scheduled posts."""

import fcntl
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

from tests.databases import FILE_NAME, copy_database
from tests.gitrepos import GitRepository
from tests.web.library.installation import Installation
from tests.web.local_server import Reply, serving

FEED = b"""<rss version="2.0"><channel><title>News</title><link>https://news.example/</link>
<item><guid>1</guid><title>Sails</title><description>About sails.</description></item>
</channel></rss>"""


def test_watch_syncs_imports_goes_on_after_a_failure_and_stops_in_the_middle_of_a_sync(
    tmp_path: Path, origin: GitRepository
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    installation = Installation(tmp_path / "installation")
    installation.environment |= {
        "PORTOLAN_FETCH_PRIVATE_HOSTS": "127.0.0.1",
        "PYTHONUNBUFFERED": "1",
    }
    with serving() as server:
        server.routes["/feed"] = Reply(FEED, headers={"Content-Type": "application/rss+xml"})
        server.routes["/broken"] = Reply(status=500)
        copy_database(installation.folder / FILE_NAME)
        installation.manage("add_repository", "gone", origin.url, "--no-sync")
        gone = "from web.library.models import Repository as R; R.objects.update(url='/no/such')"
        installation.run(gone).communicate()
        installation.manage("add_repository", "project", origin.url, "--no-sync")
        for path in ("/broken", "/feed"):
            installation.manage("add_feed", server.url(path), "--no-import")
        process = installation.start("manage.py", "sync_repositories", "--watch", "1")
        try:
            assert process.stdout is not None
            said = [process.stdout.readline(), process.stdout.readline()]
            assert said[0].startswith("project: main; 1 files looked at")
            assert said[1].startswith("News: 1 new")
            origin.write({"a.py": "A = 2\n"}).commit()
            while not (line := process.stdout.readline()).startswith("project: main; 1 files"):
                assert line, process.communicate()[1]
            with ExitStack() as locks:  # a sync that waits, as one that fetches or indexes
                for lock in (installation.folder / "mirrors").glob("*.lock"):
                    fcntl.flock(locks.enter_context(lock.open()), fcntl.LOCK_EX)
                errors = _ended_in_a_sync(process, signal.SIGTERM)
                once = installation.start("manage.py", "sync_repositories")
                assert "Traceback" not in _ended_in_a_sync(once, signal.SIGINT)
        finally:
            process.terminate()
            process.communicate()
    assert "WARNING" not in errors  # what the command says itself
    assert (process.returncode, once.returncode) == (0, 130)
    assert "gone: There is no repository at this address" in errors
    assert len([asked for asked in server.asked if asked.path == "/feed"]) == 1


def _ended_in_a_sync(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """Send a signal once the process waits in a sync; return what it said until its end."""
    assert process.stderr is not None
    said = ""
    while "waiting for it" not in said:
        said += (line := process.stderr.readline())
        assert line, said
    process.send_signal(number)
    said += process.communicate()[1]
    assert said.endswith("Stopped.\n")
    return said
