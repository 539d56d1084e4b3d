"""Two processes import the same feed at the same time."""

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.databases import FILE_NAME, copy_database
from tests.web.library.posts.test_feeds import XML, item, rss
from tests.web.local_server import Reply, serving

ROOT = Path(__file__).parents[4]


@pytest.mark.sqlite
def test_two_imports_at_once_make_each_post_once(tmp_path):
    environment = {
        **os.environ,
        "PORTOLAN_DATA_DIR": str(tmp_path),
        "PORTOLAN_DATABASE_URL": "",
        "PORTOLAN_DEBUG": "1",
        "PORTOLAN_FETCH_PRIVATE_HOSTS": "127.0.0.1",
        "DJANGO_SETTINGS_MODULE": "web.config.settings.production",
    }

    def manage(*arguments):
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)

    both_asked = threading.Barrier(2, timeout=60)

    def when_both_asked(asked):
        both_asked.wait()
        return Reply(rss(*(item(str(n), f"Post {n}") for n in range(20))), headers=XML)

    with serving() as server:
        server.routes["/feed"] = when_both_asked
        copy_database(tmp_path / FILE_NAME)
        assert manage("add_feed", server.url("/feed"), "--no-import").wait() == 0

        imports = [manage("import_feeds") for _ in range(2)]
        assert [process.wait() for process in imports] == [0, 0]

    database = sqlite3.connect(tmp_path / "portolan.sqlite3")
    posts = database.execute("SELECT count(*), count(DISTINCT guid) FROM posts_post").fetchone()
    sections = database.execute("SELECT count(*) FROM posts_postsection").fetchone()
    found = database.execute("SELECT count(*) FROM posts_fulltext").fetchone()
    database.close()
    assert posts == (20, 20)
    assert sections == found == (20,)
