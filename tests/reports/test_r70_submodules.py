"""R70: a submodule is listed with its commit and told as what it is."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput
from web.library.selectors.files import file_lines, files_listed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


def test_submodule_is_listed_and_says_where_it_points(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin").write({"a.py": "A = 1\n"}).commit()
    commit = origin.head
    origin.write(
        {".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = https://host.example/lib\n'}
    )
    origin.git("add", "--", ".gitmodules")
    origin.submodule("lib", commit).commit(stage=False)
    report = add_and_sync("project", origin.url)
    assert report.outcome == "updated"
    listed = files_listed(principal=ANONYMOUS, repository="project").items
    (module,) = [item for item in listed if item.kind == "submodule"]
    assert module.path == "lib"
    assert commit in module.note
    with pytest.raises(InvalidInput) as told:
        file_lines(principal=ANONYMOUS, repository="project", path="lib")
    assert "submodule" in str(told.value)
    assert "https://host.example/lib" in str(told.value)
