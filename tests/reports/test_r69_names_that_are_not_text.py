"""R69: a file name that is not UTF-8 is kept readable and never stops the rest."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries
from web.accounts.principals import ANONYMOUS
from web.library.selectors.files import file_lines, files_listed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


NAMES: list[str | bytes] = [
    *("plain.py", "with space.py", "tab\there.py", "new\nline.py", "-dash.py", "ünï.py"),
    *(b"latin-\xe9.py", b"\xff\xfe.py", b"folder-\xe9/inner.py", 'quote".py', "\u202ebidi.py"),
]


def test_every_name_that_is_listed_can_be_read(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin")
    for number, name in enumerate(NAMES):
        origin.write({name: f"NUMBER = {number}\n"})
    report = add_and_sync("project", origin.commit().url)
    assert report.contents_written == report.files_read == len(NAMES)
    listed = files_listed(principal=ANONYMOUS, repository="project", pattern="**").items
    assert len(listed) == len(NAMES)
    assert {"latin-\\xe9.py", "\\xff\\xfe.py", "new\nline.py"} < {item.path for item in listed}
    read = [
        file_lines(principal=ANONYMOUS, repository="project", path=item.path).lines
        for item in listed
    ]
    assert sorted(read) == sorted((f"NUMBER = {number}",) for number in range(len(NAMES)))
    assert all(entry.content for entry in entries("project").values())
