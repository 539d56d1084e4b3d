"""A real Chromium signs up, signs in and consents, for FastMCP's own OAuth client.

Screenshots go to the folder that PORTOLAN_SCREENSHOTS names; docs/screenshots holds those of the
documentation.
"""

import asyncio
import os

import pytest
import pytest_asyncio
from fastmcp import Client
from fastmcp.client.auth import OAuth
from key_value.aio.stores.memory import MemoryStore
from playwright.async_api import expect

from tests.browser.chromium import LONG_MILLISECONDS, running_chromium
from tests.deploy.stack import answers
from tests.services import free_port
from tests.web.accounts.installation import Installation

pytestmark = [
    pytest.mark.services,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("ignore:Using in-memory token storage"),
]
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    with Installation(tmp_path_factory.mktemp("browser")).running() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    """A Chromium for all tests of the module."""
    async with running_chromium() as started:
        yield started


@pytest_asyncio.fixture(loop_scope="module")
async def page(installation, browser):
    """A page without any past; what it complains of or asks of other sites fails the test."""
    context = await browser.new_context(viewport={"width": 900, "height": 760})
    async with context:
        page = await context.new_page()
        page.set_default_timeout(LONG_MILLISECONDS)
        expect.set_options(timeout=LONG_MILLISECONDS)
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda line: _note(page, installation, line.location["url"], line.text))
        page.on(
            "request",
            lambda request: _note(page, installation, request.frame.url, _foreign(request.url)),
        )
        yield page
        assert page.complaints == []


def _note(page, installation, source, complaint):
    """Keep a complaint about one of our pages; what a client shows is its own affair."""
    if complaint and source.startswith(installation.url):
        page.complaints.append(complaint)


def _foreign(url):
    return "" if url.startswith(("http://127.0.0.1:", "http://localhost:", "data:")) else url


async def photograph(page, name):
    if folder := os.environ.get("PORTOLAN_SCREENSHOTS"):
        await page.screenshot(path=f"{folder}/{name}.png")


class BrowserOAuth(OAuth):
    """FastMCP's client; its redirect goes to our browser, where `steps` decides."""

    def __init__(self, steps, *arguments, **options):
        own = {"callback_port": free_port(), "token_storage": MemoryStore()}
        super().__init__(*arguments, callback_timeout=60, **own, **options)
        self.steps = steps

    async def redirect_handler(self, authorization_url):
        self.visit = asyncio.create_task(self.steps(authorization_url, self._listens))

    async def _listens(self):
        """Return once the client listens at its redirect address."""
        address = f"http://localhost:{self.redirect_port}/is-it-there"
        while not await asyncio.to_thread(answers, address):
            pass


async def sign_up(installation, page, name):
    await page.goto(installation.invitation())
    await page.get_by_label("User name").fill(name)
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_label("Password again").fill(PASSWORD)
    await page.get_by_label("Time zone").select_option("Europe/Berlin")
    await photograph(page, "sign-up")
    await page.get_by_role("button", name="Make my account").click()
    await expect(page.get_by_role("status")).to_contain_text("Your account is ready")


async def call_whoami(installation, auth):
    async with Client(f"{installation.url}/mcp/lesson/", auth=auth) as client:
        result = await client.call_tool("whoami")
    await auth.visit
    return result.data


async def test_a_person_signs_in_reads_consents_and_the_client_calls(installation, page):
    await sign_up(installation, page, "nora")
    await page.get_by_role("button", name="Sign out").click()

    async def steps(authorization_url, client_listens):
        await page.goto(authorization_url)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
        await photograph(page, "sign-in")
        await page.get_by_label("Username").fill("nora")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.keyboard.press("Enter")
        heading = page.get_by_role("heading", level=1)
        await expect(heading).to_have_text("Give “Harbour pilot” access?")
        await expect(page.locator("main")).to_contain_text("this computer (localhost)")
        await expect(page.locator("main")).to_contain_text(f"{installation.url}/mcp/lesson")
        await photograph(page, "consent")
        await client_listens()
        await page.get_by_role("button", name="Give access").click()
        await expect(page.locator("body")).to_contain_text("successful")

    auth = BrowserOAuth(steps, client_name="Harbour pilot")
    assert await call_whoami(installation, auth) == "nora project Harbour pilot"

    await page.goto(f"{installation.url}/accounts/")
    await expect(page.get_by_role("heading", name="Harbour pilot")).to_be_visible()
    await photograph(page, "account")
    await page.get_by_role("button", name="Disconnect Harbour pilot").click()
    await expect(page.get_by_role("status")).to_contain_text("its access ended just now")


async def test_the_consent_page_works_with_the_keyboard_alone(installation, page):
    await sign_up(installation, page, "kim")

    async def steps(authorization_url, client_listens):
        await page.goto(authorization_url)
        await client_listens()
        focused = []
        for _ in range(12):
            await page.keyboard.press("Tab")
            focused.append(await page.evaluate("document.activeElement.textContent.trim()"))
            if focused[-1] == "Give access":
                break
        assert focused[0] == "Skip to the content"
        assert focused[-1] == "Give access"
        await page.keyboard.press("Enter")
        await expect(page.locator("body")).to_contain_text("successful")

    auth = BrowserOAuth(steps, client_name="Keys")
    assert await call_whoami(installation, auth) == "kim project Keys"


async def test_a_token_is_made_and_shown_on_a_phone_in_the_dark(installation, page):
    await page.set_viewport_size({"width": 390, "height": 780})
    await page.emulate_media(color_scheme="dark")
    await sign_up(installation, page, "ada")
    await page.get_by_role("link", name="Make a token").click()
    await page.get_by_label("Name").fill("laptop")
    await expect(page.get_by_label("Read code, documentation and posts")).to_be_checked()
    await photograph(page, "token-new-phone-dark")
    await page.get_by_role("button", name="Make the token").click()
    secret = await page.get_by_label("Token “laptop”").input_value()
    assert secret.startswith("ptl_")
    async with Client(f"{installation.url}/mcp/lesson/", auth=secret) as client:
        assert (await client.call_tool("whoami")).data == "ada project laptop"
    await page.goto(f"{installation.url}/accounts/")
    await photograph(page, "account-phone-dark")
    width = await page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, "the page is wider than the phone"
    background = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in background.strip("rgba()").split(",")[:3]) < 200
    await page.get_by_role("button", name="Revoke the token laptop").click()
    await expect(page.get_by_role("status")).to_contain_text("stopped working just now")
