"""Adding, changing and removing repositories."""

from typing import Any

import pytest
from django.core.management import call_command

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, leftovers
from web.core.errors import Conflict, InvalidInput, NotFound
from web.library.git.locks import mirror_lock
from web.library.git.mirrors import mirror_path, mirrors_folder, remove_mirror
from web.library.models import Ref, Repository
from web.library.selectors.generation import index_generation
from web.library.services import repositories
from web.library.services.repositories import (
    RepositoryFields,
    finish_removals,
    repository_add,
    repository_remove,
    repository_update,
)

pytestmark = pytest.mark.django_db
URL = "https://github.com/django/django"


def test_repository_is_added_with_its_fields() -> None:
    fields = RepositoryFields(
        title="Django",
        description=" A framework. ",
        visibility="members",
        position=3,
        documentation_globs=["docs/**", "  "],
        exclude_globs=["*.po"],
        tracked_refs=["stable/*"],
        tracked_refs_newest=2,
    )
    repository_add(name="django", url=f" {URL} ", fields=fields)
    made = Repository.objects.get()
    assert (made.name, made.url, made.title, made.visibility) == (
        "django",
        URL,
        "Django",
        "members",
    )
    assert (made.description, made.position) == ("A framework.", 3)
    assert (made.documentation_globs, made.exclude_globs) == (["docs/**"], ["*.po"])
    assert (made.tracked_refs, made.tracked_refs_newest) == (["stable/*"], 2)


@pytest.mark.parametrize(
    "name", ["", "-x", ".x", "Django", "a b", "a/b", "..", "ä", "a" * 64, "--help", "x\0"]
)
def test_name_that_no_address_can_hold_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        repository_add(name=name, url=URL)
    assert set(refused.value.fields) == {"name"}


def test_name_in_use_is_a_conflict() -> None:
    repository_add(name="django", url=URL)
    with pytest.raises(Conflict) as refused:
        repository_add(name="django", url="https://github.com/other/other")
    assert set(refused.value.fields) == {"name"}
    assert Repository.objects.get().url == URL


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"title": "x" * 201}, "title"),
        ({"visibility": "everybody"}, "visibility"),
        ({"position": -1}, "position"),
        ({"tracked_refs_newest": -1}, "tracked_refs_newest"),
        ({"documentation_globs": ["!"]}, "documentation_globs"),
        ({"exclude_globs": ["\\"]}, "exclude_globs"),
        ({"exclude_globs": ["[z-a]"]}, "exclude_globs"),
        ({"exclude_globs": ["[[:alpha:]]"]}, "exclude_globs"),
        ({"documentation_globs": ["docs/[[:digit:]]*.md"]}, "documentation_globs"),
        ({"exclude_globs": ["x" * 301]}, "exclude_globs"),
        ({"tracked_refs": ["x"] * 201}, "tracked_refs"),
    ],
)
def test_wrong_field_is_named_and_nothing_is_written(fields: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        repository_add(name="django", url=URL, fields=RepositoryFields(**fields))
    assert set(refused.value.fields) == {wrong}
    assert not Repository.objects.exists()
    repository_add(name="django", url=URL)
    fields = {"title": "New", **fields}
    with pytest.raises(InvalidInput):
        repository_update(name="django", fields=RepositoryFields(**fields))
    assert Repository.objects.get().title == ""


def test_update_changes_what_is_given_and_raises_the_generation() -> None:
    repository_add(name="django", url=URL, fields=RepositoryFields(title="Django", position=2))
    before = index_generation()
    repository_update(name="django", fields=RepositoryFields(visibility="members"))
    made = Repository.objects.get()
    assert (made.title, made.position, made.visibility) == ("Django", 2, "members")
    assert index_generation() > before


def test_unknown_repository_is_not_found_with_the_list() -> None:
    repository_add(name="django", url=URL)
    for act in (
        lambda: repository_update(name="flask"),
        lambda: repository_remove(name="flask"),
    ):
        with pytest.raises(NotFound) as missing:
            act()
        assert "django" in missing.value.hint


def test_removed_repository_leaves_nothing(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n", "README.md": "# A\n\nB\n"}).commit().tag("v1")
    add_and_sync("project", origin.url)
    before = index_generation()
    assert mirror_path(Repository.objects.get().pk).exists()
    repository_remove(name="project")
    assert not Repository.objects.exists()
    assert not Ref.objects.exists()
    assert leftovers() == {}
    assert list(mirrors_folder().iterdir()) == []
    assert index_generation() > before


@pytest.mark.parametrize("reached", ["collect", "remove_mirror"])
def test_what_a_removal_left_that_died_is_removed_by_the_next_round(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch, reached: str
) -> None:
    def die(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    origin.write({"a.py": "A = 1\n", "README.md": "# A\n\nB\n"}).commit()
    add_and_sync("project", origin.url)
    mirror = mirror_path(Repository.objects.get().pk)
    with monkeypatch.context() as patched:
        patched.setattr(repositories, reached, die)
        with pytest.raises(KeyboardInterrupt):
            repository_remove(name="project")
    assert mirror.exists()
    with mirror_lock(int(mirror.stem), wait_seconds=0):
        finish_removals()
    assert mirror.exists(), "a removal that goes on is left alone"
    add_and_sync("other", origin.url)
    call_command("sync_repositories", "other")
    assert not mirror.exists()
    assert [path.suffix for path in mirrors_folder().iterdir() if path.stem == mirror.stem] == []
    repository_remove(name="other")
    assert leftovers() == {}


def test_a_rest_that_cannot_be_removed_keeps_no_sync_from_going_on(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    rests = [mirrors_folder() / "900001.git", mirrors_folder() / "900002.git"]
    for rest in rests:
        rest.mkdir()

    def refuse(repository_id: int) -> None:
        if repository_id == 900001:
            raise PermissionError("not yours")
        remove_mirror(repository_id)

    monkeypatch.setattr(repositories, "remove_mirror", refuse)
    call_command("sync_repositories", "project")
    assert [rest.exists() for rest in rests] == [True, False]
    assert "900001" in caplog.text


def test_repository_is_not_removed_under_a_running_sync(origin: GitRepository) -> None:
    origin.write({"a.py": "A = 1\n"}).commit()
    add_and_sync("project", origin.url)
    with (
        mirror_lock(Repository.objects.get().pk, wait_seconds=0),
        pytest.raises(Conflict, match="Another sync"),
    ):
        repository_remove(name="project", wait_seconds=0)
    assert Repository.objects.exists()


def test_repository_that_was_never_synced_can_be_removed() -> None:
    repository_add(name="django", url=URL)
    repository_remove(name="django")
    assert not Repository.objects.exists()
