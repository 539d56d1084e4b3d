"""R89: secrets in logs. Planted in headers, forms, addresses and failures, they appear nowhere."""

import json
import logging

import pytest
from django.conf import settings
from django.test import Client

from tests.web.accounts.walker import LESSON, VERIFIER, Walker
from web.accounts.models import AuditEvent, PersonalAccessToken
from web.accounts.records import Actor
from web.accounts.services.invitations import invitation_create
from web.accounts.services.tokens import token_create
from web.core.logs import JsonLines

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture
def lines(caplog):
    """Everything that is logged at any level, as the files get it."""
    caplog.set_level(logging.DEBUG)
    formatter = JsonLines(process="test")
    return lambda: [formatter.format(record) for record in caplog.records]


@pytest.fixture
def member(django_user_model):
    return django_user_model.objects.create_user("mira", "mira@example.org", PASSWORD)


def stored():
    """Return every row of accounts and of sign-in as text."""
    from axes.models import AccessAttempt
    from oauth2_provider.models import get_access_token_model, get_refresh_token_model

    models = (
        AuditEvent,
        PersonalAccessToken,
        AccessAttempt,
        get_access_token_model(),
        get_refresh_token_model(),
    )
    return "\n".join(str(vars(row)) for model in models for row in model.objects.all())


def test_passwords_of_good_and_bad_sign_ins_are_nowhere(lines, member):
    for password in (PASSWORD, "hunter2-wrong-password"):
        Client().post("/accounts/sign-in/", {"username": "mira", "password": password})
    Client().post("/accounts/sign-in/", {"username": PASSWORD, "password": "x" * 12})
    written = "\n".join(lines()) + str(list(AuditEvent.objects.values()))
    assert PASSWORD not in written
    assert "hunter2" not in written
    assert "hunter2" not in stored()


def test_tokens_codes_and_verifiers_are_nowhere(lines, member):
    browser = Client()
    browser.force_login(member)
    walker = Walker(browser)
    registered = walker.register(token_endpoint_auth_method="none").json()
    code = walker.code()
    tokens = walker.exchange(code).json()
    renewed = walker.refresh(tokens["refresh_token"]).json()
    walker.refresh(tokens["refresh_token"])
    walker.exchange(code)
    made = token_create(
        actor=Actor.of(member), owner=member, name="x", scopes=["work"], expires_days=1
    )
    browser.get("/accounts/", {"token": made.secret})
    browser.get(f"/accounts/{made.secret}/")
    browser.get("/accounts/", headers={"Authorization": f"Bearer {made.secret}"})
    secrets = [
        code,
        VERIFIER,
        made.secret,
        registered["registration_access_token"],
        *(answer[kind] for answer in (tokens, renewed) for kind in answer if "_token" in kind),
    ]
    written = "\n".join(lines()) + stored()
    for secret in secrets:
        assert secret not in written


def test_the_secrets_of_links_are_nowhere(lines, member):
    invited = invitation_create(
        actor=Actor.of(member), email="new@example.org", send=False
    ).link.removeprefix(settings.PUBLIC_URL)
    Client().get(invited)
    Client().get(invited.replace("/invitations/", "/invitations/pti_wrong"))
    Client().post("/accounts/password/reset/", {"email": "mira@example.org"})
    from django.core import mail

    reset = mail.outbox[-1].body.split("/password/reset/")[1].split()[0].strip("/")
    Client().get(f"/accounts/password/reset/{reset}/")
    written = "\n".join(lines())
    assert invited.split("/")[-2] not in written
    assert reset.split("/")[1] not in written


def test_a_failure_in_the_middle_logs_no_secret(lines, member, monkeypatch):
    browser = Client(raise_request_exception=False)
    browser.force_login(member)
    from web.accounts.views import oauth

    def fails(*_arguments, **_options):
        token = "ptl_" + "a" * 43
        raise RuntimeError(f"could not use {token} with password={PASSWORD!r}")

    walker = Walker(browser)
    walker.register()
    monkeypatch.setattr(oauth, "resource_named", fails)
    assert walker.ask(resource=LESSON).status_code == 500
    written = "\n".join(lines())
    assert "could not use" in written
    assert "a" * 43 not in written
    assert PASSWORD.split(maxsplit=1)[0] not in written


def test_a_token_in_the_address_is_never_accepted(member):
    made = token_create(
        actor=Actor.of(member), owner=member, name="x", scopes=["work"], expires_days=1
    )
    for name in ("token", "access_token", "authorization"):
        assert Client().get("/accounts/", {name: made.secret}).status_code == 302


def test_log_lines_are_one_line_of_json_each(lines, member):
    Client().post("/accounts/sign-in/", {"username": "mi\nra\u2028", "password": "a\r\nb"})
    for line in lines():
        assert "\n" not in line
        json.loads(line)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/nothing/here/", 404),
        ("get", "/o/authorize/", 400),
        ("post", "/accounts/sign-in/", 403),
        ("post", "/webhooks/github/", 400),
        ("get", "/webhooks/gitlab/", 405),
    ],
)
def test_query_of_a_refused_request_is_nowhere(lines, method, path, status):
    browser = Client(enforce_csrf_checks=True)
    answer = getattr(browser, method)(f"{path}?state=PLANTED4711&x=PLANTED4711")
    assert answer.status_code == status
    written = lines()
    assert any(path in line and str(status) in line for line in written)
    assert "PLANTED4711" not in "\n".join(written)
