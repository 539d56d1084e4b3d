"""R66: a ref that a caller names is looked up in the index and never reaches git."""

from pathlib import Path
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS
from web.core.errors import InvalidInput
from web.library.git import command
from web.library.selectors.documents import documents_listed
from web.library.selectors.files import file_lines, files_listed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.mark.parametrize(
    "ref",
    [
        "--output={}",
        "-O",
        "--upload-pack=touch {}",
        "HEAD --",
        "@{{-1}}",
        "main:..",
        "HEAD^{{/x}}",
        "main~1",
        "FETCH_HEAD",
        "main\0",
        "refs/heads/../../config",
        "x" * 5000,
    ],
)
def test_ref_that_is_not_indexed_is_refused_with_the_list(
    ref: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "x"
    origin = GitRepository(tmp_path / "origin").write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    monkeypatch.setattr(command.subprocess, "Popen", None)
    arguments: dict[str, Any] = {
        "principal": ANONYMOUS,
        "repository": "project",
        "ref": ref.format(witness),
    }
    for read in (
        lambda: file_lines(path="a.py", **arguments),
        lambda: files_listed(**arguments),
        lambda: documents_listed(**arguments),
    ):
        with pytest.raises(InvalidInput, match="is not indexed") as refused:
            read()
        assert "main" in refused.value.hint
        assert set(refused.value.fields) == {"ref"}
    assert not witness.exists()


@pytest.mark.parametrize("ref", ["main", "heads/main", "refs/heads/main", None, ""])
def test_indexed_ref_is_found_by_its_names(ref: str | None, tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin").write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    found = file_lines(principal=ANONYMOUS, repository="project", path="a.py", ref=ref)
    assert found.freshness.commit == origin.head
