"""R71: a Git LFS pointer has its object's size and is not searched as code."""

from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries
from web.accounts.principals import ANONYMOUS
from web.library.selectors.files import file_lines

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 734003200\n"
)


def test_pointer_tells_the_size_of_the_real_object(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin")
    origin.write({"model.bin": POINTER, "code.py": POINTER, "a.md": f"# LFS\n\n{POINTER}"})
    add_and_sync("project", origin.commit().url)
    for path in ("model.bin", "code.py"):
        file = file_lines(principal=ANONYMOUS, repository="project", path=path)
        assert (file.kind, file.size, file.lines) == ("lfs_pointer", 734_003_200, ())
        assert entries("project")[path].content is None


def test_text_that_mentions_git_lfs_stays_text(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin")
    origin.write({"a.md": f"# LFS\n\nA pointer:\n\n{POINTER}", "b.txt": "use git-lfs here\n"})
    add_and_sync("project", origin.commit().url)
    for path in ("a.md", "b.txt"):
        assert file_lines(principal=ANONYMOUS, repository="project", path=path).kind == "file"
        assert entries("project")[path].content is not None
