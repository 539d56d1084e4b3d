"""The staff's server: who gets in, and with which answer everyone else stays outside."""

import re

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model

from mcp_sidecar.servers.exchange import Exchange
from mcp_sidecar.servers.operations import OPERATIONS
from mcp_sidecar.tools.registry import OPERATIONS_TOOLS
from tests.mcp_sidecar.conftest import refusal
from tests.mcp_sidecar.test_tokens import METADATA, bearer, made
from tests.messages import LIST_TOOLS, PING

PATHS = ("/mcp/operations", "/mcp/operations/")
NAMES = [tool.contract.name for tool in OPERATIONS_TOOLS]


def challenge_of(answer):
    """The parameters of a challenge by name."""
    scheme, _, parameters = answer.headers["www-authenticate"].partition(" ")
    assert scheme == "Bearer"
    return dict(re.findall(r'(\w+)="([^"]*)"', parameters))


@pytest.mark.parametrize("path", PATHS)
async def test_staff_see_the_tools_in_both_spellings(client, path):
    _, secret, _ = await made("stan", "operations", is_staff=True)
    answer = await client.post(path, LIST_TOOLS, **bearer(secret))
    assert [tool["name"] for tool in answer.json()["result"]["tools"]] == NAMES
    assert "location" not in answer.headers


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", [PING, [PING, LIST_TOOLS], [], "no JSON"])
async def test_without_a_token_there_is_one_401_that_leads_to_one(client, path, body, settings):
    answer = await client.post(path, body)
    assert refusal(answer) == (401, "token_required")
    challenge = challenge_of(answer)
    assert challenge["scope"] == "operations"
    assert challenge["resource_metadata"] == f"{settings.PUBLIC_URL}{METADATA}{path}"
    assert "error" not in challenge  # RFC 6750 section 3.1: nothing was sent that could be wrong
    found = await client.http.get(f"{METADATA}{path}")
    assert found.json()["resource"] == f"{settings.PUBLIC_URL}{path}"
    assert found.json()["scopes_supported"] == ["operations"]


async def test_the_token_of_a_github_user_is_no_account(client):
    answer = await client.post(PATHS[0], PING, **bearer("ghp_0123456789abcdefghij"))
    assert refusal(answer) == (401, "token_required")


async def test_a_wrong_token_is_invalid(client):
    answer = await client.post(PATHS[0], PING, **bearer("ptl_nonsense"))
    assert answer.status_code == 401
    assert challenge_of(answer)["error"] == "invalid_token"


@pytest.mark.parametrize("staff", [True, False])
async def test_a_token_without_the_scope_is_good_but_not_enough(client, staff):
    _, secret, _ = await made("ann", "project", "work", is_staff=staff)
    answer = await client.post(PATHS[1], LIST_TOOLS, **bearer(secret))
    assert refusal(answer) == (403, "insufficient_scope")
    challenge = challenge_of(answer)
    assert (challenge["error"], challenge["scope"]) == ("insufficient_scope", "operations")
    assert (await client.post("/mcp/", PING, **bearer(secret))).status_code == 200


async def test_who_is_staff_no_longer_is_refused_at_once_and_stays_a_member(client):
    user, secret, _ = await made("stan", "project", "operations", is_staff=True)
    assert (await client.post(PATHS[0], LIST_TOOLS, **bearer(secret))).status_code == 200
    await get_user_model().objects.filter(pk=user.pk).aupdate(is_staff=False)
    refused = await client.post(PATHS[0], LIST_TOOLS, **bearer(secret))
    assert (refused.status_code, challenge_of(refused)["error"]) == (401, "invalid_token")
    assert (await client.post("/mcp/", PING, **bearer(secret))).status_code == 200


async def test_a_superuser_who_is_not_staff_stays_outside(client):
    _, secret, _ = await made("sue", "project", is_superuser=True)
    assert (await client.post(PATHS[0], LIST_TOOLS, **bearer(secret))).status_code == 403


async def test_an_exchange_without_staff_offers_no_tool(db):
    exchange = Exchange(OPERATIONS)
    assert exchange.tools() == ()
    assert exchange.tool("list_users") is None


async def test_instructions_name_every_tool_and_ask_for_a_reason(client):
    _, secret, _ = await made("stan", "operations", is_staff=True)
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    answer = await client.ask("initialize", params, path=PATHS[0], **bearer(secret))
    shown = answer["result"]
    assert shown["serverInfo"]["name"] == "portolan-operations"
    assert all(name in shown["instructions"] for name in NAMES)
    assert "reason" in shown["instructions"]


async def test_services_refuse_who_is_not_staff_whatever_let_the_call_in(db):
    from web.accounts.principals import ANONYMOUS, Principal
    from web.accounts.selectors.users import user_detail
    from web.core.errors import NotAllowed

    for principal in (ANONYMOUS, Principal(user_id=1, is_member=True)):
        with pytest.raises(NotAllowed):
            await sync_to_async(user_detail)(principal=principal, user_id=1)
