"""Accounts in the admin."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client, RequestFactory
from oauth2_provider.models import get_access_token_model

from tests.web.accounts.conftest import PASSWORD
from web.accounts.admin import InvitationAdmin, PersonalAccessTokenAdmin
from web.accounts.audited_admin import AuditedAdmin
from web.accounts.models import AuditEvent, Invitation
from web.accounts.records import Actor
from web.accounts.selectors import principal_for_token
from web.accounts.services.tokens import token_create
from web.accounts.user_admin import AccountAdmin
from web.library.admin import RepositoryAdmin

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin_client(db):
    browser = Client()
    browser.force_login(User.objects.create_superuser("root", "root@example.org", PASSWORD))
    return browser


def test_an_invitation_is_made_and_its_link_shown_once(admin_client):
    page = admin_client.post(
        "/admin/accounts/invitation/add/", {"email": "new@example.org"}, follow=True
    )
    link = re.search(r"/accounts/invitations/(pti_[A-Za-z0-9_-]+)/", page.content.decode())[0]
    assert Client().get(link).status_code == 302
    again = admin_client.get("/admin/accounts/invitation/").content.decode()
    assert "new@example.org" in again
    assert "pti_" not in again
    assert AuditEvent.objects.get(action="invitation.created").actor_name == "root"


def test_a_refused_invitation_says_why_and_makes_nothing(admin_client):
    page = admin_client.post(
        "/admin/accounts/invitation/add/", {"email": "root@example.org"}, follow=True
    )
    assert "already an account" in page.content.decode()
    assert not Invitation.objects.exists()


def test_invitations_are_withdrawn_and_tokens_revoked_by_action(admin_client, member):
    admin_client.post("/admin/accounts/invitation/add/", {"email": "new@example.org"})
    invitation = Invitation.objects.get()
    admin_client.post(
        "/admin/accounts/invitation/",
        {"action": "withdraw", "_selected_action": [invitation.pk]},
    )
    invitation.refresh_from_db()
    assert invitation.withdrawn_at
    made = token_create(
        actor=Actor.of(member), owner=member, name="x", scopes=["project"], expires_days=None
    )
    listing = admin_client.get("/admin/accounts/personalaccesstoken/").content.decode()
    assert made.token.hint in listing
    admin_client.post(
        "/admin/accounts/personalaccesstoken/",
        {"action": "revoke", "_selected_action": [made.token.token_id]},
    )
    assert principal_for_token(token=made.secret, resource=None) is None
    event = AuditEvent.objects.get(action="token.revoked")
    assert (event.actor_name, event.reason) == ("root", "by staff")


def test_the_audit_can_be_read_and_not_changed(admin_client):
    event = AuditEvent.objects.first()
    assert "sign_in.succeeded" in admin_client.get("/admin/accounts/auditevent/").content.decode()
    assert admin_client.get("/admin/accounts/auditevent/add/").status_code == 403
    for action in ("delete", "change"):
        path = f"/admin/accounts/auditevent/{event.pk}/{action}/"
        admin_client.post(path, {"post": "yes", "action": "x"})
    assert AuditEvent.objects.filter(pk=event.pk, action="sign_in.succeeded").exists()


def test_oauth_clients_and_tokens_are_shown_without_secrets(admin_client, walker):
    tokens = walker.tokens()
    for page in ("accesstoken", "refreshtoken", "grant"):
        html = admin_client.get(f"/admin/oauth2_provider/{page}/").content.decode()
        assert tokens["access_token"] not in html
        assert tokens["refresh_token"] not in html
        assert admin_client.get(f"/admin/oauth2_provider/{page}/add/").status_code == 403
    token_id = get_access_token_model().objects.exclude(user=None).get().pk
    admin_client.post(f"/admin/oauth2_provider/accesstoken/{token_id}/delete/", {"post": "yes"})
    assert get_access_token_model().objects.filter(pk=token_id).exists()
    assert "Chart reader" in admin_client.get("/admin/accounts/oauthclient/").content.decode()


def test_staff_may_register_a_client_with_any_https_address_and_no_other(admin_client):
    form = {
        "client_id": "partner",
        "redirect_uris": "https://partner.example/cb",
        "client_type": "public",
        "authorization_grant_type": "authorization-code",
        "client_secret": "s" * 40,
        "name": "Partner",
        "algorithm": "",
    }
    refused = {**form, "redirect_uris": "http://partner.example/cb"}
    page = admin_client.post("/admin/accounts/oauthclient/add/", refused)
    assert "neither on loopback nor one of a well-known application" in page.content.decode()
    silent = {**form, "skip_authorization": "on"}
    page = admin_client.post("/admin/accounts/oauthclient/add/", silent)
    assert "always asked for their consent" in page.content.decode()
    assert admin_client.post("/admin/accounts/oauthclient/add/", form).status_code == 302


def test_what_is_changed_of_any_other_object_stands_in_the_audit(admin_client):
    admin_client.post("/admin/auth/group/add/", {"name": "pilots"})
    pk = Group.objects.get().pk
    admin_client.post(f"/admin/auth/group/{pk}/change/", {"name": "navigators"})
    Group.objects.create(name="cooks")
    chosen = {"action": "delete_selected", "post": "yes"}
    chosen["_selected_action"] = list(Group.objects.values_list("pk", flat=True))
    admin_client.post("/admin/auth/group/", chosen)
    assert not Group.objects.exists()
    events = AuditEvent.objects.filter(action__startswith="group.").order_by("pk")
    assert [(event.action, event.target) for event in events] == [
        ("group.added", f"group:{pk} pilots"),
        ("group.changed", f"group:{pk} navigators"),
        ("group.deleted", f"group:{pk + 1} cooks"),
        ("group.deleted", f"group:{pk} navigators"),
    ]
    assert events[1].detail == {"changes": [{"changed": {"fields": ["Name"]}}]}
    assert {event.actor_name for event in events} == {"root"}


def test_every_page_of_the_admin_that_changes_something_is_audited():
    """An application that is added later is found here, too."""
    own_audit = {AccountAdmin, InvitationAdmin, PersonalAccessTokenAdmin, RepositoryAdmin}
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    for page in admin.site._registry.values():
        permissions = page.get_model_perms(request)
        if any(permissions[kind] for kind in ("add", "change", "delete")):
            assert isinstance(page, AuditedAdmin) or type(page) in own_audit, page


def test_accounts_are_listed_with_their_tokens(admin_client, member):
    token_create(
        actor=Actor.of(member), owner=member, name="laptop", scopes=["project"], expires_days=None
    )
    page = admin_client.get("/admin/auth/user/").content.decode()
    address = f"/admin/accounts/personalaccesstoken/?user__id__exact={member.pk}"
    assert f'<a href="{address}">1</a>' in page
    assert "laptop" in admin_client.get(address).content.decode()


def act(admin_client, action, *users):
    selected = {"action": action, "_selected_action": [user.pk for user in users]}
    page = admin_client.post("/admin/auth/user/", selected, follow=True)
    return page.content.decode()


def test_accounts_are_deactivated_and_activated_in_batches_all_or_nothing(admin_client, member):
    root = User.objects.get(username="root")
    assert "Your own account" in act(admin_client, "deactivate", member, root)
    member.refresh_from_db()
    assert member.is_active
    assert "1 accounts deactivated." in act(admin_client, "deactivate", member)
    member.refresh_from_db()
    assert not member.is_active
    assert "1 accounts activated." in act(admin_client, "activate", member)
    events = AuditEvent.objects.filter(target=f"user:{member.pk} mira").order_by("pk")
    assert [(one.actor_name, one.action) for one in events] == [
        ("root", "user.deactivated"),
        ("root", "user.activated"),
    ]


def test_what_is_changed_of_an_account_by_hand_stands_in_the_audit(admin_client, member):
    form = {"username": "mira", "email": "new@example.org", "is_active": "on", "is_staff": "on"}
    form |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    answer = admin_client.post(f"/admin/auth/user/{member.pk}/change/", form)
    assert answer.status_code == 302, answer.content
    event = AuditEvent.objects.get(action="user.changed")
    assert (event.actor_name, event.target) == ("root", f"user:{member.pk} mira")
    assert {"email", "is_staff"} <= set(event.detail["fields"])
    admin_client.post(f"/admin/auth/user/{member.pk}/delete/", {"post": "yes"})
    assert not User.objects.filter(pk=member.pk).exists()
    assert AuditEvent.objects.get(action="user.deleted").target == f"user:{member.pk} mira"


def account_form(user, **more):
    form = {"username": user.username, "email": user.email, "is_active": "on", "is_staff": "on"}
    return form | {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"} | more


def is_staff_still(user):
    return User.objects.filter(pk=user.pk, is_active=True, is_staff=True).exists()


@pytest.mark.parametrize("lost", ["is_active", "is_staff"])
def test_nobody_takes_their_own_rights_by_hand(admin_client, lost):
    root = User.objects.get(username="root")
    User.objects.create_user("sue", is_staff=True)
    form = account_form(root, is_superuser="on")
    del form[lost]
    page = admin_client.post(f"/admin/auth/user/{root.pk}/change/", form, follow=True)
    assert "Your own account" in page.content.decode()
    page = admin_client.post(f"/admin/auth/user/{root.pk}/delete/", {"post": "yes"}, follow=True)
    assert "Your own account" in page.content.decode()
    selected = {"action": "delete_selected", "_selected_action": [root.pk], "post": "yes"}
    page = admin_client.post("/admin/auth/user/", selected, follow=True)
    assert "Your own account" in page.content.decode()
    assert is_staff_still(root)
    assert not AuditEvent.objects.filter(action__startswith="user.").exists()


def test_of_accounts_that_are_deleted_together_all_go_or_none(admin_client, member):
    root = User.objects.get(username="root")
    selected = {"_selected_action": [member.pk, root.pk], "action": "delete_selected"}
    admin_client.post("/admin/auth/user/", {**selected, "post": "yes"}, follow=True)
    assert User.objects.filter(pk__in=[member.pk, root.pk]).count() == 2
    assert not AuditEvent.objects.filter(action="user.deleted").exists()


def test_password_that_staff_set_stands_in_the_audit(admin_client, member):
    address = f"/admin/auth/user/{member.pk}/password/"
    new = {"password1": "long-enough-4711", "password2": "long-enough-4711"}
    assert admin_client.get(address).status_code == 200
    admin_client.post(address, {**new, "password2": "another", "usable_password": "true"})
    assert not AuditEvent.objects.filter(action="user.password_set").exists()
    sent = {**new, "usable_password": "true", "set-password": "1"}
    assert admin_client.post(address, sent).status_code == 302
    event = AuditEvent.objects.get(action="user.password_set")
    assert (event.actor_name, event.target) == ("root", f"user:{member.pk} mira")
    assert "4711" not in str(event.detail)
