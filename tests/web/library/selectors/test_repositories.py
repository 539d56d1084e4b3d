"""Repositories as callers see them."""

import shutil

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from web.accounts.principals import ANONYMOUS, Principal
from web.core.errors import InvalidInput, NotFound
from web.library.git.mirrors import mirrors_folder
from web.library.models import Ref, Repository
from web.library.selectors.generation import index_generation
from web.library.selectors.refs import ref_for, repository_for
from web.library.selectors.repositories import (
    repositories_visible_to,
    repository_names_visible_to,
    repository_overview,
)
from web.library.services.repositories import RepositoryFields, repository_add, repository_update
from web.library.services.sync import repository_sync

pytestmark = pytest.mark.django_db
MEMBER = Principal(user_id=1, is_member=True)
STAFF = Principal(user_id=2, is_staff=True)


def _catalogue() -> None:
    for name, visibility, position in (
        ("zeta", "public", 1),
        ("alpha", "public", 2),
        ("secret", "members", 0),
    ):
        fields = RepositoryFields(visibility=visibility, position=position)
        repository_add(name=name, url="https://github.com/a/b", fields=fields)


def test_members_repositories_are_seen_by_members_and_staff_alone() -> None:
    _catalogue()
    assert repository_names_visible_to(principal=ANONYMOUS) == ("zeta", "alpha")
    for principal in (MEMBER, STAFF):
        assert repository_names_visible_to(principal=principal) == ("secret", "zeta", "alpha")
    summaries = repositories_visible_to(principal=ANONYMOUS)
    assert [summary.name for summary in summaries] == ["zeta", "alpha"]


def test_repository_that_may_not_be_seen_looks_like_none() -> None:
    _catalogue()
    messages = []
    for name in ("secret", "nothing"):
        with pytest.raises(NotFound) as missing:
            repository_for(ANONYMOUS, name)
        messages.append(str(missing.value).replace(name, "NAME"))
    assert messages[0] == messages[1]
    assert "secret" not in messages[0]
    assert repository_for(MEMBER, "secret").name == "secret"


def test_misspelled_name_is_told_the_nearest_and_some_of_very_many() -> None:
    for name in ("harbour", "lighthouse", *(f"r{number:02}" for number in range(40))):
        repository_add(name=name, url="https://github.com/a/b")
    with pytest.raises(NotFound) as missing:
        repository_for(ANONYMOUS, "harbor")
    assert missing.value.hint.startswith("Did you mean: harbour? Repositories: harbour, lighthouse")
    assert missing.value.hint.endswith("r27 and 12 more.")
    refs = [Ref(repository=repository_for(ANONYMOUS, "r01"), name=name) for name in ("v5.2", "x")]
    Ref.objects.bulk_create(refs)
    with pytest.raises(InvalidInput) as unknown:
        ref_for(repository_for(ANONYMOUS, "r01"), "5.2")
    assert unknown.value.hint.startswith("Did you mean: v5.2? Indexed refs of r01: v5.2, x.")


def test_repository_that_was_never_synced_has_an_empty_summary() -> None:
    _catalogue()
    (summary, _) = repositories_visible_to(principal=ANONYMOUS)
    assert (summary.default_branch, summary.refs, summary.file_count) == ("", (), 0)
    assert (summary.freshness.commit, summary.freshness.stale_since) == ("", None)
    assert repository_overview(principal=ANONYMOUS, repository="zeta").readme == ""


def test_overview_tells_what_to_know_first(origin: GitRepository) -> None:
    origin.write(
        {
            "README.rst": "Old\n===\n",
            "README.md": "# Charts\n\nHow to sail.\n",
            "src/a.py": "A = 1\n",
            "src/b.py": "B = 1\n",
            "docs/guide.md": "# Guide\n\nText.\n",
            "img.png": b"\x89PNG\0",
        }
    ).commit("First").tag("v1")
    origin.write({"src/c.js": "let c = 1\n"}).commit("Second\n\nWith a body.").tag("v2")
    origin.branch("side")
    fields = RepositoryFields(title="Charts", tracked_refs=["v1"])
    repository_add(name="project", url=origin.url, fields=fields)
    repository_sync(name="project")
    overview = repository_overview(principal=ANONYMOUS, repository="project")
    assert (overview.readme_path, overview.readme) == ("README.md", "# Charts\n\nHow to sail.\n")
    assert not overview.readme_is_truncated
    assert overview.layout == ((".", 3), ("src/", 3), ("docs/", 1))
    assert overview.documents[:2] == (("README.md", "Charts"), ("README.rst", "Old"))
    assert ("docs/guide.md", "Guide") in overview.documents
    assert [commit.subject for commit in overview.recent_commits] == ["Second", "First"]
    assert overview.recent_tags == ("v2", "v1")
    summary = overview.summary
    assert (summary.title, summary.default_branch, summary.refs) == (
        "Charts",
        "main",
        ("main", "v1"),
    )
    assert (summary.file_count, summary.indexed_file_count, summary.document_count) == (7, 6, 3)
    assert summary.languages[0] in {("markdown", 2), ("python", 2)}
    assert summary.skipped == (("binary file", 1),)
    assert summary.freshness.commit == origin.head


def test_long_readme_is_cut_and_said_to_be(origin: GitRepository) -> None:
    origin.write({"README.md": "# Long\n\n" + "word " * 2000}).commit()
    add_and_sync("project", origin.url)
    overview = repository_overview(principal=ANONYMOUS, repository="project")
    assert len(overview.readme) == 4000
    assert overview.readme_is_truncated


def test_overview_without_a_mirror_has_what_the_index_has(origin: GitRepository) -> None:
    origin.write({"README.md": "# Charts\n", "a.py": "A = 1\n"}).commit().tag("v1")
    add_and_sync("project", origin.url)
    shutil.rmtree(mirrors_folder())
    overview = repository_overview(principal=ANONYMOUS, repository="project")
    assert (overview.readme, overview.recent_commits, overview.recent_tags) == ("", (), ())
    assert overview.layout == ((".", 2),)


def test_ref_is_found_by_its_names_and_refused_with_the_list(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit().tag("v1")
    origin.write({"a.py": "A = 2\n"}).commit().branch("v1").branch("other")
    add_and_sync("project", origin.url)
    repository_update(name="project", fields=RepositoryFields(tracked_refs=["v1"]))
    repository_sync(name="project")
    repository = Repository.objects.get()
    default = ref_for(repository, None)
    assert default is not None
    assert default.name == "main"
    assert ref_for(repository, "HEAD") == default
    kinds = {
        name: found.kind
        for name in ("v1", "tags/v1", "heads/v1", "refs/heads/v1", "refs/tags/v1")
        if (found := ref_for(repository, name))
    }
    assert kinds == {
        "v1": "tag",
        "tags/v1": "tag",
        "heads/v1": "branch",
        "refs/heads/v1": "branch",
        "refs/tags/v1": "tag",
    }
    for name in ("other", "v2", origin.head, "MAIN", "tags/main"):
        with pytest.raises(InvalidInput, match="not indexed") as refused:
            ref_for(repository, name)
        assert "Indexed refs of project: main, v1" in refused.value.hint


def test_repository_without_refs_has_no_default() -> None:
    _catalogue()
    assert ref_for(Repository.objects.get(name="zeta"), None) is None


def test_generation_of_an_empty_index_is_zero() -> None:
    assert index_generation() == 0
