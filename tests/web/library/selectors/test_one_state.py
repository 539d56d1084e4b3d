"""An answer speaks of one state of the index, also when a sync ends while it is put together."""

from threading import Thread

import pytest
from django.db import connection

from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.library.selectors.documents import document_text, documents_listed
from web.library.selectors.files import file_lines, files_listed
from web.library.selectors.grep import lines_matching
from web.library.selectors.history import commits_listed
from web.library.selectors.repositories import repository_overview
from web.library.selectors.search import code_search
from web.library.services.sync import repository_sync

READS = {
    "files_listed": lambda: files_listed(principal=ANONYMOUS, repository="tool", path="src"),
    "file_lines": lambda: file_lines(principal=ANONYMOUS, repository="tool", path="src/app.py"),
    "documents_listed": lambda: documents_listed(principal=ANONYMOUS, repository="tool"),
    "document_text": lambda: document_text(
        principal=ANONYMOUS, repository="tool", path="README.md"
    ),
    "lines_matching": lambda: lines_matching(
        principal=ANONYMOUS, repository="tool", pattern="mark"
    ),
    "commits_listed": lambda: commits_listed(principal=ANONYMOUS, repository="tool"),
    "repository_overview": lambda: repository_overview(principal=ANONYMOUS, repository="tool"),
    "code_search": lambda: code_search(principal=ANONYMOUS, repository="tool", query="mark"),
}


def sync_beside() -> None:
    """Index the newest commit on another thread, with a connection of its own, and wait for it."""

    def work() -> None:
        repository_sync(name="tool")
        connection.close()

    thread = Thread(target=work)
    thread.start()
    thread.join()


class SyncAfterTheFirstStatement:
    """Has a sync end right after the first statement that reads a table."""

    def __init__(self) -> None:
        self.is_due = True

    def __call__(self, execute, sql, params, many, context):
        rows = execute(sql, params, many, context)
        if self.is_due and sql.startswith("SELECT"):
            self.is_due = False
            sync_beside()
        return rows


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", READS)
def test_a_sync_that_ends_in_the_middle_changes_nothing_of_an_answer(origin, name):
    origin.write({"README.md": "# Mark one\n", "src/app.py": "mark = 1\n"}).commit()
    add_and_sync("tool", origin.url)
    before = READS[name]()
    origin.write(
        {"README.md": "# Mark two\n\n## More\n", "src/app.py": "\nmark = 2\n", "src/b.py": "b"}
    ).commit()
    with connection.execute_wrapper(SyncAfterTheFirstStatement()):
        meanwhile = READS[name]()
    after = READS[name]()
    assert meanwhile == before
    assert after != before
