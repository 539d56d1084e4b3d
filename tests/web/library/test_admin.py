"""The catalogue in the admin, over HTTP."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, index_state, leftovers
from web.accounts.models import AuditEvent
from web.core import clock
from web.library.git.locks import mirror_lock
from web.library.models import Ref, RemoteCredential, Repository
from web.library.services.repositories import repository_add

pytestmark = pytest.mark.django_db
LIST = "/admin/library/repository/"


@pytest.fixture
def staff() -> Client:
    """Return a browser in which an operator is signed in."""
    user = get_user_model().objects.create_superuser("operator", "operator@example.org", "secret")
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def project(origin: GitRepository) -> GitRepository:
    """Return a repository with one file."""
    return origin.write({"a.py": "A = 1\n", "x/b.py": "B = 1\n"}).commit()


def _form(address: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": "project",
        "url": address,
        "title": "",
        "description": "",
        "visibility": "public",
        "position": "0",
        "documentation_globs": "",
        "exclude_globs": "",
        "tracked_refs": "",
        "tracked_refs_newest": "10",
        **changes,
    }


def _messages(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def test_saving_a_new_repository_queues_its_sync(staff: Client, project: GitRepository) -> None:
    form = _form(project.url, exclude_globs="x/\r\n\r\n *.po \r\n", title="Project")
    response = staff.post(f"{LIST}add/", form, follow=True)
    assert response.status_code == 200
    assert "A sync is queued." in _messages(response)
    made = Repository.objects.get()
    assert (made.title, made.exclude_globs) == ("Project", ["x/", "*.po"])
    assert index_state("project")  # the test's task backend runs tasks at once
    assert Ref.objects.get().counts["indexed"] == 1


def test_what_staff_do_to_repositories_stands_in_the_audit(
    staff: Client, project: GitRepository
) -> None:
    staff.post(f"{LIST}add/", _form(project.url, visibility="members"))
    made = Repository.objects.get()
    staff.post(f"{LIST}{made.pk}/change/", _form(project.url, visibility="public"))
    staff.post(LIST, {"_selected_action": [made.pk], "action": "delete_selected", "post": "yes"})
    events = AuditEvent.objects.filter(target=f"repository:{made.pk} project").order_by("pk")
    assert [(one.actor_name, one.action) for one in events] == [
        ("operator", "repository.added"),
        ("operator", "repository.changed"),
        ("operator", "repository.removed"),
    ]
    assert events[1].detail == {"fields": ["visibility"], "visibility": "public"}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("url", "ext::sh", "not an address"),
        ("url", "/etc", "no git repository"),
        ("url", "http://host.example/a", "Use https"),
        ("name", "No Name", "lowercase"),
        ("exclude_globs", "!\n", "malformed"),
        ("documentation_globs", "\\\n", "malformed"),
        ("tracked_refs", "x\n" * 201, "at most 200 patterns"),
        ("position", "-1", "greater than or equal to 0"),
    ],
)
def test_wrong_field_is_explained_beside_it(
    field: str, value: str, message: str, staff: Client, project: GitRepository
) -> None:
    response = staff.post(f"{LIST}add/", _form(project.url, **{field: value}))
    assert response.status_code == 200
    errors = response.context["adminform"].form.errors
    assert set(errors) == {field}
    assert message in str(errors[field])
    assert not Repository.objects.exists()


def test_changing_what_is_indexed_queues_a_sync_and_other_changes_do_not(
    staff: Client, project: GitRepository
) -> None:
    add_and_sync("project", project.url)
    page = f"{LIST}{Repository.objects.get().pk}/change/"
    synced_at = Repository.objects.get().synced_at
    response = staff.post(page, _form(project.url, title="New"), follow=True)
    assert "A sync is queued." not in _messages(response)
    assert (Repository.objects.get().title, Repository.objects.get().synced_at) == (
        "New",
        synced_at,
    )
    response = staff.post(page, _form(project.url, exclude_globs="x/"), follow=True)
    assert "A sync is queued." in _messages(response)
    assert Ref.objects.get().counts["indexed"] == 1


def test_name_of_a_repository_does_not_change(staff: Client, project: GitRepository) -> None:
    add_and_sync("project", project.url)
    page = f"{LIST}{Repository.objects.get().pk}/change/"
    staff.post(page, _form(project.url, name="other"))
    assert Repository.objects.get().name == "project"


def test_action_syncs_the_selected_repositories(staff: Client, project: GitRepository) -> None:
    add_and_sync("project", project.url)
    project.write({"new.py": "NEW = 1\n"}).commit()
    chosen = {"action": "sync_now", "_selected_action": [Repository.objects.get().pk]}
    response = staff.post(LIST, chosen, follow=True)
    assert "Queued." in _messages(response)
    assert Ref.objects.get().counts["files"] == 3


def test_list_and_page_show_the_state(staff: Client, project: GitRepository) -> None:
    add_and_sync("project", project.url)
    commit = project.head[:12]
    listing = staff.get(LIST).content.decode()
    assert f"main @ {commit}" in listing
    assert "2 (2)" in listing
    assert "up to date at" in listing
    rows = Repository.objects.all()
    rows.update(sync_started_at=clock.now(), sync_progress={"phase": "indexing", "done": 1})
    assert "was interrupted: sync again to complete it" in staff.get(LIST).content.decode()
    with mirror_lock(rows.get().pk, wait_seconds=0):
        assert "UTC, indexing" in staff.get(LIST).content.decode()
    project.path.rename(project.path.with_name("away"))
    staff.post(LIST, {"action": "sync_now", "_selected_action": [Repository.objects.get().pk]})
    page = staff.get(f"{LIST}{Repository.objects.get().pk}/change/").content.decode()
    assert "or it may not be read. Check the address of the repository." in page
    home = staff.get("/").content.decode()
    assert "There is no repository at this address any more" in home
    assert "Check the address" not in home  # the same page for everyone
    assert f"branch main @ {commit}: 2 files, 2 indexed" in page


def test_page_names_patterns_that_no_ref_matches(staff: Client, project: GitRepository) -> None:
    add_and_sync("project", project.tag("v1").url)
    Repository.objects.update(tracked_refs=["v*", "V*"])
    page = staff.get(f"{LIST}{Repository.objects.get().pk}/change/").content.decode()
    assert "</ul>No tag or branch matches V*." in page


def test_no_page_lets_the_name_of_a_branch_turn_its_text_around(
    staff: Client, project: GitRepository
) -> None:
    project.git("branch", "-m", "m\u202eain")
    add_and_sync("project", project.url)
    for page in (LIST, f"{LIST}{Repository.objects.get().pk}/change/", "/"):
        text = staff.get(page).content.decode()
        assert "\u202e" not in text
        assert "m\\u202eain" in text


def test_page_counts_by_reason_what_is_not_indexed(staff: Client, origin: GitRepository) -> None:
    origin.write(
        {"a.py": "A = 1\n", "vendor/a.js": "", "vendor/b.js": "b", "c.png": b"\x89PNG\0\xff\xfe\0"}
    )
    add_and_sync("project", origin.commit().url)
    page = staff.get(f"{LIST}{Repository.objects.get().pk}/change/").content.decode()
    assert "<li>vendored code 2</li><li>binary file 1</li>" in page


@pytest.mark.parametrize("by_action", [False, True])
def test_removing_takes_index_and_mirror_with_it(
    by_action: bool, staff: Client, project: GitRepository
) -> None:
    add_and_sync("project", project.url)
    pk = Repository.objects.get().pk
    if by_action:
        form = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
        staff.post(LIST, form, follow=True)
    else:
        asked = staff.get(f"{LIST}{pk}/delete/").content.decode()
        assert "Repository project, its index and its mirror" in asked
        staff.post(f"{LIST}{pk}/delete/", {"post": "yes"}, follow=True)
    assert not Repository.objects.exists()
    assert leftovers() == {}


def test_removing_under_a_running_sync_is_refused_in_a_message(
    staff: Client, project: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from web.library import admin

    monkeypatch.setattr(admin, "_WAIT_SECONDS", 0.0)
    add_and_sync("project", project.url)
    pk = Repository.objects.get().pk
    with mirror_lock(pk, wait_seconds=0):
        response = staff.post(f"{LIST}{pk}/delete/", {"post": "yes"}, follow=True)
    assert "Another sync of this repository is running." in _messages(response)
    assert Repository.objects.exists()


def test_webhook_secret_is_shown_once_and_removed_by_actions(
    staff: Client, project: GitRepository
) -> None:
    add_and_sync("project", project.url)
    pk = Repository.objects.get().pk
    chosen = {"_selected_action": [pk], "action": "make_webhook_secret"}
    refused = _messages(staff.post(LIST, chosen, follow=True))  # of a path of this machine
    assert "Webhooks are for https and ssh remotes" in refused
    Repository.objects.update(url="https://code.example.org/a/b")
    shown = _messages(staff.post(LIST, chosen, follow=True))
    secret = next(word for word in shown.split() if word.startswith("ptw_"))
    page = staff.get(f"{LIST}{pk}/change/").content.decode()
    assert "Pushes are taken; the secret was made" in page
    assert secret not in page
    assert "The one before works until" in _messages(staff.post(LIST, chosen, follow=True))
    chosen["action"] = "remove_webhook_secret"
    assert "project takes no pushes any more." in _messages(staff.post(LIST, chosen, follow=True))
    assert "No pushes are taken." in staff.get(f"{LIST}{pk}/change/").content.decode()


def test_credential_is_stored_from_the_form_and_never_sent_back(staff: Client) -> None:
    repository_add(name="project", url="https://code.example.org/a/b")
    page = f"{LIST}{Repository.objects.get().pk}/change/"
    form = _form("https://code.example.org/a/b", new_token="a-secret-token", title="New")
    response = staff.post(page, form, follow=True)
    assert "A sync is queued." in _messages(response)
    shown = staff.get(page).content.decode()
    assert "token for https://code.example.org:443" in shown
    assert "user name x-access-token" in shown
    assert "a-secret-token" not in shown + response.content.decode()
    history = staff.get(page.replace("change", "history")).content.decode()
    assert "a-secret-token" not in history
    staff.post(page, _form("https://code.example.org/a/b", forget_credential="on"))
    assert not RemoteCredential.objects.exists()


@pytest.mark.parametrize(
    ("url", "field", "value", "message"),
    [
        ("https://code.example.org/a/b", "new_token", "with space", "printable ASCII"),
        ("https://code.example.org/a/b", "new_key", "-----BEGIN PRIVATE KEY-----", "takes a token"),
        ("git@code.example.org:a/b", "new_key", "secret-garbage", "no private key"),
        ("git@code.example.org:a/b", "new_token", "secret-garbage", "no private key"),
    ],
)
def test_credential_that_cannot_be_used_is_refused_beside_its_field(
    url: str, field: str, value: str, message: str, staff: Client
) -> None:
    response = staff.post(f"{LIST}add/", _form(url, **{field: value}))
    errors = response.context["adminform"].form.errors
    assert set(errors) == {field}
    assert message in str(errors[field])
    assert value not in response.content.decode()
    assert not Repository.objects.exists()


def test_key_is_made_by_an_action_that_shows_its_public_half(staff: Client) -> None:
    repository_add(name="project", url="git@code.example.org:a/b")
    chosen = {"_selected_action": [Repository.objects.get().pk], "action": "make_key"}
    shown = _messages(staff.post(LIST, chosen, follow=True))
    assert "ssh-ed25519 " in shown
    Repository.objects.update(url="https://code.example.org/a/b")
    assert "takes a token" in _messages(staff.post(LIST, chosen, follow=True))
