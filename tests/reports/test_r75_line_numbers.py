"""R75: the index, the reader and git agree on line numbers."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries
from web.accounts.principals import ANONYMOUS
from web.library.selectors.files import file_lines
from web.library.selectors.search import code_search

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


TEXT = "one\r\ntwo\x0c still two\nthree\u2028still three\u0085and\x0b so on\nneedle = 4\r\nlast"


def test_symbol_line_is_the_line_that_is_read_and_that_git_counts(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin").write({"a.py": TEXT}).commit()
    add_and_sync("project", origin.url)
    content = entries("project")["a.py"].content
    assert content is not None
    line = content.symbols.get(name__name="needle").line
    git_line = origin.git("grep", "-n", "needle", "HEAD", "--", "a.py").decode().split(":")[2]
    count = origin.git("grep", "-c", "", "HEAD", "--", "a.py").decode().strip().rpartition(":")[2]
    read = file_lines(
        principal=ANONYMOUS, repository="project", path="a.py", start_line=line, line_count=1
    )
    assert line == int(git_line) == 4
    assert read.lines == ("needle = 4",)
    assert read.total_lines == content.line_count == int(count)
    (place,) = code_search(principal=ANONYMOUS, query="needle").places
    assert place.matched_lines == (4,)
    shown = dict(enumerate(place.lines, place.start_line))
    assert shown[4] == "needle = 4"
