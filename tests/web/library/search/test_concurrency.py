"""Searches beside a sync: of several threads and processes, each in one state of the index."""

import threading

import pytest
from django.db import connection

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.library.selectors.search import code_search
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db(transaction=True)
WRITTEN = 12


def revision(number: int) -> dict[str | bytes, str | bytes]:
    """Return the files of one revision: all say the same number."""
    return {f"part{i}.py": f"def needle_{i}():\n    return 'revision{number}'\n" for i in range(6)}


def test_every_search_beside_syncs_sees_one_revision_whole(origin: GitRepository) -> None:
    origin.write(revision(0)).commit("Begin")
    add_and_sync("project", origin.url)
    done = threading.Event()
    seen: list[set[str]] = []
    failures: list[BaseException] = []

    def search_until_done() -> None:
        try:
            while not done.is_set():
                result = code_search(principal=ANONYMOUS, query="needle_ revision", limit=20)
                lines = {line.strip() for place in result.places for line in place.lines}
                seen.append({line for line in lines if line.startswith("return")})
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=search_until_done) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(1, WRITTEN):
            origin.write(revision(number)).commit(f"Revision {number}")
            repository_sync(name="project")
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert len(seen) > WRITTEN
    assert {len(said) for said in seen} == {1}
    last = code_search(principal=ANONYMOUS, query="needle_ revision", limit=20)
    assert {line.strip() for place in last.places for line in place.lines[1:2]} == {
        f"return 'revision{WRITTEN - 1}'"
    }
