"""Push events as code hosts send them, over HTTP."""

import hashlib
import hmac
import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from web.accounts.models import AuditEvent
from web.accounts.records import COMMAND_LINE
from web.core import clock
from web.core.limits import LIMITS
from web.library.models import WebhookSecret
from web.library.services.repositories import repository_add
from web.library.services.webhooks import webhook_secret_make, webhook_secret_remove

pytestmark = pytest.mark.django_db
URL = "https://code.example.org/Team/Project.git"
REFUSED = "not signed with the secret of a repository that is known here"


@pytest.fixture
def queued(settings: Any) -> Any:
    """Use the real queue; return what waits in it, by repository."""
    from django_tasks_db.models import DBTaskResult

    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    rows = DBTaskResult.objects.ready().order_by("enqueued_at")
    return lambda: [row.args_kwargs["kwargs"]["name"] for row in rows.all()]


@pytest.fixture
def secret() -> str:
    """Add a repository and return its webhook secret."""
    repository_add(name="project", url=URL)
    return webhook_secret_make(actor=COMMAND_LINE, name="project").secret


def _payload(url: str = URL, **more: Any) -> bytes:
    return json.dumps({"ref": "refs/heads/main", "repository": {"clone_url": url}, **more}).encode()


def _signature(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _github(body: bytes, secret: str, *, event: str = "push", **headers: str) -> Any:
    signed = {"X-Hub-Signature-256": f"sha256={_signature(secret, body)}", "X-GitHub-Event": event}
    return _post("github", body, **{**signed, **headers})


def _post(forge: str, body: bytes, *, kind: str = "application/json", **headers: str) -> Any:
    browser = Client(enforce_csrf_checks=True)
    return browser.post(f"/webhooks/{forge}/", body, content_type=kind, headers=headers)


def test_signed_push_of_github_queues_a_sync(secret: str, queued: Any) -> None:
    response = _github(_payload(), secret)
    assert (response.status_code, response.json()) == (
        202,
        {"message": "A sync is queued.", "repositories": ["project"]},
    )
    assert queued() == ["project"]


def test_signed_push_of_gitea_queues_a_sync(secret: str, queued: Any) -> None:
    body = _payload()
    headers = {"X-Gitea-Event": "push", "X-Gitea-Signature": _signature(secret, body)}
    assert _post("gitea", body, **headers).status_code == 202
    assert queued() == ["project"]


def test_push_of_forgejo_is_taken_by_its_own_header(secret: str, queued: Any) -> None:
    body = _payload()
    headers = {"X-Gitea-Event": "push", "X-Forgejo-Signature": _signature(secret, body)}
    assert _post("gitea", body, **headers).status_code == 202
    assert queued() == ["project"]


@pytest.mark.parametrize("event", ["Push Hook", "Tag Push Hook"])
def test_push_of_gitlab_with_the_token_queues_a_sync(event: str, secret: str, queued: Any) -> None:
    body = json.dumps({"project": {"git_ssh_url": "git@code.example.org:team/project.git"}})
    headers = {"X-Gitlab-Event": event, "X-Gitlab-Token": secret}
    assert _post("gitlab", body.encode(), **headers).status_code == 202
    assert queued() == ["project"]


def test_system_hook_of_gitlab_is_judged_by_its_event(secret: str, queued: Any) -> None:
    headers = {"X-Gitlab-Event": "System Hook", "X-Gitlab-Token": secret}
    assert _post("gitlab", _payload(event_name="user_create"), **headers).status_code == 202
    assert queued() == []
    assert _post("gitlab", _payload(event_name="push"), **headers).status_code == 202
    assert queued() == ["project"]


def test_form_of_github_is_read_and_its_whole_body_is_signed(secret: str, queued: Any) -> None:
    body = f"payload={quote(_payload().decode())}".encode()
    signature = f"sha256={_signature(secret, body)}"
    headers = {"X-GitHub-Event": "push", "X-Hub-Signature-256": signature}
    form = "application/x-www-form-urlencoded"
    assert _post("github", body, kind=form, **headers).status_code == 202
    assert queued() == ["project"]


@pytest.mark.parametrize(
    "spelling",
    [
        "git@code.example.org:team/project.git",
        "ssh://git@code.example.org:2222/Team/Project",
        "https://CODE.example.org/team/project/",
        "http://code.example.org:3000/Team/Project.git",
        "git://code.example.org/Team/Project.git",
    ],
)
def test_spelling_of_the_address_does_not_matter(spelling: str, secret: str, queued: Any) -> None:
    assert _github(_payload(spelling), secret).status_code == 202
    assert queued() == ["project"]


def test_every_repository_with_the_address_is_synced(secret: str, queued: Any) -> None:
    repository_add(name="versions", url="git@code.example.org:Team/Project.git")
    repository_add(name="other", url="https://code.example.org/Team/Other.git")
    assert _github(_payload(), secret).json()["repositories"] == ["project", "versions"]
    assert queued() == ["project", "versions"]


def test_secret_of_one_repository_says_and_does_nothing_about_another(
    secret: str, queued: Any
) -> None:
    repository_add(name="other", url="https://code.example.org/Team/Other.git")
    webhook_secret_make(actor=COMMAND_LINE, name="other")
    names = {"clone_url": URL, "ssh_url": "git@code.example.org:Team/Other.git"}
    project = {"git_http_url": "https://code.example.org/Team/Other"}
    body = json.dumps({"repository": names, "project": project}).encode()
    assert _github(body, secret).json()["repositories"] == ["project"]
    assert queued() == ["project"]


def test_delivery_that_comes_again_is_not_queued_twice(secret: str, queued: Any) -> None:
    for _ in range(3):
        assert _github(_payload(), secret, **{"X-GitHub-Delivery": "the same"}).status_code == 202
    assert queued() == ["project"]


def test_ping_is_answered_and_queues_nothing(secret: str, queued: Any) -> None:
    response = _github(_payload(), secret, event="ping")
    assert (response.status_code, response.json()["message"]) == (200, "The webhook works.")
    assert queued() == []


def test_other_event_is_taken_with_a_word_and_queues_nothing(secret: str, queued: Any) -> None:
    response = _github(_payload(), secret, event="issues")
    assert (response.status_code, queued()) == (202, [])
    assert "changes nothing here" in response.json()["message"]


def test_wrong_signature_and_unknown_repository_are_answered_alike(
    secret: str, queued: Any
) -> None:
    unsigned = {"X-GitHub-Event": "push"}
    repository_add(name="silent", url="https://code.example.org/no/secret")
    answers = [
        _github(_payload(), f"{secret}x"),
        _post("github", _payload(), **unsigned),
        _post("github", _payload(), **unsigned, **{"X-Hub-Signature-256": "sha256=\xe9"}),
        _post("gitlab", _payload(), **{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": ""}),
        _github(_payload("https://code.example.org/no/such"), secret),
        _github(_payload("https://code.example.org/no/secret"), secret),
        _github(_payload("no address"), secret),
        _github(b'{"zen": "Keep it logically awesome."}', secret, event="ping"),
    ]
    assert {(answer.status_code, answer.content) for answer in answers} == {
        (403, answers[0].content)
    }
    assert REFUSED in answers[0].json()["message"]
    assert queued() == []


def test_unknown_repository_costs_what_a_wrong_signature_does(secret: str, queued: Any) -> None:
    repository_add(name="silent", url="https://code.example.org/no/secret")
    counts = set()
    for url in (URL, "https://code.example.org/no/secret", "https://code.example.org/no/such"):
        with CaptureQueriesContext(connection) as queries:
            assert _github(_payload(url), f"{secret}x").status_code == 403
        counts.add(len(queries))
    assert len(counts) == 1


def test_body_that_was_changed_on_the_way_is_refused(secret: str, queued: Any) -> None:
    signature = f"sha256={_signature(secret, _payload())}"
    changed = _payload(forced=True)
    assert _github(changed, secret, **{"X-Hub-Signature-256": signature}).status_code == 403
    assert queued() == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"repository": 7}',
        b'{"repository": {"clone_url": 7}}',
        b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_malformed_body_is_400_in_json(body: bytes, secret: str) -> None:
    response = _github(body, secret)
    assert (response.status_code, response.json()["error"]) == (400, "invalid_input")


def test_body_over_the_bound_is_413_in_json(secret: str) -> None:
    response = _github(b" " * (LIMITS.max_webhook_bytes + 1), secret)
    assert (response.status_code, response.json()["error"]) == (413, "too_large")


@pytest.mark.parametrize("path", ["/webhooks/github/", "/webhooks/github"])
def test_anything_but_post_is_405_in_json(path: str) -> None:
    response = Client().get(path)
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert response.json()["error"] == "not_allowed"


def test_secret_before_works_for_a_while_after_a_rotation(
    secret: str, queued: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = webhook_secret_make(actor=COMMAND_LINE, name="project")
    assert made.secret != secret
    assert _github(_payload(), secret).status_code == 202
    assert _github(_payload(), made.secret).status_code == 202
    later = datetime.now(UTC) + timedelta(hours=LIMITS.webhook_overlap_hours, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert _github(_payload(), secret).status_code == 403
    assert _github(_payload(), made.secret).status_code == 202


def test_revoked_and_removed_secrets_are_refused_at_once(secret: str, queued: Any) -> None:
    made = webhook_secret_make(actor=COMMAND_LINE, name="project", keep_previous=False)
    assert _github(_payload(), secret).status_code == 403
    webhook_secret_remove(actor=COMMAND_LINE, name="project")
    assert _github(_payload(), made.secret).status_code == 403
    assert queued() == []


def test_secret_is_stored_encrypted_and_stands_in_no_log(
    secret: str, queued: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        _github(_payload(), secret)
        headers = {"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": f"{secret}x"}
        _post("gitlab", _payload(), **headers)
    assert "GitHub tells of a push to project" in caplog.text
    assert "was refused" in caplog.text
    row = WebhookSecret.objects.get()
    for text in (caplog.text, row.secret, repr(list(AuditEvent.objects.values()))):
        assert secret not in text
    assert AuditEvent.objects.get().action == "webhook_secret.made"


def test_changed_secret_key_refuses_instead_of_failing(
    secret: str, queued: Any, settings: Any
) -> None:
    settings.SECRET_KEY, before = "another key", settings.SECRET_KEY
    assert _github(_payload(), secret).status_code == 403
    settings.SECRET_KEY_FALLBACKS = [before]
    assert _github(_payload(), secret).status_code == 202
