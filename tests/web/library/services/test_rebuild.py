"""Rebuilding the index from the mirrors: no remote, the old index served until the new is there."""

import io
import shutil
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, fresh_state, index_state, leftovers
from web.core.errors import Unavailable
from web.library.git.mirrors import mirror_path
from web.library.indexing import publish
from web.library.models import Chunk, Content, FileRevision, Ref, Repository, Symbol
from web.library.selectors.generation import index_generation
from web.library.services.repositories import RepositoryFields, repository_remove, repository_update
from web.library.services.sync import repository_rebuild, repository_sync

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(origin: GitRepository) -> GitRepository:
    """Index a repository with a tag and a branch that is the default one, then take it away."""
    origin.write({"a.py": "def a():\n    pass\n", "a.md": "# A\n\nText.\n"}).commit().tag("v1")
    origin.switch("trunk", create=True).write({"b.py": "B = 1\n"}).commit()
    add_and_sync("project", origin.url)
    repository_update(name="project", fields=RepositoryFields(tracked_refs=["v*"]))
    repository_sync(name="project")
    return origin


def _damage() -> None:
    Symbol.objects.all().delete()
    Chunk.objects.update(heading="damaged")
    Content.objects.update(title="damaged")


def test_damaged_index_is_mended_without_the_remote(project: GitRepository) -> None:
    before, generation = index_state("project"), index_generation()
    shutil.rmtree(project.path)
    _damage()
    assert index_state("project") != before
    report = repository_rebuild(name="project")
    assert (report.outcome, set(report.changed_refs)) == ("updated", {"trunk", "v1"})
    assert index_state("project") == before
    assert index_generation() > generation
    row = Repository.objects.get()
    assert (row.stale_since, row.sync_started_at, row.sync_progress) == (None, None, {})
    assert Content.objects.count() == 3
    repository_remove(name="project")
    assert leftovers() == {}


def test_rebuilt_index_equals_that_of_a_fresh_copy_and_syncs_on(project: GitRepository) -> None:
    repository_rebuild(name="project")
    project.write({"a.py": "def other():\n    pass\n"}).commit()
    repository_sync(name="project")
    state = index_state("project")
    assert fresh_state("project") == state


def test_old_index_is_served_when_a_rebuild_fails_at_its_end(
    project: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = index_state("project")
    seen: list[Any] = []

    def fails() -> int:
        seen.append(Content.objects.count())
        raise DatabaseError("the disk went away")

    with monkeypatch.context() as patched:
        patched.setattr(publish, "raise_generation", fails)
        with pytest.raises(Unavailable, match="The database failed"):
            repository_rebuild(name="project")
    assert seen == [6]
    assert index_state("project") == before
    assert Content.objects.count() == 3
    assert Repository.objects.get().stale_since is None
    repository_rebuild(name="project")
    assert index_state("project") == before
    assert Content.objects.count() == 3


def test_repositories_that_share_files_are_rebuilt_one_by_one(project: GitRepository) -> None:
    add_and_sync("fork", project.url)
    states = {name: index_state(name) for name in ("project", "fork")}
    repository_rebuild(name="project")
    assert {name: index_state(name) for name in states} == states
    repository_rebuild(name="fork")
    assert {name: index_state(name) for name in states} == states
    assert set(Content.objects.values_list("pk", flat=True)) == set(
        FileRevision.objects.filter(content__isnull=False).values_list("content", flat=True)
    )
    for name in states:
        repository_remove(name=name)
    assert leftovers() == {}


def test_detached_head_stays_the_default(origin: GitRepository) -> None:
    first = origin.write({"a.py": "A = 1\n"}).commit().head
    origin.write({"a.py": "A = 2\n"}).commit()
    origin.git("checkout", "--quiet", "--detach", first)
    add_and_sync("project", origin.url)
    repository_rebuild(name="project")
    ref = Ref.objects.get()
    assert (ref.name, ref.commit, ref.is_default) == ("HEAD", first, True)


def test_stale_index_stays_stale(project: GitRepository) -> None:
    project.path.rename(project.path.with_name("away"))
    with pytest.raises(Unavailable):
        repository_sync(name="project")
    since = Repository.objects.get().stale_since
    repository_rebuild(name="project")
    assert Repository.objects.get().stale_since == since is not None


def test_command_rebuilds_all_and_tells_which_failed(project: GitRepository) -> None:
    add_and_sync("fork", project.url)
    output, errors = io.StringIO(), io.StringIO()
    call_command("rebuild_index", stdout=output, stderr=errors)
    assert "fork: trunk; 3 files looked at, 3 indexed anew" in output.getvalue()
    assert "project: trunk, v1; 3 files looked at, 0 indexed anew" in output.getvalue()
    assert "project: indexing" in errors.getvalue()
    assert "fetching" not in errors.getvalue()
    shutil.rmtree(mirror_path(Repository.objects.get(name="fork").pk))
    with pytest.raises(CommandError, match="1 failed: fork"):
        call_command("rebuild_index", "fork", "project", stdout=output, stderr=errors)
    assert "fork: " in errors.getvalue()
    assert index_state("fork")
