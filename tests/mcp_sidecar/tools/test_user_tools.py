"""The tools of staff over accounts, as a model calls them."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from web.accounts.records import Actor
from web.accounts.services.tokens import token_create
from web.core.paging import _fingerprint


@sync_to_async
def user(name, **fields):
    return User.objects.create_user(name, f"{name}@example.org", **fields)


def rows(text):
    return [line for line in text.split("\n") if line.startswith("- id ")]


async def test_list_users_shows_all_accounts_by_default(staff):
    await user("gone", is_active=False)
    text = await staff.text("list_users")
    assert [("gone" in row, "NOT ACTIVE" in row) for row in rows(text)] == [
        (True, True),
        (False, False),
    ]
    assert "filters_applied: none" in text
    assert "total_count: 2 accounts" in text


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"active": True}, ["ann", "stan"]),
        ({"active": "false"}, ["gone"]),
        ({"staff": True}, ["stan"]),
        ({"staff": False, "active": True}, ["ann"]),
        ({"search": "ANN@EXAMPLE"}, ["ann"]),
        ({"search": "  stan "}, ["stan"]),
        ({"search": "%"}, []),
        ({"search": "_"}, []),
        ({"search": "'; DROP TABLE"}, []),
    ],
)
async def test_list_users_takes_filters(staff, filters, expected):
    await user("ann")
    await user("gone", is_active=False)
    found = rows(await staff.text("list_users", **filters))
    assert [name for row in found for name in ("ann", "gone", "stan") if f"`{name}`" in row] == (
        expected
    )


@pytest.mark.parametrize("value", ["yes", 1, "True", [True]])
async def test_a_filter_that_is_no_switch_is_refused(staff, value):
    assert "active: Input should be a valid boolean" in await staff.error(
        "list_users", active=value
    )


@pytest.mark.parametrize("search", ["ÅSA", "åsa", "Åsa", "ÖRTENBLAD", "örten"])
async def test_list_users_finds_names_in_any_script_and_case(staff, search):
    await user("åsa", first_name="Åsa", last_name="Örtenblad Axelsson")
    assert len(rows(await staff.text("list_users", search=search))) >= 1


async def test_accounts_that_never_signed_in_count_from_the_day_they_were_made(staff):
    now = datetime.now(UTC)
    await user("old", last_login=now - timedelta(days=90))
    await user("fresh", last_login=now, date_joined=now - timedelta(days=400))
    await user("never", date_joined=now - timedelta(days=400))
    await user("new", date_joined=now)
    text = await staff.text(
        "list_users", last_login_before=(now - timedelta(days=30)).date().isoformat()
    )
    assert [("`old`" in row, "`never`" in row) for row in rows(text)] == [
        (False, True),
        (True, False),
    ]


async def test_pages_go_on_without_a_gap_and_a_cursor_keeps_to_its_filters(staff):
    await sync_to_async(User.objects.bulk_create)(
        [User(username=f"user{number:05}", email="x" * 200 + "@e.org") for number in range(1_200)]
    )
    seen, cursor = [], None
    while True:
        arguments = {"limit": 500} | ({"cursor": cursor} if cursor else {})
        text = await staff.text("list_users", **arguments)
        assert len(text) <= 40_000
        seen += [row.split("`")[1] for row in rows(text)]
        if 'cursor="' not in text:
            break
        cursor = text.rpartition('cursor="')[2].partition('"')[0]
        assert "does not belong" in await staff.error("list_users", cursor=cursor, staff=True)
    assert seen == ["stan", *(f"user{number:05}" for number in range(1_200))]


async def test_get_user_shows_tokens_and_what_was_done_never_a_secret(staff):
    ann = await user("ann")
    made = await sync_to_async(token_create)(
        actor=Actor.of(ann), owner=ann, name="lap`top", scopes=["work"], expires_days=None
    )
    text = await staff.text("get_user", user_id=ann.pk)
    assert f"token {made.token.token_id}: ``lap`top``, scopes work" in text
    assert "`token.created`" in text
    assert "1 token" in text
    assert made.secret[4:12] not in text
    assert made.token.hint not in text


@pytest.mark.parametrize("user_id", [10_000, 2**31 - 1])
async def test_an_id_that_is_no_account_is_not_found(staff, user_id):
    assert "(code: not_found)" in await staff.error("get_user", user_id=user_id)


@pytest.mark.parametrize("user_id", [0, -1, 2**31, 2**70, "stan", 1.5, True, None, [1]])
async def test_an_id_that_can_be_no_account_is_invalid(staff, user_id):
    assert "user_id: " in await staff.error("get_user", user_id=user_id)


@pytest.mark.parametrize("place", ["9" * 16, "9" * 30, "-1", "1e3", "\u0663", "", " 5"])
async def test_a_cursor_that_somebody_made_up_is_refused(staff, place):
    names = ("active", "staff", "search", "last_login_before")
    text = f"{place}:{_fingerprint(dict.fromkeys(names))}"
    cursor = urlsafe_b64encode(text.encode()).decode().rstrip("=")
    assert "does not belong" in await staff.error("list_users", cursor=cursor)


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
@pytest.mark.parametrize(
    ("tool", "name"), [("list_users", "last_login_before"), ("list_audit_entries", "since")]
)
async def test_an_instant_beyond_the_calendar_is_refused(staff, tool, name, instant):
    assert f"{name}: Input should be an ISO 8601" in await staff.error(tool, **{name: instant})
