"""R65: a symbolic link is shown as one and never followed."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries
from web.accounts.principals import ANONYMOUS
from web.core.errors import NotFound
from web.library.selectors.files import file_lines, files_listed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


def test_link_out_of_the_tree_shows_its_target_and_nothing_else(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin").link("link", "/etc/passwd").link("d", "../..")
    add_and_sync("project", origin.write({"a.py": "A = 1\n"}).commit().url)
    link = file_lines(principal=ANONYMOUS, repository="project", path="link")
    assert (link.kind, link.lines) == ("symlink", ())
    assert "/etc/passwd" in link.note
    listed = files_listed(principal=ANONYMOUS, repository="project").items
    assert {item.path: item.kind for item in listed} == {
        "a.py": "file",
        "d": "symlink",
        "link": "symlink",
    }
    assert [path for path, entry in entries("project").items() if entry.content] == ["a.py"]


def test_nothing_behind_a_link_to_a_folder_exists(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin").link("d", "../..").write({"a.py": "A = 1\n"})
    add_and_sync("project", origin.commit().url)
    with pytest.raises(NotFound):
        file_lines(principal=ANONYMOUS, repository="project", path="d/etc/passwd")
