"""Real clients meet a 401 and sign a person in: nginx, web and sidecar, Chromium for the person."""

import asyncio
import json

import pytest
from fastmcp import Client
from playwright.async_api import expect

from tests.browser.test_sign_in_and_consent import BrowserOAuth, browser, page  # noqa: F401
from tests.conformance import npm
from tests.deploy.stack import Stack

pytestmark = [
    pytest.mark.services,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:Using in-memory token storage"),
]
PASSWORD = "correct horse battery"
PEOPLE = f"""
from django.contrib.auth.models import User
from web.library.models import Repository
User.objects.create_user("stan", password="{PASSWORD}", is_staff=True)
User.objects.create_user("mira", password="{PASSWORD}")
Repository.objects.create(name="hidden", url="https://git.example/h", visibility="members")
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    npm.install()
    with Stack(tmp_path_factory.mktemp("signed-in")).running() as running:
        running.manage("shell", "--verbosity", "0", "-c", PEOPLE)
        yield running


class TypeScriptClient:
    """The TypeScript SDK's client in a process of its own, up to where a person is needed."""

    def __init__(self, *arguments):
        self.arguments = arguments

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            str(npm.NODE), "sign_in.mjs", *self.arguments, cwd=npm.FOLDER,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        return self

    async def said(self):
        """Return the next line that it printed."""
        async with asyncio.timeout(60):
            line = await self.process.stdout.readline()
        assert line, (await self.process.stderr.read()).decode()
        return json.loads(line)

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


async def sign_in(page, name):  # noqa: F811
    await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    await page.get_by_label("Username").fill(name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()


async def test_the_typescript_client_signs_a_member_of_the_staff_in(installation, page):  # noqa: F811
    url = f"{installation.url}/mcp/operations/"
    async with TypeScriptClient(url, "list_users", "{}") as client:
        await page.goto((await client.said())["visit"])
        await sign_in(page, "stan")
        heading = page.get_by_role("heading", level=1)
        await expect(heading).to_have_text("Give “TypeScript pilot” access?")
        await expect(page.locator("main")).to_contain_text(url.rstrip("/"))
        await page.get_by_role("button", name="Give access").click()
        await expect(page.locator("body")).to_contain_text("You may close this window.")
        answer = await client.said()
    assert "`stan`" in answer.pop("text")
    assert "list_users" in answer.pop("tools")
    assert answer == {
        "refusal": "UnauthorizedError",
        "state": "st4te",
        "issuer": f"{installation.url}/o",
        "scope": "operations",
        "renewed": True,
    }


async def test_a_member_is_told_on_the_consent_page_that_the_server_is_for_staff(
    installation,
    page,  # noqa: F811
):
    async with TypeScriptClient(f"{installation.url}/mcp/operations", "list_users", "{}") as client:
        await page.goto((await client.said())["visit"])
        await sign_in(page, "mira")
        await expect(page.get_by_role("alert")).to_contain_text("Only staff can connect")
        await expect(page.get_by_role("button", name="Give access")).to_have_count(0)


@pytest.mark.parametrize("spelling", ["", "/"])
async def test_a_member_signs_in_by_hand_for_a_repository_that_nobody_else_may_know_of(
    installation,
    page,  # noqa: F811
    spelling,
):
    url = f"{installation.url}/mcp/repositories/hidden{spelling}"
    async with TypeScriptClient(url, "get_repository", "{}", "by-hand") as client:
        await page.goto((await client.said())["visit"])
        await sign_in(page, "mira")
        await page.get_by_role("button", name="Give access").click()
        await expect(page.locator("body")).to_contain_text("You may close this window.")
        answer = await client.said()
    assert "`hidden`" in answer["text"]
    assert answer["scope"] == "project"
    assert "list_repositories" not in answer["tools"]


async def test_fastmcps_client_signs_a_member_of_the_staff_in(installation, page):  # noqa: F811
    async def steps(authorization_url, client_listens):
        await page.goto(authorization_url)
        await sign_in(page, "stan")
        await client_listens()
        await page.get_by_role("button", name="Give access").click()
        await expect(page.locator("body")).to_contain_text("successful")

    auth = BrowserOAuth(steps, client_name="Harbour pilot")
    async with Client(f"{installation.url}/mcp/operations/", auth=auth) as client:
        result = await client.call_tool("list_audit_entries", {"action": "connection"})
    await auth.visit
    assert "`connection.granted`" in result.content[0].text
