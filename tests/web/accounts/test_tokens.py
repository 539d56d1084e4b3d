"""Personal access tokens: made, shown once, used, revoked."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from web.accounts.models import AuditEvent, PersonalAccessToken
from web.accounts.records import Actor
from web.accounts.selectors import principal_for_token, principal_for_user, principal_of, principals
from web.accounts.services.profiles import profile_update
from web.accounts.services.tokens import token_create, token_revoke
from web.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from web.core.limits import LIMITS

pytestmark = pytest.mark.django_db
PROJECT = "http://127.0.0.1:8080/mcp/"


def make(owner, *, name="laptop", scopes=("project", "work"), days=None):
    actor = Actor.of(owner)
    return token_create(actor=actor, owner=owner, name=name, scopes=scopes, expires_days=days)


def test_a_token_is_its_members_with_its_scopes(member):
    profile_update(actor=Actor.of(member), user=member, time_zone="Asia/Tokyo")
    made = make(member)
    assert re.fullmatch(r"ptl_[A-Za-z0-9_-]{43}", made.secret)
    for resource in (PROJECT, None, "http://127.0.0.1:8080/mcp/lesson/"):
        principal = principal_for_token(token=made.secret, resource=resource)
        assert principal.user_id == member.pk
        assert principal.scopes == {"project", "work"}
        assert (principal.is_member, principal.is_staff) == (True, False)
        assert (principal.username, principal.time_zone) == ("mira", "Asia/Tokyo")
        assert principal.client_name == "laptop"
        assert principal.credential == f"personal:{made.token.token_id}"


@pytest.mark.parametrize(
    "token", ["", "ptl_", "ptl_x", "pto_x", "ptl_\0", "ptl_\udc80", "x" * 100_000, "ptl_é"]
)
def test_what_is_no_token_is_nobodys(db, token):
    assert principal_for_token(token=token, resource=PROJECT) is None


def test_only_the_digest_is_stored(member):
    made = make(member)
    row = PersonalAccessToken.objects.get()
    assert made.secret not in str(vars(row))
    assert row.hint == made.secret[:8]


def test_expiry_revocation_and_deactivation_take_effect_at_once(member, monkeypatch):
    expiring, revoked, kept = make(member, days=1), make(member), make(member)
    token_revoke(actor=Actor.of(member), owner_id=member.pk, token_id=revoked.token.token_id)
    assert principal_for_token(token=revoked.secret, resource=PROJECT) is None
    assert principal_for_token(token=expiring.secret, resource=PROJECT)
    later = principals.now() + timedelta(days=1)
    monkeypatch.setattr(principals, "now", lambda: later)
    assert principal_for_token(token=expiring.secret, resource=PROJECT) is None
    assert principal_for_token(token=kept.secret, resource=PROJECT)
    member.is_active = False
    member.save()
    assert principal_for_token(token=kept.secret, resource=PROJECT) is None


def test_only_staff_hold_the_operations_scope(member, staff):
    with pytest.raises(NotAllowed):
        make(member, scopes=["operations"])
    token = make(staff, scopes=["operations", "project"]).secret
    assert principal_for_token(token=token, resource=None).allows("operations")
    staff.is_staff = False
    staff.save()
    principal = principal_for_token(token=token, resource=None)
    assert (principal.is_staff, principal.scopes) == (False, {"project"})


def test_asking_costs_one_query_and_the_last_use_one_write_a_minute(member, monkeypatch):
    token = make(member).secret
    with CaptureQueriesContext(
        connection,
    ) as first:
        principal_for_token(token=token, resource=PROJECT)
    assert sum("UPDATE" in query["sql"] for query in first) == 1
    noted = PersonalAccessToken.objects.get().last_used_at
    with CaptureQueriesContext(connection) as second:
        principal_for_token(token=token, resource=PROJECT)
    assert len(second) == 1
    assert second[0]["sql"].startswith("SELECT")
    later = noted + timedelta(seconds=61)
    monkeypatch.setattr(principals, "now", lambda: later)
    principal_for_token(token=token, resource=PROJECT)
    assert PersonalAccessToken.objects.get().last_used_at == later


def test_both_look_ups_use_an_index(member):
    with CaptureQueriesContext(connection) as asked:
        principal_for_token(token="ptl_x", resource=PROJECT)
        principal_for_token(token="pto_x", resource=PROJECT)
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        if not is_sqlite:
            cursor.execute("SET LOCAL enable_seqscan = off")  # the tables are empty
        for query in asked:
            cursor.execute(f"EXPLAIN {'QUERY PLAN ' if is_sqlite else ''}{query['sql']}")
            plan = " ".join(str(row) for row in cursor.fetchall())
            assert ("SCAN" if is_sqlite else "Seq Scan") not in plan, plan


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "\u200b"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes"),
        ({"days": 0}, "expires_days"),
        ({"days": 99_999}, "expires_days"),
    ],
)
def test_a_token_that_will_not_do_is_refused_by_field(member, changes, field):
    with pytest.raises(InvalidInput) as caught:
        make(member, **changes)
    assert set(caught.value.fields) == {field}
    assert not PersonalAccessToken.objects.exists()


def test_tokens_are_bounded_and_a_refused_one_leaves_nothing(member):
    for _ in range(LIMITS.max_personal_access_tokens):
        make(member)
    with pytest.raises(Conflict):
        make(member)
    assert PersonalAccessToken.objects.count() == LIMITS.max_personal_access_tokens


def test_nobody_revokes_someone_elses_token(member, staff):
    made = make(member)
    with pytest.raises(NotFound):
        token_revoke(actor=Actor.of(staff), owner_id=staff.pk, token_id=made.token.token_id)
    assert principal_for_token(token=made.secret, resource=None)


def test_tokens_are_audited_without_their_secret(member):
    made = make(member)
    token_revoke(
        actor=Actor.of(member, address="192.0.2.3"),
        owner_id=member.pk,
        token_id=made.token.token_id,
        reason="lost laptop",
    )
    created, revoked = AuditEvent.objects.order_by("pk")
    assert (created.action, revoked.action) == ("token.created", "token.revoked")
    assert (revoked.address, revoked.reason) == ("192.0.2.3", "lost laptop")
    assert made.secret not in f"{vars(created)}{vars(revoked)}"


def test_the_command_prints_the_token_alone(member, staff):
    out = StringIO()
    call_command("create_token", "mira", name="ci", scopes="project,work", expires=30, stdout=out)
    principal = principal_for_token(token=out.getvalue().strip(), resource=None)
    assert principal.scopes == {"project", "work"}
    for arguments in (
        {"user": "nobody", "scopes": "project"},
        {"user": "mira", "scopes": "operations"},
        {"user": "mira", "scopes": "all"},
    ):
        user, scopes = arguments["user"], arguments["scopes"]
        with pytest.raises(CommandError):
            call_command("create_token", user, name="ci", scopes=scopes, stdout=out)


def test_a_user_of_this_machine_holds_every_scope_it_may(member, staff):
    assert principal_for_user("mira").scopes == {"project", "work"}
    assert principal_for_user("stan").scopes == {"project", "work", "operations"}
    assert principal_of(staff) == principal_for_user("stan")
    member.is_active = False
    member.save()
    for name in ("mira", "nobody"):
        with pytest.raises(NotFound):
            principal_for_user(name)
