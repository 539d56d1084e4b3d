"""Sign-up by invitation, once."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from tests.services import free_port
from tests.web.accounts.conftest import PASSWORD
from web.accounts.models import AuditEvent, Invitation
from web.accounts.selectors import principal_for_user
from web.accounts.services import invitations
from web.accounts.services.invitations import invitation_create, invitation_withdraw
from web.core.errors import Conflict, InvalidInput, NotFound

pytestmark = pytest.mark.django_db
FORM = {
    "username": "nora",
    "password": PASSWORD,
    "password_again": PASSWORD,
    "time_zone": "Europe/Berlin",
}


def path_of(link):
    return link.removeprefix("http://127.0.0.1:8080")


@pytest.fixture
def invited(staff_actor):
    return invitation_create(actor=staff_actor, email="nora@example.org")


def test_an_invitation_is_mailed_and_signs_up_once(invited):
    assert invited.link in mail.outbox[0].body
    assert mail.outbox[0].to == ["nora@example.org"]
    browser = Client()
    form = browser.get(path_of(invited.link), follow=True)
    assert form.redirect_chain == [("/accounts/sign-up/", 302)]
    assert "nora@example.org" in form.content.decode()
    done = browser.post("/accounts/sign-up/", FORM, follow=True)
    assert "Your account is ready" in done.content.decode()
    principal = principal_for_user("nora")
    assert (principal.is_member, principal.is_staff) == (True, False)
    assert principal.time_zone == "Europe/Berlin"
    assert User.objects.get(username="nora").email == "nora@example.org"
    again = Client().get(path_of(invited.link))
    assert again.status_code == 404
    assert "was used, withdrawn, or is too old" in again.content.decode()
    actions = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"invitation.created", "invitation.accepted", "sign_in.succeeded"} <= actions


def test_two_who_use_it_at_once_make_one_account(invited):
    first, second = Client(), Client()
    for browser in (first, second):
        browser.get(path_of(invited.link))
    first.post("/accounts/sign-up/", FORM)
    late = second.post("/accounts/sign-up/", {**FORM, "username": "other"})
    assert late.status_code == 404
    assert not User.objects.filter(username="other").exists()


def test_what_is_wrong_with_a_sign_up_is_said_beside_its_field(invited, member):
    browser = Client()
    browser.get(path_of(invited.link))
    for changes, problem in (
        ({"username": "mira"}, "already exists"),
        ({"username": "MiRa"}, "already exists"),
        ({"username": "a b"}, "valid username"),
        ({"password": "12345678", "password_again": "12345678"}, "entirely numeric"),
        ({"password_again": "different"}, "The two passwords differ"),
        ({"time_zone": "Mars/Base"}, "not one of the available choices"),
        ({"username": "x\0y"}, "Null characters are not allowed"),
    ):
        page = browser.post("/accounts/sign-up/", {**FORM, **changes})
        assert page.status_code == 422
        assert problem in page.content.decode()
    assert User.objects.count() == 2
    assert browser.post("/accounts/sign-up/", FORM).status_code == 302


def test_old_withdrawn_and_replaced_invitations_do_not_work(invited, staff_actor, monkeypatch):
    second = invitation_create(actor=staff_actor, email="nora@example.org")
    assert Client().get(path_of(invited.link)).status_code == 404
    invitation_withdraw(actor=staff_actor, invitation_id=second.invitation_id)
    assert Client().get(path_of(second.link)).status_code == 404
    with pytest.raises(NotFound):
        invitation_withdraw(actor=staff_actor, invitation_id=second.invitation_id)
    third = invitation_create(actor=staff_actor, email="nora@example.org")
    later = invitations.now() + timedelta(days=8)
    monkeypatch.setattr(invitations, "now", lambda: later)
    assert Client().get(path_of(third.link)).status_code == 404


def test_only_the_digest_is_stored(invited):
    secret = path_of(invited.link).rstrip("/").rpartition("/")[2]
    row = Invitation.objects.get()
    assert secret.startswith("pti_")
    assert secret not in str(vars(row))


def test_no_invitation_for_what_is_no_address_or_has_an_account(staff_actor, member):
    with pytest.raises(InvalidInput):
        invitation_create(actor=staff_actor, email="nobody")
    with pytest.raises(Conflict):
        invitation_create(actor=staff_actor, email="MIRA@example.org")


@pytest.mark.parametrize("days", [0, -3, 366])
def test_no_invitation_for_days_that_make_no_sense(db, days):
    with pytest.raises(CommandError, match="works for 1 to 365 days"):
        call_command("invite", "nora@example.org", days=days)
    assert not Invitation.objects.exists()


def test_the_sign_up_page_is_nothing_without_an_invitation(db):
    assert Client().get("/accounts/sign-up/").status_code == 404
    assert Client().post("/accounts/sign-up/", FORM).status_code == 404
    assert not User.objects.exists()


def test_the_command_prints_the_link_alone_and_mails_only_if_told(db):
    out, err = StringIO(), StringIO()
    call_command("invite", "nora@example.org", stdout=out, stderr=err)
    link = out.getvalue().strip()
    assert re.fullmatch(
        r"http://127\.0\.0\.1:8080/accounts/invitations/pti_[A-Za-z0-9_-]{43}/", link
    )
    assert mail.outbox == []
    assert Client().get(path_of(link)).status_code == 302
    call_command("invite", "nora@example.org", "--mail", stdout=out, stderr=err)
    assert len(mail.outbox) == 1
    with pytest.raises(CommandError, match="not an e-mail address"):
        call_command("invite", "nobody", stdout=out, stderr=err)


def test_an_invitation_that_cannot_be_mailed_is_made_and_its_link_shown(admin_client, settings):
    backend = "django.core.mail.backends.smtp.EmailBackend"
    nobody = {"host": "127.0.0.1", "port": free_port(), "timeout": 5}
    settings.MAILERS = {"default": {"BACKEND": backend, "OPTIONS": nobody}}
    out = StringIO()
    with pytest.raises(CommandError, match="could not be mailed"):
        call_command("invite", "nora@example.org", "--mail", stdout=out)
    assert Client().get(path_of(out.getvalue().strip())).status_code == 302
    form = {"email": "nora@example.org"}
    page = admin_client.post("/admin/accounts/invitation/add/", form, follow=True)
    shown = re.search(r"could not be mailed.*(/accounts/invitations/pti_[\w-]+/)", page.text)
    assert Client().get(shown[1]).status_code == 302
