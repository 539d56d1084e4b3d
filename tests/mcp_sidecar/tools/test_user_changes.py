"""Staff change many accounts at once: with a scope, a reason and a dry run, all or nothing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import connections
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from web.accounts.models import AuditEvent, OAuthClient, PersonalAccessToken
from web.accounts.records import COMMAND_LINE, Actor
from web.accounts.secrets import access_token, refresh_token
from web.accounts.selectors import principal_for_token
from web.accounts.services.revocation import access_revoke
from web.accounts.services.tokens import token_create
from web.accounts.services.users import users_set_active
from web.core.clock import now
from web.core.errors import Conflict, NotAllowed

LESSON = "http://127.0.0.1:8080/mcp/lesson"
REASON = {"reason": "left the company"}
DEACTIVATE = {"active": False, **REASON}


def user(name, **fields):
    return User.objects.create_user(name, f"{name}@example.org", **fields)


def token(owner):
    return token_create(
        actor=Actor.of(owner), owner=owner, name="t", scopes=["work"], expires_days=None
    )


def connection(owner, *, created=None):
    """An application that acts as the owner; the secret of its access token."""
    client = OAuthClient.objects.create(
        name="Chart reader",
        client_type="public",
        authorization_grant_type="authorization-code",
        redirect_uris="http://127.0.0.1/",
    )
    row = AccessToken(
        user=owner,
        application=client,
        scope="project",
        expires=now() + timedelta(hours=1),
        resource=[LESSON],
    )
    secret = row._raw_token = access_token(None)
    row.save()
    refresh = RefreshToken(user=owner, application=client, access_token=row, resource=[LESSON])
    refresh._raw_token = refresh_token(None)
    refresh.save()
    if created is not None:
        AccessToken.objects.filter(pk=row.pk).update(created=created)
        RefreshToken.objects.filter(pk=refresh.pk).update(created=created)
    return secret


def works(secret):
    return principal_for_token(token=secret, resource=LESSON) is not None


@sync_to_async
def active_names():
    return set(User.objects.filter(is_active=True).values_list("username", flat=True))


@sync_to_async
def audit(action):
    return list(
        AuditEvent.objects.filter(action=action)
        .order_by("pk")
        .values_list("actor_name", "target", "reason")
    )


async def test_accounts_are_deactivated_with_who_and_why(staff):
    ann, ben = [await sync_to_async(user)(name) for name in ("ann", "ben")]
    text = await staff.text("set_users_active", ids=[ben.pk, ann.pk], **DEACTIVATE)
    assert text.startswith("2 accounts deactivated.")
    assert f"ids: {ann.pk}, {ben.pk}" in text
    assert "ann" not in text
    assert await active_names() == {"stan"}
    assert await audit("user.deactivated") == [
        ("stan", f"user:{ann.pk} ann", "left the company"),
        ("stan", f"user:{ben.pk} ben", "left the company"),
    ]


async def test_a_repetition_changes_nothing_and_writes_no_audit(staff):
    ann = await sync_to_async(user)("ann")
    await staff.text("set_users_active", ids=[ann.pk], **DEACTIVATE)
    text = await staff.text("set_users_active", ids=[ann.pk], **DEACTIVATE)
    assert text.startswith("0 accounts deactivated.\nOf the scope, 1 account already inactive.")
    assert len(await audit("user.deactivated")) == 1
    again = await staff.text("set_users_active", ids=[ann.pk], active=True, reason="came back")
    assert again.startswith("1 account activated.")
    assert await active_names() == {"stan", "ann"}


async def test_a_dry_run_tells_and_changes_nothing(staff):
    ann = await sync_to_async(user)("ann")
    await sync_to_async(token)(ann)
    await sync_to_async(connection)(ann)
    for dry_run in (True, "true"):
        text = await staff.text("set_users_active", ids=[ann.pk], dry_run=dry_run, **DEACTIVATE)
        assert text.startswith("Dry run, nothing was changed. 1 account would be deactivated.")
        assert "1 token and 1 application of them stop working" in text
    text = await staff.text("revoke_tokens", user_ids=[ann.pk], dry_run=True, **REASON)
    assert "1 token and 1 application of 1 account would be revoked." in text
    assert await active_names() == {"stan", "ann"}
    assert await audit("user.deactivated") == await audit("access.revoked") == []
    assert await PersonalAccessToken.objects.filter(revoked_at=None).acount() == 1


@pytest.mark.parametrize("value", ["yes", "True", 1, 0, "0", "false ", [False], {"a": 1}, "on"])
@pytest.mark.parametrize("switch", ["dry_run", "active"])
async def test_a_switch_is_true_or_false_and_nothing_like_it(staff, switch, value):
    ann = await sync_to_async(user)("ann")
    arguments = {"ids": [ann.pk], **DEACTIVATE, switch: value}
    assert f"{switch}: " in await staff.error("set_users_active", **arguments)
    assert await active_names() == {"stan", "ann"}


@pytest.mark.parametrize(
    "scope",
    [
        {},
        {"ids": None},
        {"ids": []},
        {"ids": "[]"},
        {"ids": [0]},
        {"ids": [-1]},
        {"ids": ["all"]},
        {"ids": list(range(1, 102))},
        {"ids": [2, 2]},
        {"ids": [True]},
        {"last_login_before": "2999-01-01"},
        {"last_login_before": "long ago"},
        {"last_login_before": ""},
        {"ids": [2], "last_login_before": "2026-01-01"},
        {"search": "ann"},
    ],
)
async def test_without_an_explicit_scope_nothing_is_changed(staff, scope):
    await sync_to_async(user)("ann", date_joined=now() - timedelta(days=900))
    error = await staff.error("set_users_active", **DEACTIVATE, **scope)
    assert "(code: invalid_input)" in error
    renamed = {"ids": "user_ids", "last_login_before": "unused_since"}
    scope = {renamed.get(name, name): value for name, value in scope.items()}
    assert "(code: invalid_input)" in await staff.error("revoke_tokens", **REASON, **scope)
    assert await active_names() == {"stan", "ann"}


@pytest.mark.parametrize("reason", [None, "", "   ", "\u200b", "x" * 501])
async def test_without_a_reason_nothing_is_changed(staff, reason):
    ann = await sync_to_async(user)("ann")
    for tool, scope in (("set_users_active", {"ids": [ann.pk], "active": False}),
                        ("revoke_tokens", {"user_ids": [ann.pk]})):  # fmt: skip
        assert "reason" in await staff.error(tool, reason=reason, **scope)
    assert await active_names() == {"stan", "ann"}


async def test_one_unknown_id_stops_all(staff):
    ann = await sync_to_async(user)("ann")
    for unknown in (9_999, 2**31 - 1):
        error = await staff.error("set_users_active", ids=[ann.pk, unknown], **DEACTIVATE)
        assert str(unknown) in error
        assert "(code: not_found)" in error
        await staff.error("revoke_tokens", user_ids=[ann.pk, unknown], **REASON)
    assert await active_names() == {"stan", "ann"}


async def test_the_own_account_is_never_touched(staff):
    ann = await sync_to_async(user)("ann", is_staff=True)
    for active in (True, False):
        ids = [ann.pk, staff.user_id]
        error = await staff.error("set_users_active", ids=ids, active=active, **REASON)
        assert "(code: not_allowed)" in error
    error = await staff.error("revoke_tokens", user_ids=[staff.user_id], **REASON)
    assert "(code: not_allowed)" in error
    assert await active_names() == {"stan", "ann"}


async def test_a_filter_takes_everyone_who_has_not_been_here_but_the_caller(staff):
    long_ago = now() - timedelta(days=400)
    await User.objects.filter(username="stan").aupdate(last_login=long_ago)
    await sync_to_async(user)("old", last_login=long_ago)
    await sync_to_async(user)("never", date_joined=long_ago)
    await sync_to_async(user)("gone", last_login=long_ago, is_active=False)
    await sync_to_async(user)("fresh", last_login=now(), date_joined=long_ago)
    before = (now() - timedelta(days=100)).date().isoformat()
    text = await staff.text("set_users_active", last_login_before=before, **DEACTIVATE)
    assert text.startswith("2 accounts deactivated.\nOf the scope, 1 account already inactive.")
    assert await active_names() == {"stan", "fresh"}
    nobody = await staff.text("set_users_active", last_login_before="1999-01-01", **DEACTIVATE)
    assert nobody.startswith("0 accounts deactivated.\nOf the scope, 0 accounts already inactive.")


async def test_ten_thousand_accounts_are_one_change_with_a_short_answer(staff):
    long_ago = now() - timedelta(days=400)
    rows = [User(username=f"u{number}", date_joined=long_ago) for number in range(10_000)]
    await sync_to_async(User.objects.bulk_create)(rows, batch_size=500)
    before = (now() - timedelta(days=100)).date().isoformat()
    text = await staff.text("set_users_active", last_login_before=before, **DEACTIVATE)
    assert text.startswith("10000 accounts deactivated.")
    assert "and 9990 more" in text
    assert len(text) < 1_000
    assert await active_names() == {"stan"}
    assert len(await audit("user.deactivated")) == 10_000


async def test_deactivation_and_revocation_end_tokens_and_applications_at_once(staff):
    ann, ben = [await sync_to_async(user)(name) for name in ("ann", "ben")]
    made = await sync_to_async(token)(ann)
    secrets = [made.secret, await sync_to_async(connection)(ann)]
    others = [(await sync_to_async(token)(ben)).secret, await sync_to_async(connection)(ben)]

    async def working(some):
        return [await sync_to_async(works)(secret) for secret in some]

    await staff.text("set_users_active", ids=[ann.pk], **DEACTIVATE)
    assert await working(secrets) == [False, False]
    await staff.text("set_users_active", ids=[ann.pk], active=True, **REASON)
    assert await working(secrets) == [True, True]
    text = await staff.text("revoke_tokens", user_ids=[ann.pk], **REASON)
    assert text.startswith("1 token and 1 application of 1 account revoked.")
    assert f"tokens: {made.token.token_id}" in text
    assert await working(secrets + others) == [False, False, True, True]
    assert await RefreshToken.objects.filter(user=ann, revoked=None).acount() == 0
    again = await staff.text("revoke_tokens", user_ids=[ann.pk], **REASON)
    assert again.startswith("0 tokens and 0 applications of 0 accounts revoked.")
    assert await audit("access.revoked") == [("stan", f"user:{ann.pk} ann", "left the company")]


async def test_a_code_on_its_way_ends_with_the_access_of_its_account(staff):
    ann = await sync_to_async(user)("ann")
    await sync_to_async(connection)(ann)
    client = await OAuthClient.objects.aget()
    await Grant.objects.acreate(
        user=ann, code="c", application=client, expires=now() + timedelta(minutes=1),
        redirect_uri="http://127.0.0.1/", scope="project",
    )  # fmt: skip
    await staff.text("revoke_tokens", user_ids=[ann.pk], **REASON)
    assert await Grant.objects.acount() == 0


async def test_what_nobody_uses_is_revoked_by_its_last_use(staff):
    ann = await sync_to_async(user)("ann")
    stan = await User.objects.aget(username="stan")
    old, young, used = [await sync_to_async(token)(ann) for _ in range(3)]
    own = await sync_to_async(token)(stan)
    long_ago = now() - timedelta(days=400)
    made = PersonalAccessToken.objects
    await made.exclude(pk=young.token.token_id).aupdate(created_at=long_ago)
    await made.filter(pk=used.token.token_id).aupdate(last_used_at=now())
    idle = await sync_to_async(connection)(ann, created=long_ago)
    alive = await sync_to_async(connection)(ann)
    since = (now() - timedelta(days=100)).date().isoformat()
    text = await staff.text("revoke_tokens", unused_since=since, **REASON)
    assert text.startswith("1 token and 1 application of 1 account revoked.")
    kept = [young.secret, used.secret, own.secret, alive]
    assert [await sync_to_async(works)(secret) for secret in (old.secret, idle, *kept)] == [
        False,
        False,
        True,
        True,
        True,
        True,
    ]


async def test_who_lost_staff_since_the_request_began_changes_nothing(staff):
    ann = await sync_to_async(user)("ann")
    await User.objects.filter(username="stan").aupdate(is_staff=False)
    for tool, scope in (("set_users_active", {"ids": [ann.pk], "active": False}),
                        ("revoke_tokens", {"user_ids": [ann.pk]})):  # fmt: skip
        assert "(code: not_allowed)" in await staff.error(tool, **scope, **REASON)
    assert await active_names() == {"stan", "ann"}


async def test_the_audit_is_read_by_actor_action_target_and_time(staff):
    ann = await sync_to_async(user)("ann")
    await staff.text("set_users_active", ids=[ann.pk], **DEACTIVATE)
    await staff.text("set_users_active", ids=[ann.pk], active=True, reason="came `back`")
    filters_of_both = (
        {"actor": "STAN"},
        {"action": "user"},
        {"target": "ANN"},
        {"since": "2020-01-01"},
    )
    for filters in filters_of_both:
        text = await staff.text("list_audit_entries", **filters)
        assert "total_count: 2 entries; shown: 2" in text, filters
    newest = text.index("`user.activated`")
    assert newest < text.index("`user.deactivated`")
    assert "`` came `back` ``" in text
    first = await staff.text("list_audit_entries", action="user", limit=1)
    cursor = first.rpartition('cursor="')[2].partition('"')[0]
    await staff.text("set_users_active", ids=[ann.pk], **DEACTIVATE)  # a new entry moves no page
    second = await staff.text("list_audit_entries", action="user", limit=1, cursor=cursor)
    assert "`user.deactivated`" in second
    assert "truncated" not in second
    assert "does not belong" in await staff.error("list_audit_entries", cursor=cursor)
    assert "Actions in the audit are: " in await staff.error("list_audit_entries", action="use")


@pytest.mark.django_db(transaction=True)
def test_the_command_line_cannot_leave_the_installation_without_staff():
    only = user("stan", is_staff=True)
    user("root", is_superuser=True)  # may sign in, but is not staff
    with pytest.raises(Conflict, match="No active member of the staff"):
        users_set_active(
            actor=COMMAND_LINE,
            ids=[only.pk],
            last_login_before=None,
            active=False,
            reason="tidy",
            dry_run=False,
        )
    assert User.objects.get(pk=only.pk).is_active


def at_once(*functions):
    """Call the functions at the same moment, each on a connection of its own."""
    together = Barrier(len(functions))

    def run(function):
        try:
            together.wait(60)
            return function()
        except (NotAllowed, Conflict) as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(run, functions))


@pytest.mark.django_db(transaction=True)
def test_of_two_who_deactivate_each_other_at_the_same_moment_one_stays():
    for _ in range(10):
        User.objects.all().delete()
        ann, ben = user("ann", is_staff=True), user("ben", is_staff=True)

        def deactivate(actor, other):
            return lambda: users_set_active(
                actor=Actor.of(actor),
                ids=[other.pk],
                last_login_before=None,
                active=False,
                reason="no, you",
                dry_run=False,
            )

        outcomes = at_once(deactivate(ann, ben), deactivate(ben, ann))
        assert sorted(type(outcome).__name__ for outcome in outcomes) == [
            "NotAllowed",
            "UsersChanged",
        ]
        assert User.objects.filter(is_active=True, is_staff=True).count() == 1
        assert AuditEvent.objects.filter(action="user.deactivated").count() == 1
        AuditEvent.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_changes_of_the_same_accounts_in_opposite_order_never_wait_for_each_other_in_a_circle():
    stan, sue = user("stan", is_staff=True), user("sue", is_staff=True)
    owners = [user(f"u{number}") for number in range(30)]
    ids = [owner.pk for owner in owners]

    def change(actor, order, active):
        return lambda: users_set_active(
            actor=Actor.of(actor), ids=order, last_login_before=None, active=active,
            reason="flip", dry_run=False,
        )  # fmt: skip

    def revoke(actor, order):
        return lambda: access_revoke(
            actor=Actor.of(actor), user_ids=order, unused_since=None, reason="flip", dry_run=False
        )

    for _ in range(5):
        for owner in owners:
            token(owner)
        outcomes = at_once(
            change(stan, ids, False),
            change(sue, ids[::-1], True),
            revoke(stan, ids),
            revoke(sue, ids[::-1]),
        )
        assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert not PersonalAccessToken.objects.filter(revoked_at=None).exists()


def test_every_tool_that_changes_something_says_so():
    from mcp_sidecar.contract.operations import CONTRACTS

    hints = {one.name: one.hints for one in CONTRACTS if not one.hints.read_only}
    assert {"set_users_active", "revoke_tokens", "sync_repository"} <= set(hints)
    assert [name for name, hint in hints.items() if hint.destructive] == ["revoke_tokens"]
    assert all(hint.idempotent for hint in hints.values())
