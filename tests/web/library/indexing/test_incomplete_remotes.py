"""Remotes and mirrors that lack objects: what is there is indexed; else the index stays."""

from collections.abc import Callable

import pytest
from django.core.management import call_command

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries, fresh_state, index_state, sync_failure
from web.accounts.principals import ANONYMOUS
from web.core.errors import Unavailable
from web.library.git.mirrors import mirror_path
from web.library.models import Ref, Repository
from web.library.records.history import CommitDetail
from web.library.selectors.history import commit_detail, commits_listed
from web.library.services.repositories import RepositoryFields, repository_remove, repository_update
from web.library.services.sync import repository_rebuild, repository_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.fixture
def origin(origin: GitRepository) -> GitRepository:
    """Return a remote with three commits, which lets itself be cloned in part."""
    origin.git("config", "uploadpack.allowFilter", "true")
    for number in (1, 2, 3):
        files = {"a.py": f"A = {number}\n", f"b{number}.py": "B = 1\n", "lib/c.py": f"C = {number}"}
        origin.write(files).commit(f"Number {number}")
    return origin


def _clone(origin: GitRepository, *options: str) -> GitRepository:
    path = origin.path.parent / "clone"
    origin.git(
        "clone", "--quiet", "--filter=blob:none", *options, f"file://{origin.url}", str(path)
    )
    return GitRepository(path)


