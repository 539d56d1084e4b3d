"""The authorization code flow: what is granted, to whom, and for where."""

from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.test import Client
from oauth2_provider.models import get_access_token_model, get_refresh_token_model

from tests.web.accounts.walker import (
    CHALLENGE,
    LESSON,
    OPERATIONS,
    PROJECT,
    VERIFIER,
    Walker,
)
from web.accounts.models import AuditEvent, OAuthClient
from web.accounts.selectors import principal_for_token
from web.library.models import Repository

pytestmark = pytest.mark.django_db


def test_a_member_who_agrees_gives_a_token_for_that_resource_only(walker, member):
    tokens = walker.tokens()

    assert tokens["token_type"] == "Bearer"
    assert tokens["scope"] == "project"
    assert tokens["access_token"].startswith("pto_")
    principal = principal_for_token(token=tokens["access_token"], resource=LESSON)
    assert (principal.user_id, principal.scopes) == (member.pk, {"project"})
    assert principal.client_name == "Chart reader"
    assert principal_for_token(token=tokens["access_token"], resource=LESSON.rstrip("/"))
    for elsewhere in (PROJECT, OPERATIONS, f"{PROJECT}repositories/x/", "", None, "http://evil/"):
        assert principal_for_token(token=tokens["access_token"], resource=elsewhere) is None


def test_the_consent_page_names_client_destination_server_and_permission(walker):
    walker.register(client_name="Chart reader")
    page = walker.ask()

    text = " ".join(page.content.decode().split())
    assert page.status_code == 200
    assert "Give “Chart reader” access?" in text
    assert "this computer (127.0.0.1)" in text
    assert "registered by itself" in text
    assert "http://127.0.0.1:8080/mcp/lesson" in text
    assert "Read code, documentation and posts, also those for members" in text
    assert "<strong>mira</strong>" in text


def test_the_consent_form_may_lead_to_the_client_under_the_content_security_policy(walker):
    walker.register()
    policy = walker.ask()["Content-Security-Policy"]
    assert "form-action 'self' http://127.0.0.1:33418;" in f"{policy};"
    assert "default-src 'none'" in policy


def test_refusing_sends_access_denied_with_state_and_issuer(walker):
    walker.register()
    answer = walker.answer(walker.ask(), allow=False)
    assert answer["error"] == ["access_denied"]
    assert answer["state"] == ["st4te"]
    assert answer["iss"] == ["http://127.0.0.1:8080/o"]


def test_success_carries_state_and_issuer(walker):
    walker.register()
    answer = walker.answer(walker.ask())
    assert answer["iss"] == ["http://127.0.0.1:8080/o"]
    assert answer["state"] == ["st4te"]


@pytest.mark.parametrize("method", ["plain", None])
def test_pkce_takes_only_s256(walker, method):
    walker.register()
    response = walker.ask(code_challenge_method=method)
    assert response.status_code == 302
    assert "error=invalid_request" in response["Location"]


@pytest.mark.parametrize("challenge", [None, "", "short", "!" * 43, "é" * 43, CHALLENGE + "A"])
def test_pkce_is_required_with_a_digest_before_anyone_is_asked(walker, challenge):
    walker.register()
    response = walker.ask(code_challenge=challenge)
    assert "error=invalid_request" in response["Location"]
    if challenge:
        answer = walker.answer(walker.ask(), code_challenge=challenge)
        assert answer["error"] == ["invalid_request"]


def test_a_wrong_verifier_gets_nothing(walker):
    response = walker.exchange(walker.code(), code_verifier="w" * 64)
    assert (response.status_code, response.json()["error"]) == (400, "invalid_grant")


def test_a_code_works_once(walker):
    code = walker.code()
    assert walker.exchange(code).status_code == 200
    assert walker.exchange(code).json()["error"] == "invalid_grant"


def test_a_code_belongs_to_its_client(walker):
    code = walker.code()
    walker.register()
    assert walker.exchange(code).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    "resource",
    [
        None,
        "https://elsewhere.example/mcp/lesson/",
        "http://127.0.0.1:8080/",
        "http://127.0.0.1:8080/mcp/lesson/more",
        "http://127.0.0.1:8080/mcp/repositories/UPPER/",
        "http://127.0.0.1:8080/mcp/lesson/?a=b",
        "http://user@127.0.0.1:8080/mcp/lesson/",
        [LESSON, PROJECT],
    ],
)
def test_a_resource_that_is_not_one_of_ours_is_an_invalid_target(walker, resource):
    walker.register()
    response = walker.ask(resource=resource)
    assert response.status_code == 302
    assert "error=invalid_target" in response["Location"]
    assert "state=st4te" in response["Location"]


def test_a_token_request_cannot_widen_the_resource(walker):
    response = walker.exchange(walker.code(), resource=PROJECT)
    assert response.json()["error"] == "invalid_target"


def test_both_spellings_and_no_resource_name_the_granted_one(walker):
    for resource in (LESSON, LESSON.rstrip("/"), LESSON.replace("http://", "HTTP://"), None):
        assert walker.exchange(walker.code(), resource=resource).status_code == 200


