"""Tags and branches that a repository is told to track are views of the same contents."""

import pytest

from tests.gitrepos import GitRepository
from tests.library import (
    add_and_sync,
    entries,
    fresh_state,
    full_text_rows,
    index_state,
    leftovers,
)
from web.library.models import Chunk, Content, Entry, FileRevision, Ref
from web.library.services.repositories import (
    RepositoryFields,
    repository_add,
    repository_remove,
    repository_update,
)
from web.library.services.sync import SyncReport, repository_sync

pytestmark = pytest.mark.django_db


def _track(origin: GitRepository, *patterns: str, newest: int = 10) -> SyncReport:
    fields = RepositoryFields(tracked_refs=patterns, tracked_refs_newest=newest)
    repository_add(name="project", url=origin.url, fields=fields)
    return repository_sync(name="project")


def _refs() -> list[tuple[str, str]]:
    found = Ref.objects.filter(repository__name="project").order_by("-is_default", "kind", "name")
    return list(found.values_list("kind", "name"))


def _versions(origin: GitRepository, count: int) -> GitRepository:
    """Commit and tag v1, v2 … with one file that stays and one that changes."""
    origin.write({"same.py": "SAME = 1\n"})
    for number in range(1, count + 1):
        origin.write({"version.py": f"VERSION = {number}\n"}).commit().tag(f"v{number}")
    return origin


def test_default_branch_is_always_indexed_and_nothing_else_unasked(origin: GitRepository) -> None:
    _versions(origin, 2).branch("side")
    _track(origin)
    assert _refs() == [("branch", "main")]


def test_tags_and_branches_that_match_are_indexed_newest_first(origin: GitRepository) -> None:
    _versions(origin, 5).branch("stable/1", at="v1").branch("topic", at="v2")
    _track(origin, "v*", "stable/*", newest=4)
    assert _refs() == [
        ("branch", "main"),
        *[("tag", name) for name in ("v2", "v3", "v4", "v5")],
    ]
    repository_update(name="project", fields=RepositoryFields(tracked_refs_newest=9))
    repository_sync(name="project")
    assert ("branch", "stable/1") in _refs()
    assert ("branch", "topic") not in _refs()


