"""R64: no path leads out of a tree, and every miss looks the same."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import NotFound
from web.library.selectors.files import file_lines

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "a/../../b",
        "a/../a.py",
        "..%2f..%2fetc/passwd",
        "C:\\x",
        "a\0b",
        ".git/config",
        ".git/HEAD",
        "HEAD",
        "x" * 5000,
        "",
        ".",
        "/",
    ],
)
def test_path_that_is_no_file_of_the_tree_is_not_found(path: str, tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin").write({"a.py": "A = 1\n", "a/b.py": "B = 1\n"})
    add_and_sync("project", origin.commit().url)
    with pytest.raises(NotFound) as missed:
        file_lines(principal=ANONYMOUS, repository="project", path=path)
    with pytest.raises(NotFound) as plain:
        file_lines(principal=ANONYMOUS, repository="project", path="missing.py")
    assert missed.value.message == plain.value.message.replace("'missing.py'", repr(path[:200]))
    assert "root:" not in str(missed.value)