def test_a_public_repository_is_a_resource_of_its_own(walker):
    Repository.objects.create(name="charts", url="https://git.example/charts")
    resource = "http://127.0.0.1:8080/mcp/repositories/charts/"
    tokens = walker.tokens(resource=resource, scope="project")
    assert principal_for_token(token=tokens["access_token"], resource=resource)
    assert principal_for_token(token=tokens["access_token"], resource=PROJECT) is None


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        (None, "project"),
        ("project work operations", "project"),
        ("project offline_access openid", "project"),
    ],
)
def test_scopes_are_narrowed_to_what_the_resource_knows(walker, asked, granted):
    assert walker.tokens(scope=asked)["scope"] == granted


def test_scopes_that_the_resource_does_not_know_are_refused(walker):
    walker.register()
    assert "error=invalid_scope" in walker.ask(scope="operations")["Location"]


def test_a_member_cannot_connect_to_operations_whatever_the_form_says(walker):
    walker.register()
    page = walker.ask(resource=OPERATIONS, scope="operations")
    assert "Only staff can connect" in page.content.decode()
    assert 'name="allow"' not in page.content.decode()
    assert walker.answer(page)["error"] == ["access_denied"]


def test_a_member_connects_to_a_repository_for_members_and_to_no_absent_one(walker):
    Repository.objects.create(name="hidden", url="https://git.example/h", visibility="members")
    walker.register()
    hidden = f"{PROJECT}repositories/hidden/"
    token = walker.tokens(resource=hidden, scope="project")["access_token"]
    assert principal_for_token(token=token, resource=hidden).allows("project")
    assert principal_for_token(token=token, resource=PROJECT) is None
    page = walker.ask(resource=f"{PROJECT}repositories/absent/", scope="project")
    assert "There is no repository absent on this server." in page.content.decode()
    assert 'name="allow"' not in page.content.decode()
    assert walker.answer(page)["error"] == ["access_denied"]


def test_a_stranger_is_sent_to_sign_in_for_any_name_of_a_repository(walker):
    Repository.objects.create(name="hidden", url="https://git.example/h", visibility="members")
    walker.register()
    query = [walker.query(resource=f"{PROJECT}repositories/{name}/", scope="project")
             for name in ("hidden", "absent")]  # fmt: skip
    answers = [Client().get("/o/authorize/", one) for one in query]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert all("/accounts/sign-in/" in answer["Location"] for answer in answers)


def test_a_form_that_was_tampered_with_grants_no_more(walker):
    walker.register()
    page = walker.ask()
    assert "error" in walker.answer(page, scope="operations")
    assert walker.answer(page, resource="https://evil.example/")["error"] == ["invalid_target"]


def test_a_client_that_was_removed_while_its_page_stood_open_is_said_to_be_gone(walker):
    walker.register()
    page = walker.ask()
    OAuthClient.objects.all().delete()
    fields = {name: value for name, value in page.context["form"].initial.items() if value}
    response = walker.browser.post("/o/authorize/", {**fields, "allow": "true"})
    assert response.status_code == 400
    assert "not known any more" in response.content.decode()


def test_staff_lose_the_operations_scope_with_their_role(staff):
    browser = Client()
    browser.force_login(staff)
    token = Walker(browser).tokens(resource=OPERATIONS, scope="operations")["access_token"]
    assert principal_for_token(token=token, resource=OPERATIONS).allows("operations")
    staff.is_staff = False
    staff.save()
    assert not principal_for_token(token=token, resource=OPERATIONS).allows("operations")


def test_consent_is_asked_for_again_even_where_the_request_says_otherwise(walker):
    walker.tokens()
    assert walker.ask(approval_prompt="auto").status_code == 200


def test_refreshing_rotates_and_keeps_resource_and_scope(walker):
    first = walker.tokens()
    second = walker.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert second["scope"] == "project"
    assert principal_for_token(token=second["access_token"], resource=LESSON)
    assert principal_for_token(token=first["access_token"], resource=LESSON) is None


def test_a_client_that_started_again_renews_at_the_default_address(walker):
    form = {
        "grant_type": "refresh_token",
        "refresh_token": walker.tokens()["refresh_token"],
        "client_id": walker.client_id,
        "resource": LESSON.rstrip("/"),
    }
    response = walker.wire.post("/token", form)
    assert principal_for_token(token=response.json()["access_token"], resource=LESSON)


def test_a_refresh_token_used_twice_ends_the_whole_family(walker):
    first = walker.tokens()
    second = walker.refresh(first["refresh_token"]).json()
    assert walker.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert principal_for_token(token=second["access_token"], resource=LESSON) is None
    assert walker.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_cannot_change_the_resource(walker):
    response = walker.refresh(walker.tokens()["refresh_token"], resource=PROJECT)
    assert response.json()["error"] == "invalid_target"


def test_a_deactivated_user_cannot_refresh_or_exchange(walker, member):
    tokens, code = walker.tokens(), walker.code()
    member.is_active = False
    member.save()
    assert principal_for_token(token=tokens["access_token"], resource=LESSON) is None
    assert walker.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert walker.exchange(code).json()["error"] == "invalid_grant"


