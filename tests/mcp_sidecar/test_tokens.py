"""Tokens at the endpoints: whose they are, what they show, and how fast they stop."""

import re

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model

from tests.messages import PING
from web.accounts.records import Actor
from web.accounts.services.tokens import token_create, token_revoke

METADATA = "/.well-known/oauth-protected-resource"


@sync_to_async
def made(username, *scopes, **more):
    """A member with a token: user, secret, id of the token."""
    user, _ = get_user_model().objects.get_or_create(username=username, defaults=more)
    token = token_create(
        actor=Actor(user_id=user.pk, username=user.username),
        owner=user,
        name="test",
        scopes=scopes or ("project",),
        expires_days=None,
    )
    return user, token.secret, token.token.token_id


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}


async def test_a_member_sees_what_is_for_members(client, repositories):
    _, secret, _ = await made("ann")
    url = "/mcp/probes/repositories/hidden/"
    assert (await client.post(url, PING)).status_code == 404
    assert (await client.post(url, PING, **bearer(secret))).status_code == 200
    hidden = {"repository": "hidden"}
    assert (await client.call("probe_echo", hidden))["isError"]
    assert not (await client.call("probe_echo", hidden, **bearer(secret)))["isError"]


async def test_a_token_without_the_scope_shows_what_everyone_sees(client, repositories):
    user, secret, _ = await made("ann", "work")
    url = "/mcp/probes/repositories/hidden/"
    assert (await client.post(url, PING, **bearer(secret))).status_code == 404
    assert await client.text("probe_who", **bearer(secret)) == f"{user.pk} False None"


async def test_the_caller_is_that_of_each_request(client):
    ann, first, _ = await made("ann")
    ben, second, _ = await made("ben")
    for secret, user in ((first, ann), (second, ben)) * 20:
        headers = {**bearer(secret), "mcp_session_id": "the same"}
        assert await client.text("probe_who", **headers) == f"{user.pk} True None"
    assert await client.text("probe_who") == "None False None"


async def test_a_revoked_token_is_refused_at_once(client):
    user, secret, token = await made("ann")
    assert (await client.post("/mcp", PING, **bearer(secret))).status_code == 200
    await sync_to_async(token_revoke)(
        actor=Actor(user_id=user.pk, username=user.username), owner_id=user.pk, token_id=token
    )
    assert (await client.post("/mcp", PING, **bearer(secret))).status_code == 401


async def test_the_token_of_a_deactivated_user_is_refused_at_once(client):
    user, secret, _ = await made("ann")
    assert (await client.post("/mcp", PING, **bearer(secret))).status_code == 200
    await get_user_model().objects.filter(pk=user.pk).aupdate(is_active=False)
    assert (await client.post("/mcp", PING, **bearer(secret))).status_code == 401


async def test_a_github_token_may_stand_beside_an_account_token(client):
    user, secret, _ = await made("ann")
    headers = {**bearer(secret), "x_github_token": "ghp_0123456789abcdefghij"}
    assert await client.text("probe_github", **headers) == "with a token"
    assert await client.text("probe_who", **headers) == f"{user.pk} True None"


@pytest.mark.parametrize(
    "token",
    [
        "ghp_0123456789abcdefghij",
        "gho_0123456789abcdefghij",
        "ghu_0123456789abcdefghij",
        "ghs_12345_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl-_",
        "github_pat_11ABCDEFG0123456789_abcdefghij",
    ],
)
async def test_a_token_of_githubs_form_is_taken_in_either_header(client, token):
    assert await client.text("probe_github", **bearer(token)) == "with a token"
    assert await client.text("probe_github", x_github_token=f" {token} ") == "with a token"


async def test_an_empty_header_is_none(client):
    assert (await client.post("/mcp/", PING, x_github_token="")).status_code == 200


@pytest.mark.parametrize(
    "token", ["nonsense", "ghp_short", "ghr_0123456789abcdefghij", "Bearer ghp_0123456789abcd"]
)
async def test_what_is_no_token_of_github_is_refused_in_its_header(client, token):
    for beside in ({}, bearer((await made("ann"))[1])):
        refused = await client.post("/mcp/", PING, x_github_token=token, **beside)
        assert refused.status_code == 401
        assert refused.json()["error"]["message"].startswith(
            "X-GitHub-Token holds no token of GitHub"
        )


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/lesson/"])
async def test_a_refused_client_finds_the_metadata_of_exactly_its_address(client, path, settings):
    refused = await client.post(path, PING, **bearer("nonsense"))
    address = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])[1]
    assert address == f"{settings.PUBLIC_URL}{METADATA}{path}"
    found = await client.http.get(address.removeprefix(settings.PUBLIC_URL))
    assert found.status_code == 200
    assert found.json()["resource"] == f"{settings.PUBLIC_URL}{path}"


@pytest.mark.parametrize("path", ["", "/", "/nothing", "/mcp/nothing", "/mcp/repositories/UPPER"])
async def test_where_there_is_nothing_to_discover_there_is_a_404_in_json(client, path):
    found = await client.http.get(f"{METADATA}{path}")
    assert (found.status_code, found.json()["error"]) == (404, "not_found")
    assert found.headers["content-type"] == "application/json"


async def test_hidden_and_absent_repositories_differ_in_nothing_but_their_names(
    client, repositories
):
    answers = []
    for name in ("hidden", "absent"):
        path = f"/mcp/probes/repositories/{name}/"
        refused = await client.post(path, PING)
        metadata = await client.http.get(f"{METADATA}/mcp/repositories/{name}/")
        answers.append(
            [
                (one.status_code, one.text.replace(name, "NAME"), challenge.replace(name, "NAME"))
                for one, challenge in (
                    (refused, refused.headers["www-authenticate"]),
                    (metadata, ""),
                )
            ]
        )
    assert answers[0] == answers[1]
    assert [answer[0] for answer in answers[0]] == [404, 200]
    _, secret, _ = await made("ann")
    absent = await client.post("/mcp/probes/repositories/absent/", PING, **bearer(secret))
    assert (absent.status_code, "www-authenticate" in absent.headers) == (404, False)