def _lose(repository: GitRepository, what: str) -> GitRepository:
    oid = repository.git("rev-parse", what).decode().strip()
    (repository.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    return repository


def _subjects(*, is_whole: bool = True) -> list[str]:
    listing = commits_listed(principal=ANONYMOUS, repository="project")
    assert listing.lacks_history is not is_whole
    return [commit.subject for commit in listing.commits]


def _detail(commit: str) -> CommitDetail:
    return commit_detail(principal=ANONYMOUS, repository="project", commit=commit)


@pytest.mark.parametrize(
    "incomplete",
    [
        _clone,
        lambda origin: _lose(origin, "HEAD~1:a.py"),
        lambda origin: _lose(origin, "HEAD~1:lib"),
        lambda origin: _lose(origin, "HEAD~1"),
    ],
    ids=["partial clone", "blob", "folder", "commit"],
)
def test_remote_that_lacks_some_of_its_history_is_indexed_without_it(
    origin: GitRepository, incomplete: Callable[[GitRepository], GitRepository]
) -> None:
    add_and_sync("project", origin.url)
    whole = fresh_state("project")
    repository_remove(name="project")
    remote = incomplete(origin)
    add_and_sync("project", remote.url)
    assert index_state("project") == whole
    assert _subjects(is_whole=False) == ["Number 3"]
    oldest = _detail("HEAD")
    assert (oldest.message, len(oldest.parents)) == ("Number 3", 1)
    assert (oldest.lacks_parent, oldest.files) == (True, ())
    assert repository_sync(name="project").outcome == "unchanged"
    remote.write({"a.py": "A = 4\n"}).commit("Number 4")
    assert repository_sync(name="project").outcome == "updated"
    assert _subjects(is_whole=False) == ["Number 4", "Number 3"]
    assert [file.path for file in _detail("HEAD").files] == ["a.py"]
    assert index_state("project") == fresh_state("project")


def test_unchanged_remote_that_lacks_objects_is_not_copied_again(origin: GitRepository) -> None:
    add_and_sync("project", _clone(origin).url)
    mirror = mirror_path(Repository.objects.get().pk)
    copied = mirror.stat().st_ino
    repository_sync(name="project")
    assert mirror.stat().st_ino == copied


def test_partial_clone_that_is_completed_has_its_history_after_a_forced_sync(
    origin: GitRepository,
) -> None:
    clone = _clone(origin)
    add_and_sync("project", clone.url)
    clone.git("fetch", "--quiet", "--refetch", "--no-filter", "origin")
    repository_sync(name="project", force=True)
    assert _subjects() == ["Number 3", "Number 2", "Number 1"]
    assert repository_sync(name="project").outcome == "unchanged"


def test_branch_that_is_not_indexed_and_lacks_objects_stops_no_other(
    origin: GitRepository,
) -> None:
    add_and_sync("project", origin.tag("v1", at="HEAD~1").url)
    repository_update(name="project", fields=RepositoryFields(tracked_refs=["v*"]))
    repository_sync(name="project")
    origin.switch("broken", create=True).write({"d.py": "D = 1\n"}).commit()
    _lose(origin, "HEAD:d.py").git("symbolic-ref", "HEAD", "refs/heads/main")
    repository_sync(name="project")
    assert {ref.name for ref in Ref.objects.all()} == {"main", "v1"}
    assert _subjects() == ["Number 3", "Number 2", "Number 1"]
    origin.git("tag", "--delete", "v1")
    repository_sync(name="project")
    assert {ref.name for ref in Ref.objects.all()} == {"main"}
    repository_update(name="project", fields=RepositoryFields(tracked_refs=["broken"]))
    assert "damaged" in sync_failure("project")


@pytest.mark.parametrize(
    ("incomplete", "sentence", "advice"),
    [
        (lambda origin: _clone(origin, "--no-checkout"), "is a partial clone", "--refetch"),
        (lambda origin: _lose(origin, "HEAD:a.py"), "is damaged", "git fsck"),
        (lambda origin: _lose(origin, "HEAD:lib"), "is damaged", "git fsck"),
    ],
)
def test_remote_that_lacks_what_is_to_be_indexed_is_told_and_the_old_index_stays(
    origin: GitRepository,
    incomplete: Callable[[GitRepository], GitRepository],
    sentence: str,
    advice: str,
) -> None:
    add_and_sync("project", origin.url)
    before = index_state("project")
    Repository.objects.update(url=incomplete(origin).url)
    with pytest.raises(Unavailable, match=sentence) as failed:
        repository_sync(name="project", force=True)
    assert advice in failed.value.hint
    assert index_state("project") == before
    assert _subjects() == ["Number 3", "Number 2", "Number 1"]


def _lose_here(origin: GitRepository, what: str) -> None:
    oid = origin.git("rev-parse", what).decode().strip()
    (mirror_path(Repository.objects.get().pk) / "objects" / oid[:2] / oid[2:]).unlink()


def test_mirror_that_lacks_files_has_the_others_and_counts_those_until_it_is_copied_anew(
    origin: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    add_and_sync("project", origin.url)
    whole = index_state("project")
    _lose_here(origin, "HEAD:a.py")
    repository_rebuild(name="project")
    found = entries("project")
    assert {path for path, entry in found.items() if entry.skip_reason} == {"a.py"}
    assert Ref.objects.get().counts["skipped"] == {"unreadable object": 1}
    call_command("explain_index", "project", "a.py")
    assert "--force" in capsys.readouterr().out
    changed = {file.path: file for file in _detail("HEAD").files}
    assert {path for path, file in changed.items() if file.is_unreadable} == {"a.py"}
    assert "+B = 1" in changed["b3.py"].patch
    assert (_detail("HEAD").added_lines, _detail("HEAD").deleted_lines) == (2, 1)
    repository_sync(name="project")
    assert Ref.objects.get().counts["skipped"] == {"unreadable object": 1}
    repository_sync(name="project", force=True)
    assert index_state("project") == whole


@pytest.mark.parametrize(
    ("lost", "listed"),
    [("HEAD~2", ["Number 3"]), ("HEAD~1:lib", ["Number 3", "Number 2", "Number 1"])],
)
def test_history_that_a_mirror_lacks_is_said_to_be_missing(
    origin: GitRepository, lost: str, listed: list[str]
) -> None:
    add_and_sync("project", origin.url)
    _lose_here(origin, lost)
    assert _subjects(is_whole=len(listed) == 3) == listed
    assert _detail("HEAD").lacks_parent is (len(listed) == 3)