def test_an_expired_token_is_nobodys(walker, monkeypatch):
    token = walker.tokens()["access_token"]
    from web.accounts.selectors import principals

    later = principals.now() + timedelta(hours=2)
    monkeypatch.setattr(principals, "now", lambda: later)
    assert principal_for_token(token=token, resource=LESSON) is None


def test_only_digests_of_tokens_are_stored(walker):
    tokens = walker.tokens()
    for model in (get_access_token_model(), get_refresh_token_model()):
        for row in model.objects.all():
            assert row.token == ""
            assert row.token_checksum not in (tokens["access_token"], tokens["refresh_token"])


def test_a_client_can_revoke_its_own_token_and_no_other(walker, member_client):
    tokens = walker.tokens()
    other = Walker(member_client)
    other.register()
    body = {"token": tokens["access_token"], "client_id": other.client_id}
    assert other.wire.post("/o/revoke/", body).status_code == 200
    assert principal_for_token(token=tokens["access_token"], resource=LESSON)
    body["client_id"] = walker.client_id
    assert walker.wire.post("/o/revoke/", body).status_code == 200
    assert principal_for_token(token=tokens["access_token"], resource=LESSON) is None
    assert walker.refresh(tokens["refresh_token"]).status_code == 400


@pytest.mark.parametrize(
    "grant_type",
    ["password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code", "", "x"],
)
def test_other_grants_do_not_exist(walker, grant_type):
    walker.register()
    form = {
        "grant_type": grant_type,
        "client_id": walker.client_id,
        "username": "mira",
        "password": "x",
    }
    response = walker.wire.post("/o/token/", form)
    assert response.status_code == 400
    assert response.json()["error"] in {"unsupported_grant_type", "unauthorized_client"}


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "unknown"},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": "http://127.0.0.1:33418/other"},
        {"client_id": "a\0b"},
    ],
)
def test_a_request_of_a_stranger_is_told_to_the_person_and_redirects_nowhere(walker, changes):
    walker.register()
    for browser in (walker.browser, Client()):
        response = browser.get("/o/authorize/", walker.query(**changes))
        assert response.status_code == 400
        assert "Location" not in response
        assert "This access request does not work" in response.content.decode()


@pytest.mark.parametrize("query", ["client_id=%zz", "client_id=%FF", "a=%00&client_id=x", "%"])
def test_an_address_that_cannot_be_read_is_a_400(walker, query):
    for browser in (walker.browser, Client()):
        assert browser.get(f"/o/authorize/?{query}").status_code == 400


@pytest.mark.parametrize("field", ["code", "client_id", "refresh_token", "grant_type", "resource"])
def test_a_token_request_that_cannot_be_read_is_an_error_in_json(walker, field):
    form = {"grant_type": "authorization_code", "client_id": "x", "code": "y", field: "a\0b"}
    for address in ("/o/token/", "/o/revoke/"):
        response = walker.wire.post(address, form)
        assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


def test_a_wrong_request_is_refused_before_anyone_signs_in(walker):
    walker.register()
    response = Client().get("/o/authorize/", walker.query(resource=None))
    assert "error=invalid_target" in response["Location"]


def test_who_is_not_signed_in_signs_in_first_and_comes_back(walker):
    walker.register()
    response = Client().get("/o/authorize/", walker.query())
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/sign-in/?next=/o/authorize/")


def test_whose_session_ended_while_the_page_stood_open_signs_in_and_is_asked_again(walker, member):
    walker.register()
    page = walker.ask()
    walker.browser.logout()
    fields = {name: value for name, value in page.context["form"].initial.items() if value}
    address = page.wsgi_request.get_full_path()
    answer = walker.browser.post(address, {**fields, "allow": "true"})
    assert answer["Location"].startswith("/accounts/sign-in/?next=/o/authorize/")
    walker.browser.force_login(member)
    back = unquote(answer["Location"].partition("next=")[2])
    assert "code" in walker.answer(walker.browser.get(back))


def test_consent_is_written_into_the_audit_without_secrets(walker, member):
    tokens = walker.tokens()
    event = AuditEvent.objects.get(action="connection.granted")
    assert (event.actor, event.address) == (member, "127.0.0.1")
    assert event.detail == {"resource": LESSON, "redirect": "this computer (127.0.0.1)"}
    written = " ".join(
        f"{row.target} {row.reason} {row.detail}" for row in AuditEvent.objects.all()
    )
    for secret in (tokens["access_token"], tokens["refresh_token"], VERIFIER):
        assert secret not in written


def test_browser_applications_may_call_the_token_endpoint(walker):
    preflight = walker.wire.options(
        "/o/token/", headers={"Access-Control-Request-Method": "POST", "Origin": "http://a.example"}
    )
    assert preflight.status_code == 204
    assert preflight["Access-Control-Allow-Origin"] == "*"
    assert walker.exchange("x")["Access-Control-Allow-Origin"] == "*"
