"""Signing in and out, forgotten passwords, and how guessing is slowed down."""

import re

import pytest
from django.core import mail
from django.test import Client, RequestFactory

from tests.web.accounts.conftest import PASSWORD
from web.accounts.lockout import ADDRESS_WEIGHT
from web.accounts.models import AuditEvent
from web.accounts.views.sign_in import ResetRequestView
from web.core.limits import LIMITS

pytestmark = pytest.mark.django_db


def sign_in(username="mira", password=PASSWORD, address="192.0.2.1", browser=None, **more):
    form = {"username": username, "password": password, **more}
    return (browser or Client()).post("/accounts/sign-in/", form, REMOTE_ADDR=address)


def actions():
    return list(AuditEvent.objects.order_by("pk").values_list("action", "actor_name", "target"))


def test_signing_in_and_out_is_audited(member):
    browser = Client()
    assert sign_in(browser=browser)["Location"] == "/accounts/"
    assert browser.get("/accounts/").status_code == 200
    assert browser.get("/accounts/sign-out/").status_code == 405
    assert browser.post("/accounts/sign-out/").status_code == 302
    assert browser.get("/accounts/").status_code == 302
    assert actions() == [("sign_in.succeeded", "mira", ""), ("sign_in.ended", "mira", "")]
    assert AuditEvent.objects.first().address in {"192.0.2.1", "127.0.0.1"}


def test_signing_in_never_leads_off_the_site(member):
    for target in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        assert sign_in(next=target)["Location"] == "/accounts/"
    assert sign_in(next="/o/authorize/?a=b")["Location"] == "/o/authorize/?a=b"


def test_an_inactive_account_cannot_sign_in(member):
    member.is_active = False
    member.save()
    assert sign_in().status_code == 200
    assert actions()[0][0] == "sign_in.failed"


def test_failures_cause_a_pause_for_that_name_from_that_address(member):
    for _ in range(LIMITS.sign_in_failures - 1):
        assert sign_in(password="wrong").status_code == 200
    paused = sign_in(password="wrong")
    assert paused.status_code == 429
    assert int(paused["Retry-After"]) == LIMITS.sign_in_pause_minutes * 60
    assert "Too many failed sign-ins" in paused.content.decode()
    assert sign_in().status_code == 429
    assert sign_in(address="192.0.2.2").status_code == 302
    written = actions()
    assert written.count(("sign_in.failed", "", "mira")) == LIMITS.sign_in_failures - 1
    assert written.count(("sign_in.paused", "", "mira")) == 1


def test_a_success_forgets_the_failures_before_it(member):
    for _ in range(3):
        for _ in range(LIMITS.sign_in_failures - 1):
            sign_in(password="wrong")
        assert sign_in().status_code == 302


def test_guessing_many_names_from_one_address_pauses_the_address(member):
    for number in range(LIMITS.sign_in_failures * ADDRESS_WEIGHT):
        sign_in(username=f"name{number}", password="wrong")
    assert sign_in().status_code == 429
    assert sign_in(address="192.0.2.2").status_code == 302


def test_guessing_one_name_from_many_addresses_pauses_the_name(member, settings):
    settings.AXES_FAILURE_LIMIT = 2
    for number in range(1, 21):
        sign_in(password="wrong", address=f"198.51.100.{number}")
    assert sign_in(address="192.0.2.2").status_code == 429


def test_the_admin_is_behind_the_same_page(staff):
    page = Client().get("/admin/", follow=True)
    assert page.request["PATH_INFO"] == "/accounts/sign-in/"
    assert page.context["next"] == "/admin/"
    for _ in range(LIMITS.sign_in_failures):
        response = sign_in(username="stan", password="wrong", next="/admin/")
    assert response.status_code == 429


def test_a_name_that_is_no_account_is_not_written_down(member):
    sign_in(username="my-secret-password", password="x")
    assert actions() == [("sign_in.failed", "", "unknown account")]


def test_a_member_who_opens_a_page_for_staff_is_told_so(member_client):
    page = member_client.get("/admin/", follow=True)
    assert "that account may not open this page" in page.content.decode()


def test_a_forgotten_password_is_set_with_a_link_that_works_once_and_ends_the_pause(member):
    sent = Client().post(
        "/accounts/password/reset/", {"email": "Mira@example.org"}, headers={"Host": "testserver"}
    )
    assert sent["Location"] == "/accounts/password/reset/sent/"
    link = re.search(r"http://127\.0\.0\.1:8080(/\S+)", mail.outbox[0].body)[1]
    browser = Client()
    page = browser.get(link, follow=True)
    for _ in range(LIMITS.sign_in_failures):
        paused = sign_in(password="forgotten")
    assert paused.status_code == 429
    form = {"new_password1": "brand new secret 1", "new_password2": "brand new secret 1"}
    done = browser.post(page.request["PATH_INFO"], form, follow=True)
    assert "Your new password is set" in done.content.decode()
    assert sign_in(password="brand new secret 1").status_code == 302
    assert sign_in(password=PASSWORD).status_code == 200
    assert "does not work" in Client().get(link, follow=True).content.decode()
    assert "password.reset" in [action for action, *_ in actions()]


def test_the_mail_is_sent_behind_the_answer_so_its_time_tells_nothing(member):
    form = {"email": member.email, "csrfmiddlewaretoken": "x" * 32}
    asked = RequestFactory().post("/accounts/password/reset/", form)
    asked.COOKIES["csrftoken"] = form["csrfmiddlewaretoken"]
    answer = ResetRequestView.as_view()(asked)
    assert (answer.status_code, mail.outbox) == (302, [])
    answer.close()  # as a server does when all is sent
    answer.close()
    assert len(mail.outbox) == 1


def test_asking_for_an_unknown_address_looks_the_same_and_mails_nothing(db):
    response = Client().post("/accounts/password/reset/", {"email": "no@example.org"})
    assert response["Location"] == "/accounts/password/reset/sent/"
    assert mail.outbox == []


def test_password_resets_are_bounded_per_address(db):
    form = {"email": "no@example.org"}
    for _ in range(LIMITS.max_password_resets_per_hour):
        assert Client().post("/accounts/password/reset/", form).status_code == 302
    refused = Client().post("/accounts/password/reset/", form)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0


def test_changing_the_password_ends_other_sessions(member, member_client):
    other = Client()
    other.force_login(member)
    form = {
        "old_password": PASSWORD,
        "new_password1": "brand new secret 1",
        "new_password2": "brand new secret 1",
    }
    assert member_client.post("/accounts/password/", form)["Location"] == "/accounts/"
    assert member_client.get("/accounts/").status_code == 200
    assert other.get("/accounts/").status_code == 302
