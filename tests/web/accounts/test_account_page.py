"""The account page and what can be done on it."""

import re

import pytest
from django.test import Client

from tests.web.accounts.walker import LESSON, Walker
from web.accounts.models import PersonalAccessToken
from web.accounts.selectors import principal_for_token, principal_for_user
from web.accounts.selectors.connections import connections_of

pytestmark = pytest.mark.django_db
TOKEN = {"name": "laptop", "scopes": ["project"], "expires_days": "30"}


def test_nobody_sees_it_without_signing_in(db):
    for path in ("/accounts/", "/accounts/tokens/new/", "/accounts/password/"):
        assert Client().get(path)["Location"] == f"/accounts/sign-in/?next={path}"
    for path in ("time-zone/", "tokens/1/revoke/", "applications/1/disconnect/"):
        assert Client().post(f"/accounts/{path}").status_code == 302


def test_a_token_is_shown_once_and_can_be_revoked(member_client):
    made = member_client.post("/accounts/tokens/new/", TOKEN)
    assert made.status_code == 201
    assert "no-store" in made["Cache-Control"]
    secret = re.search(r'value="(ptl_[^"]+)"', made.content.decode())[1]
    assert principal_for_token(token=secret, resource=None)
    page = member_client.get("/accounts/").content.decode()
    assert secret not in page
    assert f"{secret[:8]}…" in page
    pk = PersonalAccessToken.objects.get().pk
    gone = member_client.post(f"/accounts/tokens/{pk}/revoke/", follow=True)
    assert "stopped working just now" in gone.content.decode()
    assert principal_for_token(token=secret, resource=None) is None
    again = member_client.post(f"/accounts/tokens/{pk}/revoke/", follow=True)
    assert "did not work any more" in again.content.decode()


def test_a_member_is_not_offered_the_operations_scope_and_cannot_take_it(member_client):
    page = member_client.get("/accounts/tokens/new/").content.decode()
    # Nor the scope work: no page promises a server that there is not.
    assert re.findall(r'name="scopes" value="(\w+)"', page) == ["project"]
    refused = member_client.post("/accounts/tokens/new/", {**TOKEN, "scopes": ["operations"]})
    assert refused.status_code == 422
    assert not PersonalAccessToken.objects.exists()


def test_staff_are_offered_it(staff):
    browser = Client()
    browser.force_login(staff)
    made = browser.post("/accounts/tokens/new/", {**TOKEN, "scopes": ["operations"]})
    assert made.status_code == 201


def test_the_time_zone_is_changed(member_client):
    member_client.post("/accounts/time-zone/", {"time_zone": "America/New_York"})
    assert principal_for_user("mira").time_zone == "America/New_York"
    member_client.post("/accounts/time-zone/", {"time_zone": "Nowhere/Here"})
    assert principal_for_user("mira").time_zone == "America/New_York"


def test_connected_applications_are_listed_and_disconnected(walker, member_client, member):
    tokens = walker.tokens()
    page = " ".join(member_client.get("/accounts/").content.decode().split())
    assert "Chart reader" in page
    assert "Registered by itself; leads to this computer (127.0.0.1)" in page
    assert "<code>http://127.0.0.1:8080/mcp/lesson</code>" in page
    (connection,) = connections_of(member)
    gone = member_client.post(
        f"/accounts/applications/{connection.connection_id}/disconnect/", follow=True
    )
    assert "its access ended just now" in gone.content.decode()
    assert principal_for_token(token=tokens["access_token"], resource=LESSON) is None
    assert walker.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert connections_of(member) == ()


def test_disconnecting_someone_elses_application_changes_nothing(walker, staff):
    tokens = walker.tokens()
    browser = Client()
    browser.force_login(staff)
    from web.accounts.models import OAuthClient

    pk = OAuthClient.objects.get().pk
    page = browser.post(f"/accounts/applications/{pk}/disconnect/", follow=True)
    assert "had no access any more" in page.content.decode()
    assert principal_for_token(token=tokens["access_token"], resource=LESSON)


def test_forms_need_the_csrf_token(member):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(member)
    for path in ("accounts/tokens/new/", "accounts/time-zone/", "accounts/sign-out/"):
        assert browser.post(f"/{path}", TOKEN).status_code == 403
    walker = Walker(browser)
    walker.register()
    page = walker.ask()
    fields = {name: value for name, value in page.context["form"].initial.items() if value}
    response = browser.post(page.wsgi_request.get_full_path(), {**fields, "allow": "true"})
    assert response.status_code == 403


@pytest.mark.parametrize(
    "path", ["/accounts/", "/accounts/sign-in/", "/accounts/tokens/new/", "/accounts/password/"]
)
def test_pages_hold_nothing_inline_and_label_every_field(member_client, path):
    html = member_client.get(path).content.decode()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", html)
    assert html.count("<h1") == 1
    for field in re.findall(r"<(?:input|select|textarea)\b[^>]*>", html):
        if 'type="hidden"' not in field:
            identifier = re.search(r'\bid="([^"]+)"', field)[1]
            assert f'for="{identifier}"' in html, field
    headings = [int(level) for level in re.findall(r"<h([1-6])", html)]
    assert all(b - a <= 1 for a, b in zip([0, *headings], headings, strict=False))