def test_names_that_are_not_utf8_are_indexed_with_their_odd_bytes_escaped(
    origin: GitRepository,
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit().branch("main-\udcff")
    origin.switch("caf\udce9", create=True).write({"b.py": "B = 1\n"}).commit()
    _track(origin, "main-*")
    assert _refs() == [("branch", "caf\\xe9"), ("branch", "main-\\xff")]
    assert set(entries("project")) == {"a.py", "b.py"}
    assert set(entries("project", ref="main-\\xff")) == {"a.py"}
    assert index_state("project") == fresh_state("project")
    origin.git("branch", "-D", "main-\udcff")
    assert repository_sync(name="project").removed_refs == ("main-\\xff",)


def test_each_ref_shows_its_own_files(origin: GitRepository) -> None:
    _versions(origin, 3)
    _track(origin, "v*")
    for number in (1, 2, 3):
        found = entries("project", ref=f"v{number}")
        oid = origin.git("rev-parse", f"v{number}:version.py").decode().strip()
        assert {path: entry.oid for path, entry in found.items()} == {
            "same.py": entries("project")["same.py"].oid,
            "version.py": oid,
        }
        assert Ref.objects.get(name=f"v{number}").counts["files"] == 2


def test_versions_share_their_contents_and_what_stands_at_a_path(origin: GitRepository) -> None:
    _versions(origin, 6)
    report = _track(origin, "v*")
    assert Content.objects.count() == FileRevision.objects.count() == 7
    assert report.contents_written == 7
    assert report.files_read == 2 + 5  # the default branch, then what differs from ref to ref
    assert Entry.objects.count() == 2 * 7


def test_new_version_shares_with_an_old_one_what_its_neighbour_has_not(
    origin: GitRepository,
) -> None:
    _versions(origin, 3)
    _track(origin, "v*")
    origin.git("checkout", "--quiet", "v1")
    origin.write({"more.py": "MORE = 1\n"}).commit().tag("v4").git("checkout", "--quiet", "main")
    repository_sync(name="project")
    assert FileRevision.objects.count() == 4 + 1
    assert index_state("project") == fresh_state("project")


def test_repositories_share_contents_but_not_what_stands_at_a_path(origin: GitRepository) -> None:
    _versions(origin, 2)
    _track(origin, "v*")
    add_and_sync("fork", origin.url)
    assert (Content.objects.count(), FileRevision.objects.count()) == (3, 3 + 2)
    state = index_state("fork")
    repository_remove(name="project")
    assert index_state("fork") == state
    assert FileRevision.objects.count() == 2


def test_full_ref_names_can_be_patterns(origin: GitRepository) -> None:
    _versions(origin, 1).branch("v1-branch").git("tag", "other")
    _track(origin, "refs/tags/*")
    assert _refs() == [("branch", "main"), ("tag", "other"), ("tag", "v1")]


def test_tag_and_branch_of_one_name_are_two_refs(origin: GitRepository) -> None:
    _versions(origin, 2).branch("v1", at="v2")
    _track(origin, "v1")
    assert _refs() == [("branch", "main"), ("branch", "v1"), ("tag", "v1")]
    commits = dict(Ref.objects.filter(name="v1").values_list("kind", "commit"))
    assert commits["branch"] != commits["tag"]


def test_moved_tag_deleted_branch_and_new_tag_are_followed(origin: GitRepository) -> None:
    _versions(origin, 3).branch("side", at="v1")
    _track(origin, "v*", "side")
    origin.git("branch", "-D", "side")
    origin.tag("v1", message="Moved", at="v3").git("tag", "-d", "v2")
    origin.write({"version.py": "VERSION = 4\n"}).commit().tag("v4")
    report = repository_sync(name="project")
    assert set(report.removed_refs) == {"side", "v2"}
    assert _refs() == [("branch", "main"), *[("tag", name) for name in ("v1", "v3", "v4")]]
    assert entries("project", ref="v1")["version.py"].oid == (
        entries("project", ref="v3")["version.py"].oid
    )
    assert full_text_rows() == set(Chunk.objects.values_list("text_id", flat=True))
    assert index_state("project") == fresh_state("project")


def test_refs_that_are_no_longer_tracked_go_with_their_contents(origin: GitRepository) -> None:
    _versions(origin, 4)
    _track(origin, "v*")
    repository_update(name="project", fields=RepositoryFields(tracked_refs=[]))
    repository_sync(name="project")
    assert _refs() == [("branch", "main")]
    assert Content.objects.count() == 2
    repository_remove(name="project")
    assert leftovers() == {}


def test_default_branch_that_is_also_tracked_is_indexed_once(origin: GitRepository) -> None:
    _versions(origin, 1)
    _track(origin, "*")
    assert _refs() == [("branch", "main"), ("tag", "v1")]
    origin.git("branch", "-m", "main", "trunk")
    origin.branch("main", at="v1")
    repository_sync(name="project")
    assert _refs() == [("branch", "trunk"), ("branch", "main"), ("tag", "v1")]
    assert Ref.objects.filter(is_default=True).count() == 1
    assert index_state("project") == fresh_state("project")


def test_detached_head_is_a_branch_named_head(origin: GitRepository) -> None:
    _versions(origin, 2).git("checkout", "--quiet", "--detach", "v1")
    _track(origin)
    assert _refs() == [("branch", "HEAD")]
    assert Ref.objects.get().commit == origin.head


@pytest.mark.parametrize(
    ("branches", "expected"),
    [(["zeta", "main"], "main"), (["zeta", "master"], "master"), (["old", "young"], "young")],
)
def test_without_a_usable_head_a_usual_name_then_the_newest_branch_is_the_default(
    branches: list[str], expected: str, origin: GitRepository
) -> None:
    origin.write({"a": "1"}).commit()
    origin.git("branch", "-m", "main", "start")
    for name in branches:
        origin.switch(name, create=True).write({"a": name}).commit()
    origin.git("branch", "-D", "start")
    origin.git("symbolic-ref", "HEAD", "refs/heads/nowhere")
    _track(origin)
    assert _refs() == [("branch", expected)]


def test_tags_that_are_no_commit_are_passed_over(origin: GitRepository) -> None:
    _versions(origin, 1).tag("tree", at="HEAD^{tree}").tag("blob", at="HEAD:same.py")
    _track(origin, "*")
    assert _refs() == [("branch", "main"), ("tag", "v1")]
