"""The whole walk with FastMCP's own OAuth client: from a 401 to a call as a member, and on."""

import asyncio
import re

import httpx
import pytest
from fastmcp import Client
from fastmcp.client.auth import OAuth
from key_value.aio.stores.memory import MemoryStore

from tests.deploy.stack import answers
from tests.services import free_port
from tests.web.accounts.installation import Installation
from tests.web.accounts.person import Person

PASSWORD = "correct horse battery"
# The walk is over before the store is lost.
pytestmark = pytest.mark.filterwarnings("ignore:Using in-memory token storage")


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    with Installation(tmp_path_factory.mktemp("installation")).running() as running:
        yield running


@pytest.fixture
def person(installation):
    """Somebody who signs up with an invitation, by hand, and is signed in then."""
    number = free_port()
    link = installation.invitation()
    person = Person(installation.url)
    page = person.open(link)
    form = {"password": PASSWORD, "password_again": PASSWORD, "time_zone": "Europe/Berlin"}
    page = person.press(page, {}, username=f"walker{number}", **form)
    assert "Your account is ready" in page.text
    person.name = f"walker{number}"
    yield person
    person.http.close()


class HandDrivenOAuth(OAuth):
    """FastMCP's client; where it would open a browser, the person decides."""

    def __init__(self, person, *arguments, decision="allow", **options):
        super().__init__(*arguments, callback_port=free_port(), **options)
        self.person = person
        self.decision = decision
        self.pages = []

    async def redirect_handler(self, authorization_url):
        def decide():
            page = self.person.open(authorization_url)
            self.pages.append(page.text)
            button = {"allow": "true"} if self.decision == "allow" else {}
            return self.person.press(page, button).headers["Location"]

        callback = await asyncio.to_thread(decide)
        self.visit = asyncio.create_task(visit(callback))


async def visit(callback):
    """Come back to the client's own address, once it listens there."""
    async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
        for _ in range(200):
            try:
                return await http.get(callback)
            except httpx.ConnectError:
                await asyncio.to_thread(answers, callback.partition("?")[0] + "-is-it-there")
        raise AssertionError("the client never listened at its redirect address")


async def whoami(url, auth):
    async with Client(url, auth=auth) as client:
        return (await client.call_tool("whoami")).data


@pytest.mark.parametrize("spelling", ["/mcp/lesson", "/mcp/lesson/"])
async def test_an_mcp_client_discovers_registers_asks_and_calls(installation, person, spelling):
    storage = MemoryStore()
    url = installation.url + spelling
    auth = HandDrivenOAuth(person, client_name="Walk", token_storage=storage)
    assert await whoami(url, auth) == f"{person.name} project Walk"
    assert "Give “Walk” access?" in auth.pages[0]
    assert f"{installation.url}/mcp/lesson" in auth.pages[0]

    again = HandDrivenOAuth(person, client_name="Walk", token_storage=storage)
    assert await whoami(url, again) == f"{person.name} project Walk"
    assert again.pages == [], "the stored token was enough"


async def test_after_disconnecting_the_client_is_asked_again_at_once(installation, person):
    storage = MemoryStore()
    url = f"{installation.url}/mcp/lesson/"
    auth = HandDrivenOAuth(person, client_name="Walk", token_storage=storage)
    await whoami(url, auth)
    account = person.open("/accounts/")
    done = person.press(account, {})
    assert "its access ended just now" in done.text
    again = HandDrivenOAuth(person, client_name="Walk", token_storage=storage)
    assert await whoami(url, again) == f"{person.name} project Walk"
    assert len(again.pages) == 1


async def test_an_expired_token_is_renewed_without_asking_after_a_restart(installation, person):
    storage = MemoryStore()
    url = f"{installation.url}/mcp/lesson/"
    auth = HandDrivenOAuth(person, client_name="Walk", token_storage=storage)
    await whoami(url, auth)
    stored = await auth.token_storage_adapter.get_tokens()
    await auth.token_storage_adapter.set_tokens(stored.model_copy(update={"expires_in": -1}))
    again = HandDrivenOAuth(person, client_name="Walk", token_storage=storage)
    assert await whoami(url, again) == f"{person.name} project Walk"
    renewed = await again.token_storage_adapter.get_tokens()
    assert again.pages == []
    assert renewed.access_token != stored.access_token
    assert renewed.refresh_token != stored.refresh_token


async def test_a_refusal_reaches_the_client(installation, person):
    url = f"{installation.url}/mcp/lesson/"
    auth = HandDrivenOAuth(
        person, client_name="Walk", token_storage=MemoryStore(), decision="refuse"
    )
    with pytest.raises(Exception, match="Access was denied"):
        await whoami(url, auth)


async def test_a_personal_token_needs_no_browser(installation, person):
    made = installation.manage("create_token", person.name, "--name", "ci", "--scopes", "project")
    assert re.fullmatch(r"ptl_\S+\n", made)
    assert (
        await whoami(f"{installation.url}/mcp/lesson/", made.strip()) == f"{person.name} project ci"
    )
