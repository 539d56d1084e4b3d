"""R74: after any rewrite of the remote the index is a fresh clone's, or says that it is stale."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, fresh_state, index_state
from web.accounts.principals import ANONYMOUS
from web.core.errors import Unavailable
from web.library.models import Ref, Repository
from web.library.selectors.files import file_lines
from web.library.selectors.repositories import repositories_visible_to
from web.library.services.repositories import RepositoryFields, repository_update
from web.library.services.sync import repository_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.fixture
def origin(tmp_path: Path) -> GitRepository:
    """Return a remote that is indexed with its tags and its branch `side`."""
    made = GitRepository(tmp_path / "origin").write({"a.py": "A = 1\n"}).commit().tag("v1")
    made.branch("side").write({"a.py": "A = 2\n", "b.py": "B = 1\n"}).commit()
    add_and_sync("project", made.url)
    repository_update(name="project", fields=RepositoryFields(tracked_refs=["v*", "side"]))
    repository_sync(name="project")
    return made


def _assert_fresh() -> None:
    repository_sync(name="project")
    assert Repository.objects.get().stale_since is None
    assert index_state("project") == fresh_state("project")


def test_force_push(origin: GitRepository) -> None:
    origin.git("reset", "--quiet", "--hard", "HEAD~1")
    origin.write({"c.py": "C = 1\n"}).commit("Another history")
    _assert_fresh()


def test_default_branch_renamed(origin: GitRepository) -> None:
    origin.git("branch", "-m", "main", "trunk")
    _assert_fresh()
    assert Ref.objects.get(is_default=True).name == "trunk"
    assert not Ref.objects.filter(name="main").exists()


def test_branch_deleted(origin: GitRepository) -> None:
    origin.git("branch", "-D", "side")
    _assert_fresh()
    assert not Ref.objects.filter(name="side").exists()


def test_tag_moved(origin: GitRepository) -> None:
    origin.tag("v1", message="Moved")
    _assert_fresh()
    assert Ref.objects.get(name="v1").commit == origin.head


def _assert_stale(state: Any) -> None:
    """The old index is served, and everything that is asked says that it is stale."""
    before = Repository.objects.get().stale_since
    with pytest.raises(Unavailable):
        repository_sync(name="project")
    repository = Repository.objects.get()
    assert repository.stale_since is not None
    assert before in (None, repository.stale_since)
    assert repository.sync_error
    assert index_state("project") == state
    read = file_lines(principal=ANONYMOUS, repository="project", path="a.py")
    assert read.lines == ("A = 2",)
    (summary,) = repositories_visible_to(principal=ANONYMOUS)
    for freshness in (read.freshness, summary.freshness):
        assert freshness.stale_since == repository.stale_since
        assert freshness.stale_reason == repository.sync_error
    assert summary.file_count == 2


def test_repository_emptied(origin: GitRepository) -> None:
    state = index_state("project")
    shutil.rmtree(origin.path)
    GitRepository(origin.path)
    _assert_stale(state)
    _assert_stale(state)


def test_remote_gone_and_back(origin: GitRepository, tmp_path: Path) -> None:
    state = index_state("project")
    origin.path.rename(tmp_path / "away")
    _assert_stale(state)
    (tmp_path / "away").rename(origin.path)
    origin.write({"a.py": "A = 3\n"}).commit()
    _assert_fresh()


def test_every_ref_deleted_but_one(origin: GitRepository) -> None:
    origin.git("checkout", "--quiet", "side")
    origin.git("branch", "-D", "main")
    origin.git("tag", "-d", "v1")
    _assert_fresh()
    assert list(Ref.objects.values_list("name", "is_default")) == [("side", True)]
